# SPDX-License-Identifier: BSD-3-Clause
"""Are the structs of the Python package laid out as those of the C headers? A C program, written here and compiled
against the headers, prints every size, offset and constant; they are compared with ctypes' own. BRINK_CC: the compiler,
BRINK_INCLUDES: its -I options."""
import ctypes
import os
import shlex
import subprocess
import tempfile
import unittest
import unittest.mock

import brink.ask
from brink import _abi


def program(structs, headers):
    lines = ["#include <stddef.h>", "#include <stdio.h>"] + ["#include \"%s\"" % h for h in headers]
    lines += ["int main(void) {"]
    for s in structs:
        lines.append('printf("%s . %%zu\\n", sizeof(%s));' % (s.c_name, s.c_name))
        for name, _ in s._fields_:
            lines.append('printf("%s %s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));' %
                         (s.c_name, name, s.c_name, name, s.c_name, name))
    for name in _abi.CONSTANTS:
        lines.append('printf("constant %s %%lld\\n", (long long)%s);' % (name, name))
    return "\n".join(lines + ["return 0; }", ""])


def compiled(structs, headers):
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w") as file:
            file.write(program(structs, headers))
        subprocess.run([os.environ.get("BRINK_CC", "cc"), "-std=gnu17", source, "-o", binary] +
                       shlex.split(os.environ["BRINK_INCLUDES"]), check=True)
        return [line.split() for line in subprocess.run([binary], check=True, stdout=subprocess.PIPE, text=True)
                .stdout.splitlines()]


@unittest.skipUnless("BRINK_INCLUDES" in os.environ, "BRINK_INCLUDES does not say where the headers are")
class Layout(unittest.TestCase):
    def compare(self, structs, headers):
        by_name, seen = {s.c_name: s for s in structs}, 0
        for words in compiled(structs, headers):
            if words[0] == "constant":
                self.assertEqual(int(words[2]), _abi.CONSTANTS[words[1]], words[1])
            elif words[1] == ".":
                self.assertEqual(int(words[2]), ctypes.sizeof(by_name[words[0]]), words[0])
            else:
                field = getattr(by_name[words[0]], words[1])
                self.assertEqual((int(words[2]), int(words[3])), (field.offset, field.size), " ".join(words[:2]))
            seen += 1
        return seen

    def test_every_struct_and_constant_is_that_of_the_headers(self):
        structs = _abi.all_structs()
        self.assertGreater(len(structs), 35)
        expected = sum(1 + len(s._fields_) for s in structs) + len(_abi.CONSTANTS)
        self.assertEqual(self.compare(structs, _abi.HEADERS), expected)

    def test_a_struct_that_drifts_is_noticed(self):
        class Wrong(_abi.Struct):
            c_name = "brinkJointDef"
            _fields_ = [("structSize", _abi.u32), ("flags", _abi.u32), ("bodyB", _abi.u64), ("bodyA", _abi.u64)]
        with self.assertRaises(AssertionError):
            self.compare([Wrong], _abi.HEADERS)

    def test_step_info_of_the_ode_adapter(self):
        if subprocess.run(["pkg-config", "--exists", "ode"]).returncode != 0:
            self.skipTest("no ODE headers")
        hooks = unittest.mock.MagicMock()  # the struct alone is read; the hooks are for programs
        with unittest.mock.patch("brink._library.load", return_value=(hooks, "")):
            from brink import ode
        self.compare([ode.StepInfo], _abi.HEADERS + ("brink/ode.h",))

    def test_rows_of_batches_lie_as_the_structs_do(self):
        for dtype, struct in ((brink.ask._motion_dtype, _abi.BodyMotion), (brink.ask._contact_dtype, _abi.Contact)):
            self.assertEqual(dtype.itemsize, ctypes.sizeof(struct))
            for name, (kind, offset) in dtype.fields.items():
                field = getattr(struct, {"pose0p": "pose0", "pose0q": "pose0", "pose1p": "pose1",
                                         "pose1q": "pose1"}.get(name, name))
                inside = _abi.Pose.rotation.offset if name.endswith("q") else 0
                self.assertEqual(offset, field.offset + inside, name)


if __name__ == "__main__":
    unittest.main()
