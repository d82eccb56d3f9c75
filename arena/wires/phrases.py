"""Phrases for narrators: sentences about players, one of whom may be the reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from arena.rules import Seat, join_words
from arena.wires.view import Mark, MarkedLine

YOU = "you"
IRREGULAR_VERBS = {"be": ("are", "is"), "have": ("have", "has"), "do": ("do", "does")}
SIBILANTS = ("s", "x", "z", "ch", "sh")


@frozen
class Phrases:
    """Phrases about the players of a match, which call the reader `you`.

    They are for the middle of a sentence; `begin_sentence` writes `You` at its beginning.

    >>> phrases = Phrases(["Ann", "Bob", "Cleo"], you=1)
    >>> f"{phrases.clause('pass', 0)} a card to {phrases.name(1)}."
    'Ann passes a card to you.'
    >>> phrases.join(phrases.reader_first), phrases.possessive(1)
    ('you, Ann and Cleo', 'your')
    """

    names: Sequence[str]  #: of the players, in seat order
    you: Seat | None = None  #: the seat of the reader; None: a spectator

    @property
    def reader_first(self) -> list[Seat]:
        """All seats, that of the reader first."""
        return sorted(range(len(self.names)), key=lambda seat: seat != self.you)

    def name(self, seat: Seat) -> str:
        """Return the name of a player, or `you`."""
        return YOU if seat == self.you else self.names[seat]

    def join(self, seats: Iterable[Seat]) -> str:
        """Return the names of players, in this order: `Ann, Bob and you`."""
        return join_words(map(self.name, seats))

    def possessive(self, seat: Seat) -> str:
        """Return the possessive of a player's name: `your`, or `Ann's`."""
        return "your" if seat == self.you else f"{self.names[seat]}'s"

    def verb(self, verb: str, *seats: Seat) -> str:
        """Return a verb in the present, with the ending for these players as its subject."""
        plural, singular = IRREGULAR_VERBS.get(verb) or (verb, add_ending(verb))
        return plural if len(seats) > 1 or self.you in seats else singular

    def clause(self, verb: str, *seats: Seat) -> str:
        """Return the subject and the verb of a sentence: `you win`, `Ann and Bob win`."""
        return f"{self.join(seats)} {self.verb(verb, *seats)}"

    def list_values(self, values: Iterable[object]) -> str:
        """List the values of all players in seat order: `you 3, Ann 12`."""
        return ", ".join(f"{self.name(seat)} {value}" for seat, value in enumerate(values))

    def mark_good(self, line: str, *seats: Seat) -> str:
        """Return a line that is good news for these players, and bad news for all others."""
        return self._mark(line, good=self.you in seats)

    def mark_bad(self, line: str, *seats: Seat) -> str:
        """Return a line that is bad news for these players, and good news for all others."""
        return self._mark(line, good=self.you not in seats)

    def _mark(self, line: str, *, good: bool) -> str:
        """Return a line with its mark; a spectator has no good or bad news."""
        return line if self.you is None else MarkedLine(line, Mark.WON if good else Mark.LOST)


def add_ending(verb: str) -> str:
    """Return a regular verb in the third person.

    >>> add_ending("take"), add_ending("pass"), add_ending("play"), add_ending("carry")
    ('takes', 'passes', 'plays', 'carries')
    """
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}{'es' if verb.endswith(SIBILANTS) else 's'}"


def begin_sentence(text: str) -> str:
    """Return a sentence with a capital letter if it begins with `you`.

    Names of players stay as they are: they may begin with a small letter.

    >>> begin_sentence("you bid the king."), begin_sentence("ann bids the king.")
    ('You bid the king.', 'ann bids the king.')
    """
    capital = "Y" + text[1:] if text.startswith((f"{YOU} ", f"{YOU},")) else text
    return MarkedLine(capital, text.mark) if isinstance(text, MarkedLine) else capital
