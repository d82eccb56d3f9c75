"""Names and titles that look alike to people, so that nobody can pass for somebody else.

Two texts look alike if they have the same skeleton by Unicode's list of confusable characters
(Unicode Technical Standard 39), where case, accents, punctuation, spaces and all that shows nothing
do not count. Each has two skeletons: a capital I looks like a small L as it is written, and like a
small I to a reader who does not care for case.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from unicodedata import category, combining, normalize

from attrs import define, field

from arena.wires import is_blank

LEFT_TO_RIGHT_MARK = "\u200e"  # around letters in the list that are written from right to left
MIN_ACCENT_CLASS = 200  # combining classes from here on: above, below or beside a letter
OVERLAY_CLASS = 1  # the combining class of a stroke through a letter
SILENT_CATEGORIES = ("C", "P", "Z", "Sk")  # control characters, punctuation, spaces, accents alone
MAX_CACHED_TEXTS = 20_000


@define
class TakenTexts:
    """Names and titles that are taken, and by whom."""

    _taken: dict[str, tuple[str, str]] = field(factory=dict)  # the owner and the text, by skeleton

    def add(self, text: str, owner: str) -> None:
        """Take a name or title for its owner, unless it looks like one that is taken."""
        for skeleton in list_skeletons(text):
            self._taken.setdefault(skeleton, (owner, text))

    def find(self, text: str, owner: str) -> str:
        """Return a name or title of another owner that this one looks like, or an empty text."""
        owners = [self._taken.get(skeleton, (owner, "")) for skeleton in list_skeletons(text)]
        return next((other for whose, other in owners if whose != owner), "")


@lru_cache(MAX_CACHED_TEXTS)
def list_skeletons(text: str) -> tuple[str, ...]:
    """Return the skeletons of a text: it looks like another one that has one of them.

    >>> list_skeletons("\N{CYRILLIC SMALL LETTER ES}ounter."), list_skeletons("COUNTER")
    (('counter',), ('counter',))
    >>> list_skeletons("Iris"), list_skeletons("Ir\N{COMBINING ACUTE ACCENT}i5")
    (('lris', 'iris'), ('lri5', 'iri5'))
    """
    read = _build_skeleton(_build_skeleton(text).casefold()), _build_skeleton(text.casefold())
    return tuple(dict.fromkeys(read))


def _build_skeleton(text: str) -> str:
    """Return the letters, digits and symbols of a text, each as the one that it looks like.

    What has none of these is all that there is to see, so that it stays.
    """
    prototypes = _load_prototypes()
    letters = "".join([prototypes.get(letter, letter) for letter in normalize("NFKD", text)])
    plain = normalize("NFKD", letters)
    return "".join(filter(_counts, plain)) or plain


def _counts(character: str) -> bool:
    accent = combining(character) >= MIN_ACCENT_CLASS or combining(character) == OVERLAY_CLASS
    silent = category(character).startswith(SILENT_CATEGORIES)
    return not (accent or silent or is_blank(character))


@lru_cache(1)
def _load_prototypes() -> Mapping[str, str]:
    """Return the character or the characters that each confusable character looks like."""
    # a large table, which only tournaments with titles need
    from confusable_homoglyphs.confusables import confusables_data

    alike = {
        text.strip(LEFT_TO_RIGHT_MARK): [other["c"].strip(LEFT_TO_RIGHT_MARK) for other in others]
        for text, others in confusables_data.items()
    }
    # in the list a prototype stands beside all that look like it, and these beside it alone
    return {
        text: max(text, others[0], key=lambda letter: (len(alike[letter]), letter))
        for text, others in alike.items()
        if len(others) == 1
    }
