# SPDX-License-Identifier: BSD-3-Clause
"""Does what the documentation says happen? test_docs.py SOURCE BUILD CC [NAME]
test_docs.py SOURCE BUILD CC --tables writes the tables that test programs print into the pages.

Blocks of README.md and docs/*.md are taken as a reader would take them:
  ```file NAME      written to a scratch folder
  ```console        lines after `$ ` are typed there; what they print must be what stands below ("..." is anything)
  ```c              with a main: compiled against the build and run (those of docs/ode.md by test_install, from a prefix);
                    without one: compiled, in a program that has declared what the page speaks of
  ```python         with `import brink`: run
  build/bin/brink   lines of README.md and CONTRIBUTING.md: typed one after the other, with the files that they name
and links, anchors, file names, test names, commands, options and what code cites of theory.md are looked up; sentences and
words are counted (prose.py); every public function stands in a program. Python's standard library only.
Skipped parts say so."""
import glob
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import prose as prose_of  # noqa: E402

SOURCE, BUILD, CC = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
REFRESH = sys.argv[4:] == ["--tables"]  # write the tables that programs print into the pages
SANITIZED = os.environ.get("BRINK_SANITIZED") == "1"
BRINK = os.path.join(BUILD, "bin", "brink")
PAGES = sorted([os.path.join(SOURCE, "README.md"), os.path.join(SOURCE, "CONTRIBUTING.md")] +
               glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def name_of(path):
    return os.path.relpath(path, SOURCE)


def blocks(path):
    """(line, information, text) of every fenced block."""
    found, info, start, lines = [], None, 0, []
    for number, line in enumerate(read(path).splitlines(), 1):
        if line.startswith("```"):
            if info is None:
                info, start, lines = line[3:].strip(), number, []
            else:
                found.append((start, info, "".join(x + "\n" for x in lines)))
                info = None
        elif info is not None:
            lines.append(line)
    return found


def prose(path):
    """The page without its fenced blocks."""
    out, inside = [], False
    for line in read(path).splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            out.append(line)
    return "\n".join(out)


def fits(expected, told):
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, told) is not None


def tree():
    """Every file of the tree, by its path."""
    found = []
    for folder, names, files in os.walk(SOURCE):
        names[:] = [n for n in names if not n.startswith((".", "build", "out", "__pycache__"))]
        found += [os.path.relpath(os.path.join(folder, f), SOURCE) for f in files]
    return found


FILES = tree()


def anchor(heading):
    text = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower().replace("`", ""))
    return text.strip().replace(" ", "-")


ODE_LIBRARY = os.path.join(BUILD, "lib", "libbrink_ode.so.1")


def build_program(test, where, text, folder, name="p"):
    """Compiles a program of a page against the build; ODE where it asks for it. Its path."""
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w") as file:
        file.write(text)
    flags = ["-fsanitize=address,undefined"] if SANITIZED else []
    ode = "include <ode/" in text or "include <brink/ode" in text
    includes = ["-I" + os.path.join(SOURCE, f, "include") for f in ("algorithms", "plugin", "ode_glue")]
    libraries = ["-lbrink", "-lm"]
    if ode:
        told = subprocess.run(["pkg-config", "--cflags", "--libs", "ode"], stdout=subprocess.PIPE, text=True, check=True)
        libraries = ["-lbrink_ode"] + libraries + told.stdout.split()
    built = subprocess.run([CC, "-std=c17", "-Wall", "-Wextra", "-Werror", *flags, *includes, source, "-o", program,
                            "-L" + os.path.join(BUILD, "lib"), "-Wl,-rpath," + os.path.join(BUILD, "lib"), *libraries],
                           stderr=subprocess.PIPE, text=True)
    test.assertEqual(built.returncode, 0, "%s:\n%s" % (where, built.stderr))
    return program


def patched(program, diff):
    """The program with a diff applied whose hunks are parted by ` ...`; blanks at the ends of lines do not count."""
    lines, at = program.splitlines(), 0
    for line in diff.splitlines():
        mark, text = line[:1], line[1:].strip()
        if text == "...":
            continue
        if mark == "+":
            lines.insert(at, text)
            at += 1
            continue
        found = next((i for i in range(at, len(lines)) if lines[i].split("/*")[0].strip() == text), None)
        if found is None:
            raise AssertionError("the diff's line is not in the program: " + text)
        at = found + (mark == " ")
        if mark == "-":
            del lines[found]
    return "\n".join(lines) + "\n"


def printed_tables(text):
    """(program, rows) of the tables of which a page says that a test prints them."""
    for said in re.finditer(r"`(test_[a-z_]+)`, which\s+prints this table", text):
        lines = text[said.end():].split("\n")
        first = next(i for i, line in enumerate(lines) if line.startswith("|"))
        rows = list(itertools.takewhile(lambda line: line.startswith("|"), lines[first + 2:]))
        yield os.path.join(BUILD, "bin", said.group(1)), rows


def rows_of(program):
    told = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    return [line for line in told.splitlines() if line.startswith("| ")]


def need_command(test):
    if not os.path.exists(BRINK):
        test.skipTest("the brink command is not built")


class Docs(unittest.TestCase):
    maxDiff = None

    def test_files_and_commands_do_what_stands_below_them(self):
        need_command(self)
        ran = 0
        for page in PAGES:
            with tempfile.TemporaryDirectory() as folder:
                for line, info, text in blocks(page):
                    if info.startswith("file "):
                        with open(os.path.join(folder, info.split()[1]), "w") as file:
                            file.write(text)
                    elif info == "console":
                        ran += self.console("%s:%d" % (name_of(page), line), text, folder)
        self.assertGreaterEqual(ran, 10)

    def console(self, where, text, folder):
        commands = re.split(r"^\$ ", text, flags=re.M)
        self.assertEqual(commands[0], "", where)
        for command in commands[1:]:
            line, _, expected = command.partition("\n")
            path = os.path.dirname(BRINK) + os.pathsep + os.environ["PATH"]
            told = subprocess.run(["sh", "-c", line], cwd=folder, env=dict(os.environ, PATH=path), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            said = "%s: $ %s\n%s%s" % (where, line, told.stdout, told.stderr)
            self.assertEqual(told.returncode, 0, said)
            wanted, got = expected.splitlines(), told.stdout.splitlines()
            self.assertEqual(len(wanted), len(got), said)
            for a, b in zip(wanted, got):
                self.assertTrue(fits(a, b), "%s\nexpected: %s" % (said, a))
        return len(commands) - 1

    def test_c_programs_compile_and_run(self):
        count = 0
        for page in PAGES:
            if page.endswith("docs/ode.md"):
                continue
            for line, info, text in blocks(page):
                if info != "c" or "int main(" not in text:
                    continue
                where = "%s:%d" % (name_of(page), line)
                if re.search(r"#include <(brink/)?ode", text) and not os.path.exists(ODE_LIBRARY):
                    continue
                count += 1
                with tempfile.TemporaryDirectory() as folder:
                    told = subprocess.run([build_program(self, where, text, folder)], stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, text=True)
                self.check_told(where, text, "// prints: ", told)
        self.assertGreaterEqual(count, 1)

    def test_the_program_of_the_adapters_page_is_cpp_too(self):
        if shutil.which("c++") is None:
            self.skipTest("no C++ compiler")
        programs = [text for _, info, text in blocks(os.path.join(SOURCE, "docs", "abi.md")) if info == "c" and "int main(" in text]
        self.assertGreaterEqual(len(programs), 1)
        includes = ["-I" + os.path.join(SOURCE, f, "include") for f in ("algorithms", "plugin")]
        for text, standard in itertools.product(programs, ("17", "20")):
            told = subprocess.run(["c++", "-std=c++" + standard, "-x", "c++", "-fsyntax-only", *includes, "-"], input=text,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(told.returncode, 0, "C++%s:\n%s" % (standard, told.stderr))

    def test_the_readme_begins_with_a_first_program_in_c_and_in_cpp(self):
        top = read(os.path.join(SOURCE, "README.md")).split("\n## ")[0]
        for path in ("examples/c/first_contact.c", "examples/cpp/first_contact.cpp"):
            self.assertIn("](%s)" % path, top)
            self.assertIn("firstContact(", read(os.path.join(SOURCE, path)))

    def test_fragments_of_c_compile(self):
        count = 0
        for page in PAGES:
            for line, info, text in blocks(page):
                if info != "c" or "int main(" in text or not os.path.exists(ODE_LIBRARY):
                    continue
                count += 1
                body = "\n".join(x for x in text.splitlines() if x.strip() != "...")
                with tempfile.TemporaryDirectory() as folder:
                    build_program(self, "%s:%d" % (name_of(page), line), FRAGMENT % body, folder)
        if os.path.exists(ODE_LIBRARY):
            self.assertGreaterEqual(count, 3)

    def test_commands_of_the_readme_run_as_written(self):
        need_command(self)
        formats = {info.split()[1]: text for _, info, text in blocks(os.path.join(SOURCE, "docs", "formats.md"))
                   if info.startswith("file ")}
        stand_ins = {"mesh.obj": "crate.obj", "crate.obj": "crate.obj", "scene": "row.scene", "motion": "row.motion"}
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BUILD, os.path.join(folder, "build"))
            for name, of in stand_ins.items():
                with open(os.path.join(folder, name), "w") as file:
                    file.write(formats[of])
            typed = []
            for page in PAGES:
                if os.path.basename(page) in ("README.md", "CONTRIBUTING.md"):
                    typed += re.findall(r"^(?:    )?(build/bin/brink .*)$", read(page), re.M)
            self.assertGreaterEqual(len(typed), 11)
            for line in typed:
                if " robot " in line:  # the arm that generate makes
                    subprocess.run([BRINK, "robot", "generate", "."], cwd=folder, stdout=subprocess.DEVNULL, check=True)
                    os.replace(os.path.join(folder, "stand_in_arm.urdf"), os.path.join(folder, "arm.urdf"))
                    told = subprocess.run([BRINK, "robot", "info", "arm.urdf"], cwd=folder, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, text=True)
                    if told.returncode == 1 and "URDF" in told.stderr:
                        continue  # this build reads no robots
                told = subprocess.run(["sh", "-c", line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                # 1: an answer that is not "proven", which is what some of the cases want of certify and verify
                allowed = (0, 1) if re.search(" (certify|verify) ", line) else (0,)
                self.assertIn(told.returncode, allowed, "%s\n%s%s" % (line, told.stdout, told.stderr))
                self.assertTrue(told.stdout.strip() or " > " in line, line)

    def test_other_programs_and_their_options_exist(self):
        checked, helps = 0, {}
        for page in PAGES:
            for line in re.findall(r"\bbuild/bin/((?!brink )[a-z][^`\n|;)]*)", read(page)):
                words = line.split("#")[0].split()
                program = os.path.join(BUILD, "bin", words[0].rstrip(".,"))
                if not os.path.exists(program):
                    continue  # left out of this build; what is a test is looked up by its name
                checked += 1
                options = [w for w in words[1:] if re.match("--[a-z]", w)]
                if not options or words[0].startswith(("test_", "example_")):
                    continue
                if program not in helps:
                    helps[program] = subprocess.run([program, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                                    text=True).stdout
                for option in options:
                    self.assertIn(re.match("--[a-z-]+", option).group(0), helps[program], "%s: %s" % (name_of(page), line))
        self.assertGreaterEqual(checked, 5)

    def test_every_row_of_the_readmes_table_names_the_tests_that_keep_it(self):
        table = prose(os.path.join(SOURCE, "README.md")).split("| handles | does not | kept by |")[1].split("\n\n")[0]
        rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| ")]
        self.assertGreaterEqual(len(rows), 4)
        for handles, does_not, kept_by in rows:
            names = re.findall("`(test_[a-z_]+)`", kept_by)
            self.assertTrue(names, handles)
            for name in names:
                self.assertTrue(glob.glob(os.path.join(SOURCE, "tests", "*", name + ".c")), name)

    def check_told(self, where, text, mark, told):
        said = "%s:\n%s%s" % (where, told.stdout, told.stderr)
        self.assertEqual(told.returncode, 0, said)
        promised = re.search("^%s(.*)$" % mark, text, re.M)
        if promised:
            self.assertTrue(fits(promised.group(1), told.stdout.strip()), said)

    def test_python_blocks_run(self):
        scripts = [(page, line, text) for page in PAGES for line, info, text in blocks(page)
                   if info == "python" and "import brink" in text]
        if SANITIZED or subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.PIPE).returncode:
            self.skipTest("a sanitized build, or no numpy")
        environment = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"),
                           BRINK_LIBRARY=os.path.join(BUILD, "lib", "libbrink.so.1"))
        for page, line, text in scripts:
            if "brink.ode" in text and subprocess.run([sys.executable, "-c", "import ode"],
                                                      stderr=subprocess.PIPE).returncode:
                continue
            told = subprocess.run([sys.executable, "-c", text], env=environment, stderr=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
            self.check_told("%s:%d" % (name_of(page), line), text, "# prints: ", told)

    def test_pages_say_which_debian_packages_their_python_needs(self):
        script = read(os.path.join(SOURCE, "run.sh"))
        of_build = re.search(r'^packages="(.*)"', script, re.M).group(1).split()
        for page in PAGES:
            text = "".join(text for _, info, text in blocks(page) if info == "python")
            for module, package in (("brink", "python3-numpy"), ("ode", "python3-pyode")):
                if re.search(r"^\s*import (brink, )?%s\b" % module, text, re.M) and package not in of_build \
                        and name_of(page) != "docs/ode.md":  # a guide of settings, which sends to python.md
                    self.assertIn(package, prose(page), name_of(page))

    def test_the_readmes_python_runs_as_written(self):
        if SANITIZED or subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.PIPE).returncode:
            self.skipTest("a sanitized build, or no numpy")
        page = read(os.path.join(SOURCE, "README.md"))
        line = re.search(r"^    (PYTHONPATH=.* python3 (\w+\.py))$", page, re.M)
        self.assertTrue(line)
        block = next(text for _, info, text in blocks(os.path.join(SOURCE, "README.md")) if info == "python")
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BUILD, os.path.join(folder, "build"))
            os.symlink(os.path.join(SOURCE, "python"), os.path.join(folder, "python"))
            with open(os.path.join(folder, line.group(2)), "w") as file:
                file.write(block)
            typed = line.group(1).replace("python3 ", shlex.quote(sys.executable) + " ")  # the one that was found to have numpy
            told = subprocess.run(["sh", "-c", typed], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**{name: value for name, value in os.environ.items() if name != "BRINK_LIBRARY"},
                                       "PYTHONDONTWRITEBYTECODE": "1"}, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        state, toi = told.stdout.split()
        self.assertEqual(state, "hit")
        self.assertTrue(0.3 - 1e-6 < float(toi) <= 0.3, toi)  # never late

    def test_the_table_of_versions_is_that_of_the_sources(self):
        table = prose(os.path.join(SOURCE, "docs", "abi.md")).split("## Growing")[1].split("## ")[0]
        told = dict((cells[1].strip(), cells[2].strip()) for cells in
                    (line.split("|") for line in table.splitlines() if line.startswith("| ")))
        header = read(os.path.join(SOURCE, "plugin", "include", "brink", "ccd.h"))
        number = lambda name: re.search(r"#define %s (\d+)u" % name, header).group(1)
        self.assertEqual(told["the package's version"],
                         re.search(r"project\(brink VERSION (\S+)", read(os.path.join(SOURCE, "CMakeLists.txt"))).group(1))
        self.assertEqual(told["the ABI's major, the soname"], number("BRINK_ABI_MAJOR"))
        self.assertEqual(told["the ABI's minor"], number("BRINK_ABI_MINOR"))

    def test_the_readmes_diff_saves_a_program_written_before(self):
        """Row by row as README.md shows it, applied to tests/programs/before.c: it tunnels, then not; slow frames keep
        their bits."""
        if not os.path.exists(ODE_LIBRARY):
            self.skipTest("built without ODE")
        diffs = [text for _, info, text in blocks(os.path.join(SOURCE, "README.md")) if info == "diff"]
        self.assertEqual(len(diffs), 1)
        before = read(os.path.join(SOURCE, "tests", "programs", "before.c"))
        after = patched(before, diffs[0])
        self.assertLessEqual(sum(line.startswith("+") for line in diffs[0].splitlines()), 4)
        with tempfile.TemporaryDirectory() as folder:
            old = build_program(self, "before.c", before, folder, "before")
            new = build_program(self, "before.c with the README's diff", after, folder, "after")
            told = lambda program, speed: subprocess.run([program, speed], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertIn("through the wall\n", told(old, "300"))
            self.assertIn("stopped by the wall\n", told(new, "300"))
            quiet = told(old, "1")
            self.assertGreater(len(quiet.splitlines()), 1000)
            self.assertEqual(quiet, told(new, "1"))

    def test_the_readmes_figures_are_those_of_the_page_it_names(self):
        rows = [line.split("|")[1:-1] for line in prose(os.path.join(SOURCE, "README.md")).split("## Figures")[1]
                .split("## Folders")[0].splitlines() if line.startswith("| ")][1:]
        self.assertGreaterEqual(len(rows), 5)
        for what, ours, theirs, command, page in rows:
            text = " ".join(read(os.path.join(SOURCE, re.search(r"\((.*)\)", page).group(1))).split())
            numbers = re.findall(r"\d[\d.]*\d(?: of \d+)?|\d of \d", ours + " " + theirs)
            self.assertTrue(numbers, what)
            found = [number for number in numbers if number in text or number.replace(" of ", " | ") in text or
                     " | ".join(reversed(number.split(" of "))) in text]
            self.assertEqual(found, numbers, what)
            self.assertTrue("`" in command or "the same" in command, what)

    def test_the_readmes_scenes_of_the_benchmark_are_made_by_its_command(self):
        bench = os.path.join(BUILD, "bin", "brink-bench")
        if not os.path.exists(bench):
            self.skipTest("no benchmark in this build")
        page = read(os.path.join(SOURCE, "README.md"))
        make = re.search(r"^    build/bin/brink-bench (--write-replays \S+)", page, re.M)
        self.assertTrue(make)
        named = re.findall(r"--peer fcl (\S+\.scene) (\S+\.motion)`", page)
        self.assertTrue(named)
        self.assertIn("-DBRINK_BENCH_FCL=ON", page)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([bench, *make.group(1).split()], cwd=folder, stdout=subprocess.DEVNULL, check=True)
            for path in itertools.chain(*named):
                self.assertTrue(os.path.exists(os.path.join(folder, path)), path)

    def test_tables_are_those_that_programs_print(self):
        if SANITIZED:
            self.skipTest("a sanitized build prints the same, and slower")
        count = 0
        for page in PAGES:
            text = read(page)
            for program, rows in printed_tables(text):
                if not os.path.exists(program):
                    continue
                count += 1
                printed = rows_of(program)
                if REFRESH:
                    for row in rows:
                        new = [p for p in printed if p.split("|")[1] == row.split("|")[1]]
                        self.assertEqual(len(new), 1, row)
                        text = text.replace(row, new[0])
                    with open(page, "w", encoding="utf-8") as file:
                        file.write(text)
                else:
                    stale = [row for row in rows if row not in printed]
                    self.assertEqual(stale, [], "%s: %s prints other rows. This writes them into the page: "
                                     "python3 tests/house/test_docs.py . BUILD cc --tables" % (name_of(page), program))
        if os.path.exists(ODE_LIBRARY):
            self.assertGreaterEqual(count, 2)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, fragment = target.partition("#")
                there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                self.assertTrue(os.path.exists(there), "%s: link to %s" % (name_of(page), target))
                if fragment:
                    anchors = [anchor(h) for h in re.findall(r"^#+ (.*)$", read(there), re.M)]
                    self.assertIn(fragment, anchors, "%s: link to %s" % (name_of(page), target))

    def test_named_files_exist(self):
        known, names = set(FILES), {os.path.basename(f) for f in FILES}
        stems = {os.path.splitext(n)[0] for n in names}
        for page in PAGES:
            mine = {info.split()[1] for _, info, _ in blocks(page) if info.startswith("file ")}
            for word in re.findall(r"`([\w./*-]+)`", prose(page)):
                where = "%s: `%s`" % (name_of(page), word)
                if re.fullmatch(r"test_[a-z_0-9]+", word):
                    self.assertIn(word, stems, where)
                if not re.search(r"\.(c|h|md|py|sh|cmake)$", word) or "*" in word or word in mine:
                    continue
                # a name alone, a path in the tree, or an #include
                found = word in known or (word in names if "/" not in word else
                                          any(f.endswith("/include/" + word) for f in known))
                self.assertTrue(found or word in ELSEWHERE, where + ": no such file")

    def test_what_code_cites_of_theory_is_there(self):
        headings = set(re.findall(r"^#+ (D?\d+(?:\.\d+)?)\.? ", read(os.path.join(SOURCE, "docs", "theory.md")), re.M))
        titles = {h.split(". ", 1)[-1].strip().lower()
                  for h in re.findall(r"^#+ (.*)$", read(os.path.join(SOURCE, "docs", "theory.md")), re.M)}
        cited, dangling = 0, []
        for path in FILES:
            if not re.search(r"\.(c|h|hpp|cpp|py|md)$", path) or path in ("CHANGELOG.md", "tests/house/test_docs.py"):
                continue
            text = re.sub(r"\s*\n\s*\*? ?", " ", read(os.path.join(SOURCE, path)))
            here = re.findall(r"\btheory (D?\d+(?:\.\d+)?)((?:\([a-e]\))?(?:(?:, | and |-)D?\d+(?:\.\d+)?(?:\([a-e]\))?)*)", text)
            for first, rest in here:
                for number in [first] + re.findall(r"D?\d+(?:\.\d+)?", rest):
                    cited += 1
                    if number not in headings:
                        dangling.append("%s: theory %s" % (path, number))
            for title in re.findall(r'docs/theory\.md,? "([^"]+)"', text):
                cited += 1
                if title.lower() not in titles:
                    dangling.append('%s: docs/theory.md, "%s"' % (path, title))
            if re.search(r"(?i)shared theory|fast-design", text):
                dangling.append(path + ": cites a document that is not in the tree")
        self.assertEqual(dangling, [])
        self.assertGreater(cited, 80)

    def test_sentences_are_short_and_words_are_those_of_the_glossary(self):
        long, wrong = prose_of.findings(SOURCE)
        self.assertEqual(long + wrong, [])

    def test_each_word_not_used_is_found(self):
        rules = [pattern for pattern, _ in prose_of.banned(SOURCE)]
        for word in ("doors", "twin", "creep", "creeping", "grinds", "grinding", "briefs"):
            self.assertTrue(any(pattern.search("It may %s here." % word) for pattern in rules), word)

    def test_the_glossary_has_at_most_thirty_terms(self):
        table = read(os.path.join(SOURCE, "docs", "glossary.md")).split("## Words not used")[0]
        self.assertLessEqual(len(re.findall(r"^\| (?!term|---)[^|-]", table, re.M)), 30)

    def test_words_of_the_tree_and_of_the_step_stand_in_the_glossary(self):
        table = read(os.path.join(SOURCE, "docs", "glossary.md")).split("## Words not used")[0]
        terms = {term.strip() for row in re.findall(r"^\| ([^|]*) \|", table, re.M) for term in row.split(",")}
        first = read(os.path.join(SOURCE, "docs", "architecture.md")).split("## Where")[0]
        words = {word.rstrip("s") for word in re.findall(r"\*(\w+)\*", first)}
        self.assertEqual(words, {"house", "floor", "room", "wing"})
        for word in words | {"guard", "walk", "look", "course", "slack", "edge"}:
            self.assertIn(word, terms)

    def test_users_are_told_of_clamps_and_not_of_the_guard(self):
        for page in PAGES:
            if re.match(r"README|docs/(ode|tutorial|python|howto/\w+)\.md", name_of(page)):
                self.assertNotRegex(prose(page), r"\bthe guard\b", name_of(page))

    def test_every_public_function_stands_in_a_program(self):
        shown = "".join(read(os.path.join(SOURCE, path)) for path in FILES
                        if re.match(r"(examples|demos|tools|robots|benchmark|web|python)/", path)
                        and re.search(r"\.(c|h|cpp|py)$", path) and "/include/" not in path)
        missing = sorted(name for name in public_functions() if not re.search(r"\b%s\b" % name, shown))
        self.assertEqual(missing, [])

    def test_commands_and_options_exist(self):
        need_command(self)
        helps = {None: run_help()}
        verbs = re.findall(r"^  ([a-z]+) ", helps[None].split("Commands:")[1].split("Each has")[0], re.M)
        for verb in verbs:
            helps[verb] = run_help(verb)
        checked = 0
        for page in PAGES:
            for line in commands_of(page):
                words = shlex.split(line, comments=True)
                if len(words) < 2 or words[1].startswith("-"):
                    continue
                self.assertIn(words[1], verbs, "%s: %s" % (name_of(page), line))
                for word in words[2:]:
                    option = re.match(r"(--[a-z][a-z-]*)", word)
                    if option:
                        self.assertIn(option.group(1), helps[words[1]], "%s: %s" % (name_of(page), line))
                checked += 1
        self.assertGreater(checked, 20)

    def test_run_sh_knows_what_the_pages_tell_it(self):
        script = read(os.path.join(SOURCE, "run.sh"))
        for page in PAGES:
            for verb in re.findall(r"\./run\.sh ([a-z]+)", read(page)):
                self.assertRegex(script, r"(?m)^  %s\)" % verb, "%s: ./run.sh %s" % (name_of(page), verb))
            for name in re.findall(r"\./run\.sh test ([a-z]\w+)", read(page)):  # a room, a test or a case
                known = (os.path.isdir(os.path.join(SOURCE, "tests", name))
                         or any(os.path.basename(f) == name + ".c" for f in FILES)
                         or any(re.search(r"(?m)^[A-Z_]+\(%s[,)]" % name, read(os.path.join(SOURCE, f)))
                                for f in FILES if re.match(r"tests/\w+/test_\w+\.c$", f)))
                self.assertTrue(known, "%s: ./run.sh test %s" % (name_of(page), name))


#: what stands around a fragment of C: names that the pages use
FRAGMENT = """#include <brink/ode.h>
#include <stdio.h>
dWorldID world; dSpaceID space; dJointGroupID contactGroup; dBrinkID brink; dGeomID ballGeom, wallGeom; double h; void *data;
void near(void *user, dGeomID a, dGeomID b) { (void)user, (void)a, (void)b; }
void fragment(void);
void fragment(void) {
%s
}
int main(void) { return 0; }
"""

#: what brink/ode_redirect.h puts in place of ODE's own names: programs never write these
REDIRECTED = "dBrinkHook"
TYPES_OF_FUNCTIONS = {"dBrinkLogCallback", "dBrinkSegmentCallback", "dBrinkSupport"}

#: files of other projects, or of the reader's
ELSEWHERE = {"ode/ode.h"}


def public_functions():
    """Functions that public headers declare, and members of their tables of functions."""
    found = set()
    for path in prose_of.headers(SOURCE):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", read(path), flags=re.S)
        found.update(re.findall(r"\b(d?[bB]rink\w+)\s*\([^;{}#]*\)\s*;", text))
        for body in re.findall(r"typedef struct brink(?:Plugin|\w+Table) \{(.*?)\} brink\w+;", text, re.S):
            found.update(re.findall(r"\(\*(\w+)\)\(", body))
    return {name for name in found - TYPES_OF_FUNCTIONS if not name.startswith(REDIRECTED)}


def run_help(*verb):
    return subprocess.run([BRINK, *verb, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def commands_of(page):
    """Whole commands: in indented and fenced blocks, and code spans that begin with the command's name."""
    text = read(page)
    lines = [m.group(1) for m in re.finditer(r"^(?:    |\$ )(?:build/bin/)?(brink [a-z].*)$", text, re.M)]
    lines += re.findall(r"`(brink [a-z][^`]*)`", prose(page))
    for line in lines:
        for part in re.split(r"\s*(?:&&|\||;)\s*", line.split(" > ")[0]):
            if part.startswith("brink "):
                yield part.replace("[", "").replace("]", "").replace("'", "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + (["Docs.test_tables_are_those_that_programs_print"] if REFRESH else sys.argv[4:]))
