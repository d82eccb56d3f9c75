"""The sentence of a review on what its moments are."""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from arena_web.review.results import Result

ALL_BEST = "None of your answers that are judged here cost you anything."
FAULTLESS = "You made no mistake."
UNSURE = "No single answer of yours clearly decided the match."
NO_CHOICE = "You had nothing to decide."
NO_ROUND = "No single round decided it."
NOTHING = "No single answer of yours, and no single round, clearly decided the match."
WORST_FIRST = ", the worst first"


class Kind(Enum):
    """What moments are: in words for one, and for several."""

    AHEAD = "The round in which you pulled ahead most", "The rounds in which you pulled ahead most"
    CHANGED = "The round that changed the score most", "The rounds that changed the score most"
    BEHIND = "The round in which you fell behind most", "The rounds in which you fell behind most"
    ONLY_ROUND = "What you chose", "What you chose"
    COSTLY = (
        "Your answer that cost you most",
        f"Your answers that cost you most{WORST_FIRST}",
    )
    MIXED = (
        "Your answer that cost you most",
        "Your answers that cost you most; those without figures may be chance",
    )
    MAYBE = (
        f"{UNSURE} This may have cost you something",
        f"{UNSURE} These may have cost you something",
    )
    LOSSES = (
        "Your answer that led to a loss",
        f"Your answers that led to a loss{WORST_FIRST}",
    )
    LOSSES_AND_COSTLY = (
        "Your answer that led to a loss",
        "Your answers that led to a loss, then others that cost you most, the worst of each first",
    )
    UNLUCKY = (
        "Your answer that led to a loss, though it was no mistake",
        "Your answers that led to a loss, though they were no mistakes",
    )
    MISTAKES = "You made a mistake", "You made {number} mistakes"
    MISTAKES_OF_WINNER = "You won, but made a mistake", "You won, but made {number} mistakes"

    @classmethod
    def of_score(cls, result: Result) -> Kind:
        """Return what the rounds are that changed the score most, after this result."""
        by_result = {Result.WON: cls.AHEAD, Result.TIED: cls.CHANGED, Result.LOST: cls.BEHIND}
        return by_result[result]


@frozen
class Summary:
    """What the moments of a review are, and how many."""

    kind: Kind | None = None  #: of the first ones
    number: int = 0  #: of them
    verdict: str = ""  #: a sentence before it
    costly: int = 0  #: answers behind them that cost points
    has_end: bool = False  #: whether the last moment is the end, told for itself

    @property
    def text(self) -> str:
        """The summary as sentences."""
        parts = []
        if self.kind and self.number:
            one, several = self.kind.value
            words = one if self.number == 1 else several
            parts.append(words.format(number=self.number))
        if self.costly and parts:
            parts.append(
                "then an answer of yours that cost you points"
                if self.costly == 1
                else f"then answers of yours that cost you points{WORST_FIRST}"
            )
        elif self.costly:
            parts.append(Kind.COSTLY.value[self.costly > 1])
        if self.has_end:
            parts.append("and how it ended" if parts else "How it ended")
        return f"{self.verdict} {', '.join(parts)}{':' * bool(parts)}".strip()
