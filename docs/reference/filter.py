#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What Doxygen reads in place of a public header: filter.py HEADER, text on standard output.

The headers are written for people, in plain comments. This turns each into the form that Doxygen attaches:

  a comment before a declaration     documents it, and the uncommented ones right below it
  a comment at the end of a line     documents what stands on that line
  a comment alone between blank lines, and the one on top of the file     are parts of the file's own page

words.txt has words for names that a header leaves to its reader."""
import os
import re
import sys



def pieces(text):
    """(kind, text): "comment" (without its marks), "line" (a whole comment line's own kind), or "code"."""
    pattern = re.compile(r'/\*(.*?)\*/|//([^\n]*)|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.S)
    at = 0
    for m in pattern.finditer(text):
        if m.group(3) is not None:
            continue
        if m.start() < at:
            continue
        yield "code", text[at:m.start()]
        yield "comment", m.group(1) if m.group(1) is not None else m.group(2)
        at = m.end()
    yield "code", text[at:]


def words(comment):
    """The comment's lines for Doxygen: no stars, special characters as they are, examples verbatim."""
    out, verbatim = [], False
    for line in comment.strip("\n").split("\n"):
        line = re.sub(r"^\s*\*(?= |$)", "", line.rstrip())
        example = re.match(r" {4,}\S", line) is not None and (verbatim or not out or out[-1] == "")
        if verbatim and not example:
            out.append("@endverbatim")
        elif example and not verbatim:
            out.append("@verbatim")
        verbatim = example
        out.append(line if example else re.sub(r"([@\\<>#&%])", r"\\\1", re.sub(r"-{4,} ?", "", line.strip())))
    return "\n".join(out + ["@endverbatim"] * verbatim).strip("\n").replace("*/", "* /")


def block(comment, mark="/**"):
    text = words(comment)
    return "%s %s */" % (mark, text) if text else ""


def filtered(text):
    parts = list(pieces(text))
    out, pending, first = [], "", True
    for i, (kind, piece) in enumerate(parts):
        if kind == "code":
            out.append(piece)
            continue
        before = "".join(out)
        line = before[before.rfind("\n") + 1:]
        after = parts[i + 1][1] if i + 1 < len(parts) else ""
        if piece.strip().startswith("SPDX"):
            continue
        if line.strip() == "":
            alone = re.match(r"[ \t]*\n[ \t]*(\n|#include|#endif|#if|extern|$)", after)
            if first:
                out.append("/** @file\n" + words(piece) + "\n*/")
                first = False
            elif alone:
                out.append("/** @file\n\n" + words(piece) + "\n*/")
            else:
                out.append(block(piece))
        elif line.rstrip().endswith("{"):  # of the struct that begins here
            start = before.rfind("\n") + 1
            out = [before[:start] + block(piece) + "\n" + line]
        elif re.search(r"[(,]\s*$", line) and "(" in line:  # of a parameter: an ordinary comment
            out.append("/*" + piece + "*/")
        else:
            out.append(block(piece, "/**<"))
    return "".join(out)


def declarators(piece):
    """`double a, b[3]; /**< words */` as one declaration each, all with the words. Other pieces as they are."""
    many = re.match(r"^(\s+)((?:const |unsigned |long |struct )*\w+ )((?:\*?\w+(?:\[[^]]*\])*,\s+)+\*?\w+(?:\[[^]]*\])*);\s*(/\*\*<.*)?$",
                    piece.rstrip("\n"), re.S)
    if not many:
        return [piece]
    lead, kind, several, tail = many.groups()
    return ["%s%s%s; %s\n" % (lead, kind, name, tail or "") for name in re.split(r",\s+", several)]


def statements(text):
    """The text cut after each declaration and each comment that is not within one."""
    at, depth, start = 0, 0, 0
    pattern = re.compile(r"/\*.*?\*/|[;{}()\n]|#[^\n]*", re.S)
    for m in pattern.finditer(text):
        token = m.group(0)
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
        elif token in "{};" or token.startswith("#") or (token.startswith("/*") and text[start:m.start()].strip() == ""):
            if depth == 0:
                end = m.end()
                tail = re.match(r"[ \t]*/\*\*<.*?\*/", text[end:], re.S)
                end += tail.end() if tail else 0
                rest = re.match(r"[ \t]*\n", text[end:])
                end += rest.end() if rest else 0
                if end > start:
                    yield text[start:end]
                    start = end
    yield text[start:]


def load_words():
    """words.txt beside this file: what a name means that the header leaves to its reader."""
    found, path = {}, os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, text = line.strip().partition(": ")
                found[name] = text
    return found


def names(bare, struct):
    """What a declaration declares: names under which words.txt may know it."""
    code = re.sub(r"/\*.*?\*/", "", bare, flags=re.S)
    begun = re.search(r"typedef (?:struct|enum) (\w+) \{$", code)
    macro = re.match(r"#define (\w+)", code)
    if begun or macro:
        return [(begun or macro).group(1)]
    called = re.search(r"\(\*(\w+)\)\s*\(", code) or re.search(r"(\w+)\s*\(", code)
    name = called or re.search(r"(\w+)(?:\[[^]]*\])*;$", code)
    if not name:
        return []
    return ["%s.%s" % (struct, name.group(1)), "*." + name.group(1)] if struct else [name.group(1)]


def share(text, words):
    """An uncommented declaration takes the words that words.txt has for it, else those of the one right above it."""
    out, above, waiting, struct, closing = [], None, False, None, False
    for whole in statements(text):
        for piece in declarators(whole):
            bare = piece.strip()
            own = next((words[n] for n in names(bare, struct) if n in words), None) if bare else None
            if piece[:1] == "\n" or bare == "":
                above, waiting = None, False
            if bare.startswith("/**") and not bare.startswith("/**<"):
                above, waiting = None if "@file" in bare else bare, "@file" not in bare
            elif bare.endswith("{"):
                begun = re.search(r"typedef struct (\w+) \{$", bare)
                struct = begun.group(1) if begun else struct
                if own and not waiting and "/**" not in bare:
                    piece = "/** %s */\n%s" % (own, piece)
                above, waiting = None, False
            elif bare.startswith("}"):
                above, waiting, struct, closing = None, False, None, bare == "}"
            elif bare.startswith(("extern", "/*")) or (bare.startswith("#") and "define" not in bare):
                above, waiting, closing = None, False, False
            elif bare and closing:
                closing = False
            elif bare and "/**<" in bare:
                above, waiting = None, False
            elif bare and waiting:
                above, waiting = None if struct and "(*" not in bare else above, False
            elif bare and (own or above):
                piece = "%s\n%s" % ("/** %s */" % own if own else above, piece)
            out.append(piece)
    enumerator = re.compile(r"^(\s*(\w+)(?: = [^,/\n]+)?,?)$", re.M)
    return enumerator.sub(lambda m: "%s /**< %s */" % (m.group(1), words[m.group(2)]) if m.group(2) in words else m.group(1), "".join(out))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(share(filtered(file.read()), load_words()))
