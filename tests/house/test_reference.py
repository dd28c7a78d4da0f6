# SPDX-License-Identifier: BSD-3-Clause
"""Is the reference whole? test_reference.py SOURCE. Runs Doxygen as `./run.sh docs` does: a public name without words, a
link that leads nowhere, any other warning is a failure. Skipped (77) without doxygen; the rest needs Python alone."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(sys.argv[1])
REFERENCE = os.path.join(SOURCE, "docs", "reference")
FOLDERS = [os.path.join(SOURCE, f, "include", "brink") for f in ("algorithms", "plugin", "ode_glue", "assets", "robots")]
HEADERS = sorted(h for f in FOLDERS for h in glob.glob(os.path.join(f, "*.h")))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def doxygen(source, out):
    environment = dict(os.environ, BRINK_SOURCE=source, BRINK_REFERENCE=out, BRINK_VERSION="test")
    return subprocess.run(["doxygen", os.path.join(source, "docs", "reference", "Doxyfile")], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def filtered(path):
    return subprocess.run([sys.executable, os.path.join(REFERENCE, "filter.py"), path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def identifiers(text):
    """Every word of the code, without comments."""
    return set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)))


class Reference(unittest.TestCase):
    def test_doxygen_has_no_warning(self):
        with tempfile.TemporaryDirectory() as out:
            told = doxygen(SOURCE, out)
            self.assertEqual((told.returncode, told.stdout), (0, ""))
            for header in HEADERS:
                page = os.path.basename(header).replace("_", "__").replace(".", "_8") + ".html"
                self.assertTrue(os.path.exists(os.path.join(out, page)), page)
            self.assertIn("How many of them.", read(os.path.join(out, "structdBrinkStepInfo.html")))

    def test_a_name_without_words_is_an_error(self):
        with tempfile.TemporaryDirectory() as scratch:
            for folder in ("algorithms", "plugin", "ode_glue", "assets", "robots"):
                shutil.copytree(os.path.join(SOURCE, folder, "include"), os.path.join(scratch, folder, "include"))
            shutil.copytree(REFERENCE, os.path.join(scratch, "docs", "reference"))
            with open(os.path.join(scratch, "plugin", "include", "brink", "linear.h"), "a") as file:
                file.write("\nvoid brinkSaidNothingOf(int much);\n")
            told = doxygen(scratch, os.path.join(scratch, "out"))
            self.assertNotEqual(told.returncode, 0)
            self.assertIn("brinkSaidNothingOf", told.stdout)

    def test_the_filter_changes_comments_alone(self):
        for header in HEADERS:
            self.assertEqual(identifiers(read(header)), identifiers(filtered(header)), header)

    def test_no_comment_has_holes(self):
        """Where a formatter has wrapped a comment that was indented by hand, blanks are left between two words."""
        for header in HEADERS:
            for line in read(header).splitlines():
                self.assertIsNone(re.match(r" {4,}[^\s*]+ {2,}[^\s/]", line), "%s: %s" % (header, line))

    def test_words_are_of_names_that_exist(self):
        known = set().union(*(identifiers(read(h)) for h in HEADERS))
        for line in read(os.path.join(REFERENCE, "words.txt")).splitlines():
            if line and not line.startswith("#"):
                name, _, text = line.partition(": ")
                self.assertTrue(text.strip(), line)
                for part in name.split("."):
                    self.assertTrue(part == "*" or part in known, "words.txt: %s is in no header" % name)


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        print("skipped: doxygen is not installed (apt-get install doxygen)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
