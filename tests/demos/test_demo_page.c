/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the pages work in a browser? Headless Chromium opens them, clicks every control and tells what it saw: no word on
 * the console, the clock and the overlays as asked, in a wide window and on a phone. Skipped where Chromium or three.js
 * are not installed. And the README's picture: is it what its command draws? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "gallery.h"

#define FOLDER BRINK_BINARY_DIR "/test_demo_page"
#define DEMO BRINK_BINARY_DIR "/bin/brink-demo"

static char *readText(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, file), *size);
  text[*size] = 0;
  fclose(file);
  return text;
}

static bool haveBrowser(void) {
  return system("command -v chromium >/dev/null 2>&1") == 0 && access(BRINK_THREE_DIR "/three.min.js", R_OK) == 0;
}

/* What stands in the report element once the page has been tried. */
static void openPage(const char *path, int width, int height, char *report, size_t capacity) {
  char command[2000];
  snprintf(command, sizeof command,
           "timeout 120 chromium --headless=new --no-sandbox --hide-scrollbars --use-gl=angle --use-angle=swiftshader "
           "--enable-unsafe-swiftshader --user-data-dir=%s/profile --window-size=%d,%d --virtual-time-budget=20000 "
           "--dump-dom 'file://%s' >%s/dom.html 2>%s/chromium.log",
           FOLDER, width, height, path, FOLDER, FOLDER);
  assert_int_equal(system(command), 0);
  size_t size;
  char *dom = readText(FOLDER "/dom.html", &size);
  assert_non_null(dom);
  char *open = strstr(dom, "<pre id=\"report\">");
  if (!open) fail_msg("%s: the page did not come to its end", path);
  open += strlen("<pre id=\"report\">");
  char *close = strchr(open, '<');
  if (close) *close = 0;
  snprintf(report, capacity, "%s", open);
  free(dom);
}

/* Runs before the page's own scripts: keeps every complaint, and draws by the clock (virtual time gives few frames). */
static const char listener[] =
    "<script>window.requestAnimationFrame=f=>setTimeout(()=>f(performance.now()),16);window.complaints=[];window."
    "addEventListener('error',e=>complaints.push(e.message));"
    "['error','warn'].forEach(n=>{console[n]=(...a)=>complaints.push(n+': '+a.join(' '))});</script>";

/* Runs after them: clicks every control and notes what the clock says. */
static const char visitor[] =
    "<script>(async function(){const id=n=>document.getElementById(n),say=[],wait=ms=>new "
    "Promise(r=>setTimeout(r,ms));\n"
    "const frame=()=>+id('clock').textContent.split('frame ')[1];\n"
    "const until=async test=>{for(let i=0;i<80&&!test();i++)await wait(50);return test();};\n"
    "const check=(name,good)=>{if(!good)say.push('WRONG '+name+' (frame '+frame()+')');};\n"
    "await wait(300);check('plays',await until(()=>frame()>0));\n"
    "id('play').click();await wait(200);const held=frame();await wait(300);check('pause',frame()===held);\n"
    "const slide=v=>{id('scrub').value=v;id('scrub').dispatchEvent(new Event('input'));};\n"
    "slide(0);check('to the start',await until(()=>frame()===0));\n"
    "id('forward').click();id('forward').click();check('two frames on',await until(()=>frame()===2));\n"
    "id('back').click();check('one frame back',await until(()=>frame()===1));\n"
    "dispatchEvent(new KeyboardEvent('keydown',{code:'ArrowRight'}));check('arrow key',await until(()=>frame()===2));\n"
    "id('next').click();check('next impact',await until(()=>run.runs[1].impacts[0]===frame()));\n"
    "['Impacts','Normals','Ghosts','Boxes','Pairs','Hulls','Trails'].forEach(n=>id('show'+n).click());await "
    "wait(200);\n"
    "id('depth').value=4;id('depth').dispatchEvent(new Event('input'));await wait(200);\n"
    "check('hull "
    "trees',!run.meshes.some(m=>m.hulls)||run.meshes.some(m=>m.hulls&&m.hulls.counts[0]>=6&&m.hulls.counts.length>1));"
    "\n"
    "['Impacts','Normals','Ghosts','Boxes','Pairs','Hulls','Trails'].forEach(n=>id('show'+n).click());await "
    "wait(100);\n"
    "id('slow').click();id('speed').value='2';id('play').click();const then=frame();\n"
    "check('plays on',await until(()=>frame()>then));id('play').click();\n"
    "slide(1000);check('to the end',await until(()=>frame()===run.samples-1));\n"
    "id('marks').dispatchEvent(new MouseEvent('click',{clientX:id('marks').getBoundingClientRect().left+1}));\n"
    "check('a click on the marks',await until(()=>frame()<5));\n"
    "const graph=document.querySelector('.graph canvas');check('graphs',graph&&graph.clientWidth>100);\n"
    "slide(1000);await wait(200);\n"
    "check('fits the window',document.documentElement.scrollWidth<=innerWidth+1);\n"
    "check('no fault',id('fault').style.display!=='block');\n"
    "const p=document.createElement('pre');p.id='report';\n"
    "p.textContent=innerWidth+' wide; '+say.concat(complaints).join('; ')+'; '+id('plainLabel').textContent+'; "
    "'+id('brinkLabel').textContent;document.body.append(p);"
    "if(parent!==window)parent.postMessage(p.textContent,'*');})();</script>";

static void writeVisited(const char *from, const char *to) {
  size_t size;
  char *html = readText(from, &size);
  assert_non_null(html);
  char *head = strstr(html, "<head>"), *end = NULL;
  assert_non_null(head);
  for (char *at = head; (at = strstr(at, "</body>")) != NULL; at++) end = at;
  assert_non_null(end);
  FILE *file = fopen(to, "wb");
  assert_non_null(file);
  head += strlen("<head>");
  fwrite(html, 1, (size_t)(head - html), file);
  fputs(listener, file);
  fwrite(head, 1, (size_t)(end - head), file);
  fputs(visitor, file);
  fputs(end, file);
  fclose(file);
  free(html);
}

/* A window is never narrower than 500 pixels; a frame in it is. */
static void writePhone(const char *page, const char *path) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fprintf(file,
          "<html><body><script>onmessage=e=>{const p=document.createElement('pre');p.id='report';p.textContent=e.data;"
          "document.body.append(p)}</script><iframe src=\"%s\" style=\"width:390px;height:844px;border:0\"></iframe>"
          "</body></html>",
          page);
  fclose(file);
}

static void runDemo(const char *arguments) {
  char command[1200];
  snprintf(command, sizeof command, "%s %s >%s/demo.log 2>&1", DEMO, arguments, FOLDER);
  int status = system(command);
  if (status != 0) fail_msg("%s: exit status %d", command, status);
}

CASE(every_control_of_a_page_works_and_the_console_is_clean) {
  if (!haveBrowser()) {
    print_message("skipped: no chromium, or no three.js in %s\n", BRINK_THREE_DIR);
    skip();
  }
  runDemo("ragdoll --frames 60 --out " FOLDER "/out");
  writeVisited(FOLDER "/out/ragdoll/run.html", FOLDER "/visited.html");
  static const int widths[2] = {1280, 390};
  writePhone("visited.html", FOLDER "/phone.html");
  for (int i = 0; i < 2; i++) {
    char report[2000], expected[200];
    openPage(i ? FOLDER "/phone.html" : FOLDER "/visited.html", 1280, 900, report, sizeof report);
    print_message("%s\n", report);
    snprintf(expected, sizeof expected,
             "%d wide; ; plain ODEnow 15 limbs through, ever 15 of 15; ODE with Brinknow 0 limbs through, ever 0 of 15",
             widths[i]);
    assert_string_equal(report, expected);
  }
}

static uint32_t bigEndian(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* `brink-demo falling_train --picture docs/train.png` draws it; here a shorter run, since a picture is a picture. */
CASE(the_readmes_picture_is_what_its_command_draws) {
  runDemo("falling_train --frames 60 --out " FOLDER "/out --picture " FOLDER "/train.png");
  size_t drawnSize, keptSize;
  char *drawn = readText(FOLDER "/train.png", &drawnSize),
       *kept = readText(BRINK_SOURCE_DIR "/docs/train.png", &keptSize);
  assert_non_null(drawn);
  assert_non_null(kept);
  assert_memory_equal(drawn, "\x89PNG\r\n\x1a\n", 8);
  assert_memory_equal(kept, drawn, 8);
  assert_int_equal(bigEndian(kept + 16), bigEndian(drawn + 16)); /* width */
  assert_int_equal(bigEndian(kept + 20), bigEndian(drawn + 20));
  print_message("docs/train.png: %zu bytes\n", keptSize);
  assert_true(keptSize <= 500000 && drawnSize <= 500000);
  struct stat page;
  if (stat(FOLDER "/out/falling_train/run.html", &page) == 0) assert_true(page.st_size < 5000000);
  free(drawn);
  free(kept);
}

/* Seven balls, of which six pass on purpose: the headline says so, and the page tells the reason at each plate. And
 * where to look. */
CASE(what_passes_on_purpose_is_not_told_as_stopped) {
  static const char *const told[] = {
      "plain ODE: 7 of 7 balls pass, and nothing says why; "
      "with Brink: 1 stopped, 6 pass on purpose: reason told for each.\n",
      "\nopen " FOLDER "/out/explain/"};
  static const char *const unexplained[] = {"T_a", "guard"}; /* words of a paper, and of docs/step.md */
  size_t size;
  runDemo("modes --out " FOLDER "/out");
  char *modes = readText(FOLDER "/demo.log", &size);
  assert_non_null(modes);
  assert_non_null(strstr(modes, "with Brink: 1 of 4 balls passed their wall, in mode report: on purpose.\n"));
  free(modes);
  runDemo("explain --out " FOLDER "/out");
  char *log = readText(FOLDER "/demo.log", &size), *html = readText(FOLDER "/out/explain/run.html", &size);
  assert_non_null(log);
  for (size_t i = 0; i < 2; i++)
    if (!strstr(log, told[i])) fail_msg("it does not say %s", told[i]);
  for (size_t i = 0; i < 2; i++) assert_null(strstr(log, unexplained[i]));
  static const char *const reasons[] = {"stopped", "bits", "space", "mode", "callback", "disabled", "sensor"};
  const char *notes = html ? strstr(html, "\"notes\":[[") : NULL; /* of the run with Brink: plain ODE has none */
  if (html) assert_non_null(notes);
  for (size_t i = 0; html && i < sizeof reasons / sizeof *reasons; i++) assert_non_null(strstr(notes, reasons[i]));
  free(log);
  free(html);
}

CASE(the_gallery_links_every_scene_that_was_drawn) {
  char message[400] = "";
  size_t size;
  const galleryCard card = {"pile", "Cars & trains", "run.html", "picture.png", "3 of 3 cars <fell>", "0 of 3", true};
  assert_true(folder_Make(FOLDER "/gallery/pile"));
  assert_true(gallery_Add(FOLDER "/gallery", &card, message, sizeof message));
  assert_true(gallery_Write(FOLDER "/gallery", message, sizeof message));
  char *html = readText(FOLDER "/gallery/index.html", &size);
  assert_non_null(html);
  assert_non_null(strstr(html, "<a href=\"pile/run.html\"><img loading=\"lazy\" alt=\"\" src=\"pile/picture.png\">"));
  assert_non_null(strstr(html, "Cars &amp; trains"));
  assert_non_null(strstr(html, "3 of 3 cars &lt;fell&gt;"));
  assert_null(strstr(html, "clearance")); /* not drawn: not shown */
  assert_null(strstr(html, "{{"));
  assert_null(strstr(html, "The last")); /* one card has no last ones */
  free(html);
  assert_false(gallery_Write(FOLDER "/no/such", message, sizeof message));
  assert_non_null(strstr(message, "/no/such/index.html"));
}

CASE(a_picture_wants_one_scene) {
  assert_int_not_equal(system(DEMO " all --picture " FOLDER "/no.png >/dev/null 2>&1"), 0);
  assert_int_not_equal(system(DEMO " ragdoll --no-render --picture " FOLDER "/no.png >/dev/null 2>&1"), 0);
  assert_int_not_equal(access(FOLDER "/no.png", F_OK), 0);
}

static int setUp(void **state) {
  (void)state;
  return folder_Make(FOLDER) ? 0 : -1;
}

int main(void) { return cases_Run(setUp, NULL); }
