"""The sentence of a review on what its moments are."""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from arena_web.protocol.messages import SeatOutcome

ALL_BEST = "None of your answers that are judged here cost you anything."
FAULTLESS = "You made no mistake."
UNSURE = "No single answer of yours clearly decided the match."
NO_CHOICE = "You had nothing to decide."
NO_ROUND = "No single {unit} decided it."
NOTHING = "No single answer of yours, and no single {unit}, clearly decided the match."


class Kind(Enum):
    """What moments are: in words for one, and for several."""

    AHEAD = (
        "The {unit} in which you gained most ground",
        "The {unit}s in which you gained most ground",
    )
    TURN = "The {unit} in which you took the lead for good", ""
    CHANGED = "The {unit} that changed the score most", "The {unit}s that changed the score most"
    BEHIND = (
        "The {unit} in which you lost most ground",
        "The {unit}s in which you lost most ground",
    )
    ONLY_ROUND = "What you chose", "What you chose"
    COSTLY = "Your answer that cost you most", "Your answers that cost you most"
    MIXED = (
        "Your answer that cost you most",
        "Your answers that cost you most; those without figures may be chance",
    )
    MAYBE = (
        f"{UNSURE} This may have cost you something",
        f"{UNSURE} These may have cost you something",
    )
    LOSSES = "Your answer that led to a loss", "Your answers that led to a loss"
    LOSSES_AND_COSTLY = (
        "Your answer that led to a loss",
        "Your answers that led to a loss, and others that cost you most",
    )
    UNLUCKY = (
        "Your answer that led to a loss, though it was no mistake",
        "Your answers that led to a loss, though they were no mistakes",
    )
    MISTAKES = "You made a mistake", "You made {number} mistakes"
    MISTAKES_OF_WINNER = "You won, but made a mistake", "You won, but made {number} mistakes"

    @classmethod
    def of_score(cls, outcome: SeatOutcome) -> Kind:
        """Return what the rounds are that changed the score most, after this outcome."""
        return {
            SeatOutcome.WON: cls.AHEAD,
            SeatOutcome.TIED: cls.CHANGED,
            SeatOutcome.LOST: cls.BEHIND,
        }[outcome]


RANKED = {Kind.BEHIND, Kind.COSTLY, Kind.MIXED, Kind.LOSSES}
"""What the moments are where the first of them is the worst."""


@frozen
class Summary:
    """What the moments of a review are, and how many."""

    kind: Kind | None = None  #: of the first ones
    number: int = 0  #: of them
    verdict: str = ""  #: a sentence before it
    costly: int = 0  #: further answers, that cost something
    has_end: bool = False  #: whether the last moment is the end, told for itself
    unit: str = "round"  #: what the game calls a round

    @property
    def is_ranked(self) -> bool:
        """Whether the first of the moments is the worst."""
        return self.number > 1 and self.kind in RANKED

    @property
    def text(self) -> str:
        """The summary as sentences."""
        parts = []
        if self.kind and self.number:
            one, several = self.kind.value
            words = one if self.number == 1 else several
            parts.append(words)
        if self.costly and parts:
            parts.append(
                "and an answer of yours that cost you something"
                if self.costly == 1
                else "and answers of yours that cost you something"
            )
        elif self.costly:
            parts.append(Kind.COSTLY.value[self.costly > 1])
        if self.has_end:
            parts.append("and how it ended" if parts else "How it ended")
        text = f"{self.verdict} {', '.join(parts)}{':' * bool(parts)}".strip()
        return text.format(number=self.number, unit=self.unit)
