#!/usr/bin/env python3
"""Shows doxygen the comments of llm.h and llm.hpp: doxygen_filter.py FILE prints the file with plain comments marked.

A comment above a declaration is about it, a comment behind a member is about that member, the first one is about the
file, and a line of dashes with a title begins a section. The text is plain: characters that doxygen would take for
commands are escaped, and indented lines keep their form. Other files are printed as they are.
"""
import pathlib
import re
import sys

C_COMMENT = re.compile(r"/\*(?P<text>.*?)\*/", re.S)
LINE_COMMENTS = re.compile(r"(?:^[ \t]*//[^\n]*\n)+", re.M)
SECTION = re.compile(r"-{4} (?P<title>.*?) -{4,}")


def escaped(line):
    return re.sub(r"([\\@#%<>&\"])", r"\\\1", line)


def plain_text(lines):
    """Lines of a comment as doxygen text; what is indented is shown as it stands."""
    out, indented = [], False
    for line in lines:
        if line.strip() and line.startswith("  ") != indented:
            indented = not indented
            out.append("<pre>" if indented else "</pre>")
        out.append(escaped(line))
    return out + ["</pre>"] * indented


def marked(lines, is_first):
    """The comment with these lines, for doxygen."""
    if is_first:
        return "\n".join(["/** @file", *plain_text(lines), "*/"])
    section = SECTION.fullmatch(lines[0].strip()) if len(lines) == 1 else None
    if section:
        return f"/** @name {section['title']} */"
    return "\n".join(["/**", *plain_text(lines), "*/"])


def stripped(lines, prefix):
    """The lines without the comment signs that begin them; empty lines at the ends are left out."""
    lines = [re.sub(prefix, "", line.rstrip()) for line in lines]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def with_marks(text):
    first = [True]

    def c_comment(match):
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        lines = stripped(match["text"].split("\n"), r"^ ?\*? ?" if "\n" in match["text"] else r"^ ")
        if before.strip():
            return "/**< " + " ".join(escaped(line.strip()) for line in lines) + " */"
        is_first, first[0] = first[0], False
        return marked(lines, is_first) if lines else ""

    text = C_COMMENT.sub(c_comment, text)
    # A declaration right below another one shares its comment.
    return re.sub(r"(\b(llm_\w+)\([^;]*\);\n)(?=LLM_API )", r"\1/** See \2(): the same holds here. */\n", text)


def with_marked_lines(text):
    """The same for // comments. The macros that set structs to their defaults would confuse doxygen."""
    text = re.sub(r"\bLLM_\w+_INIT\b", "{}", text)
    text = re.sub(r"(?m)^([ \t]*[^/\s][^\n]*?\S)[ \t]+// ([^\n]*)$", lambda m: f"{m[1]} /**< {escaped(m[2])} */", text)
    return LINE_COMMENTS.sub(
        lambda m: marked(stripped(m[0].rstrip("\n").split("\n"), r"^\s*// ?"), False) + "\n", text)


def main():
    path = pathlib.Path(sys.argv[1])
    text = path.read_text()
    if path.suffix == ".hpp":
        head, rest = re.match(r"(/\*.*?\*/)(.*)", text, re.S).groups()
        text = with_marks(head) + with_marked_lines(rest)
    elif path.suffix == ".h":
        text = with_marks(text)
    print(text, end="")


if __name__ == "__main__":
    main()
