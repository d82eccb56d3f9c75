"""Scripts and styles as they are served: without comments and indentation.

Of scripts only what begins or ends a line is left out, so that nothing has to be parsed.
"""

from __future__ import annotations

import re

STYLE = re.compile(r'("[^"]*")|/\*.*?\*/|\s*([{};,])\s*|(?<=:)[ \n]+|\s+', re.DOTALL)
SCRIPT_COMMENT = re.compile(r"^//.*|(?<=[\s;,{(\[])// [^\"'`]*$")


def compact(text: str, suffix: str) -> str:
    """Return a file's text without what browsers skip; `suffix` is that of its name."""
    return {".js": compact_script, ".css": compact_style}.get(suffix, str)(text)


def compact_script(text: str) -> str:
    r"""Return a script without indentation, and comments that end a line.

    >>> compact_script("  // one\n  f(1); // two\n\n  g(`http://x`);")
    'f(1);\ng(`http://x`);\n'
    """
    lines = (SCRIPT_COMMENT.sub("", line.strip()).rstrip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if line)


def compact_style(text: str) -> str:
    r"""Return a style sheet without comments, and spaces that mean nothing.

    >>> compact_style('/* one */\na :is(b, c) { color: red; }\n  d::after { content: " ; "; }\n')
    'a :is(b,c){color:red}d::after{content:" ; "}'
    """
    return STYLE.sub(_shorten, text).strip().replace(";}", "}")


def _shorten(found: re.Match[str]) -> str:
    quoted, sign = found.groups()
    spaces = found[0].isspace()
    after_colon = spaces and found.start() and found.string[found.start() - 1] == ":"
    return quoted or sign or (" " if spaces and not after_colon else "")
