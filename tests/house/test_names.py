#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does what the tree names exist, and nothing of one machine stand in it? test_names.py SOURCE

  paths    no file names a folder of a person or of one machine (PRIVATE). Folders that every system has (/usr, /dev) and what
           a test makes (/srv/new-user) may stand.
  tests    every test_... that a page or CHANGELOG.md names is a file of tests/ or a test of CTest; every case that it names is one
  cases    no case begins with test_, which is what `./run.sh test` takes for a program
"""
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.path.abspath(sys.argv[1])
PRIVATE = re.compile(r"(?<![\w.$}\])*>~/-])/(home|root|work|workspace|Users|mnt|media|scratch|builds|data|srv(?!/new-user)|tmp/[\w.-]*\d)"
                     r"/[\w.-]+")


def tracked():
    """Files under version control; in a tree without it, all but what a build leaves."""
    told = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if told.returncode == 0 and told.stdout:
        return [name for name in told.stdout.decode().split("\0") if name and os.path.exists(os.path.join(SOURCE, name))]
    found = []
    for folder, names, files in os.walk(SOURCE):
        names[:] = [n for n in names if not n.startswith((".", "build", "out", "__pycache__"))]
        found += [os.path.relpath(os.path.join(folder, f), SOURCE) for f in files if not f.endswith((".log", ".pyc"))]
    return found


def read(name):
    with open(os.path.join(SOURCE, name), "rb") as file:
        return file.read().decode("utf-8", "replace")


class Names(unittest.TestCase):
    def test_no_file_names_a_folder_of_one_machine(self):
        found = []
        for name in FILES:
            if name.endswith((".png", ".pdf", ".glb")):
                continue
            for number, line in enumerate(read(name).splitlines(), 1):
                if PRIVATE.search(line):
                    found.append("%s:%d: %s" % (name, number, PRIVATE.search(line).group(0)))
        self.assertEqual(found, [])

    def test_what_counts_as_such_a_folder(self):
        # `!` is a slash: this file holds no such folder itself
        for bad in ("!home!ann!brink", "see !work!main!x.c", '"!root!.cache"', "cd !Users!ann!src", "!tmp!trial3!out"):
            self.assertTrue(PRIVATE.search(bad.replace("!", "/")), bad)
        for good in ("!usr!share!doc", "!srv!new-user!brink", "build!work!x", "$HOME!work!x", "!dev!null", "demos!data!x"):
            self.assertFalse(PRIVATE.search(good.replace("!", "/")), good)

    def test_tests_that_pages_name_exist(self):
        known = {os.path.splitext(os.path.basename(f))[0] for f in FILES if f.startswith("tests/")}
        for name in FILES:
            if name.startswith("tests/"):
                text = read(name) if name.endswith((".py", ".txt")) else ""
                known.update(re.findall(r"\bdef (test_\w+)\(", text))
                known.update(re.findall(r"add_test\(NAME (test_\w+)", text))
        missing, named = [], 0  # `test_ode_*` stands for many
        for name in FILES:
            if not name.endswith(".md"):
                continue
            for word in re.findall(r"(?<![\w./-])(test_[a-z]\w*)\b(?!\*)", read(name)):
                named += 1
                if word not in known:
                    missing.append("%s: %s" % (name, word))
        self.assertEqual(missing, [])
        self.assertGreater(named, 50)


    def test_no_case_is_called_like_a_program(self):
        wrong = [name + ": " + case for name, case in cases() if case.startswith("test_")]
        self.assertEqual(wrong, [])

    def test_cases_that_pages_quote_exist(self):
        # long names in `quotes` are cases, programs, or functions of the Python package
        known = {case for _, case in cases()} | {os.path.splitext(os.path.basename(f))[0] for f in FILES}
        for name in FILES:
            if name.endswith(".py"):
                known.update(re.findall(r"\bdef (\w+)\(", read(name)))
        quoted = [(name, word) for name in FILES if name.endswith(".md")
                  for word in re.findall(r"`([a-z]+(?:_[a-z0-9]+){3,})`", read(name))]
        self.assertEqual([pair for pair in quoted if pair[1] not in known], [])
        self.assertGreater(len(quoted), 50)


def cases():
    """(file, name) of every case in C; some files have macros of their own for them."""
    return [(name, case) for name in FILES if re.match(r"tests/\w+/test_\w+\.c$", name)
            for case in re.findall(r"(?m)^[A-Z_]+\((\w+)[,)]", read(name))]


FILES = tracked()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
