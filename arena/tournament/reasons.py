"""The reasons that are stored of entrants and matches, and how hidden names stay out of them.

What the arena words itself is a `Sentence`, whose slots say where an entrant is named. An alias
takes the place of a name there and nowhere else: a bot may be called `worker`, and an alias among
the words of a sentence would tell whose it is. Any other text, such as an error or what a host
writes, is withheld if it contains a hidden name.

The database has them as people read them, and a stored sentence is recognised by its text. Kinds
and ids instead would leave the older databases, whose sentences only this can recognise, and the
errors of others, which can name anybody in any words: so there would be two forms, and none of this
could go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from string import Formatter
from typing import Final

from attrs import frozen

NAME_JOINT = " and "
ENTRANT = r"\w+(?:@[\w-]+)?"  # a name or an id
SLOTS = {
    "entrant": ENTRANT,
    "entrants": f"{ENTRANT}(?:{NAME_JOINT}{ENTRANT})*",
    "count": r"\d+",
    "size": r"\d+",
    "keys": r"[\d., ]+",
    "verdict": r"[a-z]+",
    "version": r"[0-9a-f-]+",
    "text": r".*",
}
"""What each slot of a sentence may contain, as a pattern."""

WITHHELD: Final = "not shown: it contains a hidden name"
"""Stands for a text that contains a hidden name."""


@frozen
class Sentence:
    """A reason as the arena words it, with slots for what differs."""

    template: str  #: with slots of `SLOTS`

    def fill(self, **values: object) -> str:
        """Return the reason with a value for each slot."""
        return self.template.format(**values)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that matches the sentence whatever is in its slots."""
        parts = [
            re.escape(words) + (f"(?P<{slot}>{SLOTS[slot]})" if slot else "")
            for words, slot, _, _ in Formatter().parse(self.template)
        ]
        return re.compile("".join(parts), re.ASCII | re.DOTALL)

    def hide(self, reason: str, aliases: Mapping[str, str]) -> str | None:
        """Return the reason without the names of `aliases`; None if it is not this sentence."""
        match = self.pattern.fullmatch(reason)
        if match is None:
            return None
        return self.fill(
            **{
                slot: _hide_in_slot(slot, value, aliases)
                for slot, value in match.groupdict().items()
            }
        )


LOST_WITH_WORKER = Sentence("its worker died twice, with {entrants} at the table")
LOST = Sentence("it was lost twice, with {entrants} at the table: {text}")
ABSENCE = Sentence("{entrant} no longer takes part")
REPLACEMENT = Sentence("by version {version}")
BY_HOST = Sentence("by the host")
BY_AUTHOR = Sentence("by its author")
NO_PLACE = Sentence("last of {count}, on a hill for {size}")
REPEATED_VERDICTS = Sentence("{count} verdicts in a row, the last {verdict}")
KILLED_WORKERS = Sentence("the workers of its matches {keys} died twice, and no others")
ARCHIVED = Sentence("archived in {text}")

SENTENCES = (
    LOST_WITH_WORKER, LOST, ABSENCE, REPLACEMENT, BY_HOST, BY_AUTHOR, NO_PLACE, REPEATED_VERDICTS,
    KILLED_WORKERS, ARCHIVED,
)  # fmt: skip
"""All sentences; a reason that is none of them is anybody's text."""


def hide_reason(reason: str, aliases: Mapping[str, str]) -> str:
    """Return a reason without the names of `aliases`.

    >>> hide_reason("its worker died twice, with worker and mine at the table", {"worker": "bot_7"})
    'its worker died twice, with bot_7 and mine at the table'
    >>> hide_reason("worker.py: no such file", {"worker": "bot_7"})
    'not shown: it contains a hidden name'
    """
    if not aliases or not reason:
        return reason
    for sentence in SENTENCES:
        hidden = sentence.hide(reason, aliases)
        if hidden is not None:
            return hidden
    return _withhold(reason, aliases)


def _hide_in_slot(slot: str, value: str, aliases: Mapping[str, str]) -> str:
    match slot:
        case "entrant" | "entrants":
            entrants = [_hide_entrant(entrant, aliases) for entrant in value.split(NAME_JOINT)]
            return NAME_JOINT.join(entrants)
        case "text":
            return _withhold(value, aliases)
        case _:
            return value


def _hide_entrant(entrant: str, aliases: Mapping[str, str]) -> str:
    """Return a name or an id with the alias of the name, if that is hidden."""
    name, at, version = entrant.partition("@")
    return f"{aliases.get(name, name)}{at}{version}"


def _withhold(text: str, aliases: Mapping[str, str]) -> str:
    """Return a text of anybody, unless it contains a hidden name, whatever its case."""
    words = {word.casefold() for word in re.findall(r"\w+", text, re.ASCII)}
    return text if words.isdisjoint(map(str.casefold, aliases)) else WITHHELD
