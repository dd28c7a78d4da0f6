# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of pages and of public headers: which are too long, which use words that docs/glossary.md replaces?
prose.py SOURCE lists them, a line each. test_docs.py holds both counts at 0."""
import glob
import os
import re
import sys

MOST_WORDS = 35


ROOMS = ("algorithms", "plugin", "ode_glue", "assets", "robots")


def below(source, folder, *endings):
    """Files of a folder and of those below it."""
    found = []
    for ending in endings:
        found += glob.glob(os.path.join(source, folder, "**", "*" + ending), recursive=True)
    return sorted(found)


def pages(source):
    """Every page that a reader is sent to, the rooms' READMEs among them. CHANGELOG.md is a list."""
    found = [os.path.join(source, name) for name in ("README.md", "CONTRIBUTING.md")] + below(source, "docs", ".md")
    for folder in ROOMS + ("tests", "examples", "demos", "tools", "web", "python", "benchmark"):
        found += below(source, folder, ".md")
    return [path for path in found if "/build" not in os.path.relpath(path, source)]


def headers(source):
    found = []
    for room in ROOMS:
        found += below(source, os.path.join(room, "include", "brink"), ".h", ".hpp")
    return sorted(found)


def examples(source):
    return below(source, "examples", ".c")


def blocks_of_page(text):
    """(line, text) of paragraphs, list items and table cells, without fenced blocks, headings and code spans."""
    block, start, fenced = [], 0, False

    def flush():
        nonlocal block
        joined, block = " ".join(block), []
        return [(start, joined)] if joined.strip() else []

    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
            yield from flush()
        elif fenced or line.startswith("    ") and not block:
            continue
        elif not stripped or stripped.startswith("#"):
            yield from flush()
        elif stripped.startswith("|"):
            yield from flush()
            for cell in re.split(r"(?<!\\)\|", stripped.strip("|")):
                yield number, cell.strip()
        else:
            if re.match(r"([*-]|\d+\.) ", stripped):
                yield from flush()
            if not block:
                start = number
            block.append(stripped)
    yield from flush()


def blocks_of_header(text):
    """(line, text) of comments; lines of code between two comments part them, blank comment lines too."""
    for match in re.finditer(r"/\*(.*?)\*/|//([^\n]*)", text, re.S):
        body = match.group(1) if match.group(1) is not None else match.group(2)
        line = text.count("\n", 0, match.start()) + 1
        block, start = [], line
        for offset, part in enumerate(body.split("\n")):
            part = re.sub(r"^\s*\*? ?", "", part)
            if not part.strip() or part.startswith("  "):  # a formula, an example
                if block:
                    yield start, " ".join(block)
                block = []
                continue
            if not block:
                start = line + offset
            block.append(part.strip())
        if block:
            yield start, " ".join(block)


def sentences(text):
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|Sec|eq|Fig|vs|cf)\.", r"\1", text)
    return re.split(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(*\[]*[A-Z0-9]|code|brink|dBrink)|(?<=[a-z)\]]{3}[.!?])\s+(?=[a-z|])", text)


def words(sentence):
    """Symbols of formulas (x, R_a, 2D) are no words."""
    return [w for w in re.split(r"[\s/]+", sentence)
            if re.fullmatch(r"[\"'(*\[]*(?:[aAI]|[A-Za-z]+[A-Za-z'-]+)[.,;:!?)\]\"'*]*", w)]


def banned(source):
    """Words of the glossary's last table, each with the word to use: (pattern, word)."""
    with open(os.path.join(source, "docs", "glossary.md"), encoding="utf-8") as file:
        table = file.read().split("## Words not used", 1)[1]
    return [(re.compile(r"\b(?:%s)\b" % m.group(1).replace("\\|", "|"), re.I), m.group(2).strip())
            for m in re.finditer(r"^\| *`([^`]+)` *\| *([^|]+)\|", table, re.M)]


def findings(source):
    long, wrong = [], []
    rules = banned(source)
    for path in pages(source) + headers(source) + examples(source):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = os.path.relpath(path, source)
        for line, block in (blocks_of_page if path.endswith(".md") else blocks_of_header)(text):
            if name == "docs/glossary.md" and block.startswith("`"):
                continue
            for sentence in sentences(block):
                count = len(words(sentence))
                if count > MOST_WORDS:
                    long.append("%s:%d: %d words: %s" % (name, line, count, sentence[:100]))
                for pattern, instead in rules:
                    for found in pattern.findall(re.sub(r"\bcode\b", "", sentence)):
                        wrong.append("%s:%d: '%s', say: %s: %s" % (name, line, found, instead, sentence[:80]))
    return long, wrong


if __name__ == "__main__":
    for list_ in findings(sys.argv[1]):
        print("\n".join(list_), len(list_), sep="\n")
