"""Texts of pages as people read them: names, times, games, and what was written for a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup, escape

from arena import Count, Explorer
from arena.plugins import get_plugins
from arena.wires import to_printable


def clean_text(text: str) -> str:
    r"""Return a text without control characters, except for line breaks.

    >>> clean_text("one\n\ttwo \x1b[31m")
    'one\n        two ?[31m'
    """
    return "\n".join(map(to_printable, text.expandtabs().splitlines()))


def reflow(text: str) -> str:
    r"""Return a text that was broken into lines for a terminal, with one line for a paragraph.

    Indented lines, which are those of a list, stay apart; those that are indented further continue
    the one before.

    >>> reflow("One\ntwo:\n  a  1\n       2\n  b\nThree")
    'One two:\n  a  1 2\n  b\nThree'
    """
    text = re.sub(r"\n {5,}", " ", text)
    return re.sub(r"(?m)^(\S.*)\n(?=\S)", r"\1 ", text)


TERM_PATTERN = re.compile(r" {2}(\S.*?) {2,}(\S.*)")
"""A line with a term and what it means, as rules are written for a terminal."""


def format_rules(text: str) -> Markup:
    r"""Return rules that were broken into lines for a terminal as paragraphs and lists of terms.

    >>> format_rules("One\ntwo.\n\nThree:\n  a    1, or\n       2")
    Markup('<p>One two.</p><p>Three:</p><dl><dt>a</dt><dd>1, or 2</dd></dl>')
    """
    parts: list[Markup] = []
    for block in reflow(text).split("\n\n"):
        lines = block.split("\n")
        terms = [term.groups() for line in lines if (term := TERM_PATTERN.fullmatch(line))]
        words = "\n".join(line for line in lines if not TERM_PATTERN.fullmatch(line))
        if words:
            parts.append(Markup("<p>{}</p>").format(words))
        items = Markup().join(Markup("<dt>{}</dt><dd>{}</dd>").format(*term) for term in terms)
        if items:
            parts.append(Markup("<dl>{}</dl>").format(items))
    return Markup().join(parts)


def format_time(text: str) -> Markup:
    """Format a stored time for people, with the exact time for programs.

    >>> format_time("2026-11-03T08:05:59.123Z")
    Markup('<time datetime="2026-11-03T08:05:59.123Z">3 Nov 2026, 08:05 UTC</time>')
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:  # written by something else than a run
        return escape(text)
    words = f"{at.day} {at:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(text, words)


def format_game(name: str) -> str:
    """Return a game's title, such as GOPS, or the name of an unknown game."""
    game = get_plugins().games.get(name)
    return game.title if game else name


def format_minus(text: str) -> str:
    r"""Return a text whose negative numbers have a minus sign instead of a hyphen.

    >>> format_minus("-1 chip, 2-3").encode("ascii", "namereplace")
    b'\\N{MINUS SIGN}1 chip, 2-3'
    """
    return re.sub(r"(?<![\w.])-(?=[\d.])", "\N{MINUS SIGN}", text)


def find_count(name: str) -> Count:
    """Return the count of the scores of a game, which may be unknown here."""
    game = get_plugins().games.get(name)
    return game.presentation.count if game else Count()


def find_explorer(name: str) -> Explorer | None:
    """Return the explorer of a game, if a plugin has one."""
    return next((each for each in get_plugins().explorers if each.game == name), None)


def present_name(name: str) -> str:
    """Return the name of a player at a table as people read it.

    >>> present_name("counter_2"), present_name("Zoë_B")
    ('Counter 2', 'Zoë B')
    """
    words = to_printable(name).replace("_", " ").strip()
    return f"{words[:1].upper()}{words[1:]}" or name


def present_names(names: Sequence[str]) -> list[str]:
    """Return the names of all players as people read them; as they are if two became the same.

    >>> present_names(["ann", "counter_2"]), present_names(["ann", "Ann"])
    (['Ann', 'Counter 2'], ['ann', 'Ann'])
    """
    readable = [*map(present_name, names)]
    return readable if len({*readable}) == len(readable) else [*map(to_printable, names)]
