/* SPDX-License-Identifier: BSD-3-Clause */
/* Where does ODE keep what no header tells? It is found in a small world of our own, once: the lists of a world's
 * bodies and joints, and their links; where a fixed joint holds its bodies; and the flags of geoms, bodies and joints.
 * Of those a bit that ODE does not use marks what was met: what is made has none. So another object at an address is
 * told from the one that lay there before, and nothing depends on which addresses an allocator gives out. Where several
 * dBrinks see an object only the first to meet it can tell. In an ODE that keeps its flags elsewhere all count as met.
 */
#include <pthread.h>
#include <string.h>

#include "../dxbrink.h"

enum { bodies, joints };

struct dxBrinkLayout dxBrinkLayout;

/* Do the links at `at` lead from the last one made to the first? */
static bool isChain(void *const made[3], void **self, size_t at) {
  bool is = true;
  for (int i = 2; i >= 0; --i) {
    void **link = (void **)made[i] + at; /* the next; what points here */
    is = is && link[0] == (i > 0 ? made[i - 1] : NULL) && link[1] == self;
    self = link;
  }
  return is;
}

static void lookForLists(dWorldID world, void *made[2][3]) {
  enum { words = 16, linkWords = 6 }; /* looked at: less than any record has */
  const dxBrinkLists wanted = {{made[bodies][2], made[joints][2]}, {3, 3}};
  size_t at = 1;
  while (at < words && memcmp((void **)world + at, &wanted, sizeof(wanted)) != 0) {
    at++;
  }
  void **first = (void **)world + at;
  for (size_t word = 1; at < words && word < linkWords && dxBrinkLayout.link == 0; ++word) {
    const bool linked = isChain(made[bodies], first, word) && isChain(made[joints], first + 1, word);
    dxBrinkLayout.link = linked ? word * sizeof(void *) : 0;
  }
  dxBrinkLayout.lists = at * sizeof(void *);
}

/* From the second body to the first, which stands at (1,2,3). */
static void lookForFixed(dJointID joint) {
  enum { words = 27 }; /* looked at: less than the record has */
  static const dReal wanted[3] = {1, 2, 3};
  for (size_t word = 1; word + 3 <= words && dxBrinkLayout.fixed == 0; ++word) {
    const bool found = memcmp((dReal *)joint + word, wanted, sizeof(wanted)) == 0;
    dxBrinkLayout.fixed = found ? word * sizeof(dReal) : 0;
  }
}

/* Calls change their flags and nothing else. */
static void lookForFlags(void *of[3]) {
  enum { words = 32 }; /* looked at: less than any record has */
  uint32_t before[3][words];
  for (int kind = 0; kind < 3; ++kind) {
    memcpy(before[kind], of[kind], sizeof(before[kind]));
  }
  dGeomDisable(of[dxBrinkOfGeom]);
  dBodyDisable(of[dxBrinkOfBody]);
  dJointDisable(of[dxBrinkOfJoint]);
  for (int kind = 0; kind < 3; ++kind) {
    size_t word = kind == dxBrinkOfGeom ? 1 : dxBrinkLayout.link / 4 + 8; /* behind the links, and what nobody sets */
    for (; word < words && dxBrinkLayout.flags[kind] == 0; ++word) {      /* no farther: not all is set */
      const bool is = memcmp((char *)of[kind] + 4 * word, &before[kind][word], 4) != 0;
      dxBrinkLayout.flags[kind] = is ? 4 * word : 0;
    }
  }
}

static void look(void) {
  dWorldID world = dWorldCreate();
  void *made[2][3];
  for (int i = 0; i < 3; ++i) {
    made[bodies][i] = dBodyCreate(world);
    made[joints][i] = dJointCreateFixed(world, NULL);
  }
  lookForLists(world, made);
  dBodySetPosition(made[bodies][0], 1, 2, 3);
  dJointAttach(made[joints][0], made[bodies][0], made[bodies][1]);
  dJointSetFixed(made[joints][0]);
  lookForFixed(made[joints][0]);
  dGeomID geom = dCreateSphere(NULL, 1);
  lookForFlags((void *[3]){geom, made[bodies][0], made[joints][0]});
  dGeomDestroy(geom);
  dWorldDestroy(world);
}

bool dxBrinkKnowsLists(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return dxBrinkLayout.link != 0;
}
