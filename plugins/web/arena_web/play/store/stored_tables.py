"""What is kept of a table: its setup with what was drawn, its people, and its result."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from attrs import field, frozen

from arena import Seat
from arena_web.play.seat_secrets import Secret
from arena_web.play.table_terms import PERSON, TableTerms
from arena_web.protocol.json_format import INLINE
from arena_web.protocol.messages import SeatOutcome


class StoredBot(NamedTuple):
    """A bot at a table that is kept."""

    name: str  #: at the table
    bot: str  #: by which it is found again


@frozen(kw_only=True)
class StoredSetup:
    """The setup of a table as it is kept: all by their names, with what was drawn."""

    game: str
    variant: Mapping[str, Any]  #: the options, as the game writes them
    others: tuple[StoredBot, ...]
    partners: tuple[StoredBot, ...]  #: of the people
    seed: str | None  #: of the deal; None: nothing is dealt yet
    seating: tuple[int, ...]  #: the number of each seat's player, persons first
    names: tuple[str, ...]  #: of the players, in seat order
    bots: tuple[str, ...]  #: what each of them is, in seat order; `PERSON` for a person
    terms: TableTerms = field(metadata=INLINE)

    @classmethod
    def read(cls, packed: Mapping[str, Any]) -> Self:
        """Return the setup with this JSON, which an earlier version of arena may have written."""
        terms = TableTerms.read(packed)
        others = tuple([StoredBot(*bot) for bot in packed["others"]])
        partners = tuple([StoredBot(*bot) for bot in packed["partners"]])
        seating, names = packed["seating"], packed["names"]
        people = [names[seat] for seat, player in enumerate(seating) if player < len(terms.persons)]
        bots = packed["bots"] if "bots" in packed else find_bots(names, people, others + partners)
        return cls(
            game=packed["game"],
            variant=packed["variant"],
            others=others,
            partners=partners,
            seed=packed["seed"],
            seating=tuple(seating),
            names=tuple(names),
            bots=tuple(bots),
            terms=terms,
        )

    def find_seat(self, player: int) -> Seat:
        """Return the seat of a player, by the number in the setup."""
        return self.seating.index(player)


MAX_NUMBERED_LENGTH = 28  # characters of a name to which a number was added


def find_bots(
    names: Sequence[str], people: Container[str], bots: Iterable[StoredBot]
) -> Iterator[str]:
    """Yield the bots of a table whose setup was kept without them, or `PERSON`, in seat order.

    A bot is known by its name, without the number that tells equal names apart.

    >>> bots = [StoredBot("low", "Ordered"), StoredBot("low", "Ordered")]
    >>> [*find_bots(["Ada_Lovelace", "low", "low_2"], ["Ada_Lovelace"], bots)]
    ['player', 'Ordered', 'Ordered']
    """
    by_name = {bot.name: bot.bot for bot in bots}
    stems = {name[:MAX_NUMBERED_LENGTH] for name in names}
    for name in names:
        numbered = re.fullmatch(r"(.+)_\d+", name)
        stem = numbered[1] if numbered and numbered[1] in stems else name
        yield PERSON if name in people else by_name.get(stem, PERSON)


OUTCOMES = {1: SeatOutcome.WON, 0: SeatOutcome.TIED, -1: SeatOutcome.LOST}
"""The outcomes by the numbers with which they are kept."""
NUMBERS = {outcome: number for number, outcome in OUTCOMES.items()}


@frozen
class PersonResult:
    """How a match came out for one of its people."""

    said: str  #: in a sentence
    won: int | None  #: 1, or 0 for a tie, -1 for a loss; None where the match is void
    #: against each seat of an opponent, a bot or the name of a person: 1 is a win, -1 a loss
    against: Mapping[str, Sequence[int]]

    @classmethod
    def of(
        cls, said: str, outcome: SeatOutcome | None, against: Mapping[str, Sequence[int]]
    ) -> Self:
        """Return the result with this outcome of the match; None where it is void."""
        return cls(said, None if outcome is None else NUMBERS[outcome], against)

    @property
    def outcome(self) -> SeatOutcome | None:
        """The outcome of the match; None where it is void."""
        return None if self.won is None else OUTCOMES[self.won]

    @classmethod
    def read(cls, packed: Mapping[str, Any]) -> Self:
        """Return the result with this JSON.

        An earlier version of arena wrote one number for all seats of a bot.
        """
        against = packed["against"].items()
        seats = {name: [all_] if isinstance(all_, int) else all_ for name, all_ in against}
        return cls(packed["said"], packed["won"], seats)


@frozen
class StoredResult:
    """The result of a match as it is kept."""

    places: tuple[int, ...] | None  #: in seat order; None where the match is void
    scores: tuple[float | None, ...] | None  #: in seat order; None for a player with a verdict
    hints: Mapping[str, int]  #: how many people took, by their names as people read them
    persons: tuple[PersonResult, ...]  #: for each person, in the order of the setup

    @classmethod
    def read(cls, packed: Mapping[str, Any]) -> Self:
        """Return the result with this JSON, which an earlier version of arena may have written."""
        places, scores = packed["places"], packed["scores"]
        return cls(
            None if places is None else tuple(places),
            None if scores is None else tuple(scores),
            packed.get("hints", {}),
            tuple(map(PersonResult.read, packed["persons"])),
        )


@frozen
class StoredChair:
    """A person's chair at a table that is kept."""

    secret: Secret
    hints: int = 0  #: how many the person took
    standing: str = ""  #: the label of the answer that is given unasked, if there is one


@frozen
class StoredTable:
    """A table that is kept."""

    key: str
    address: str  #: from where it was set up
    opened: float  #: seconds since 1970
    changed: float  #: seconds since 1970 at its last answer
    setup: StoredSetup
    result: StoredResult | None  #: once the match is over
    chairs: Sequence[StoredChair]  #: of the persons, in the order of the setup

    @property
    def secrets(self) -> list[Secret]:
        """The secrets of the persons, in the order of the setup."""
        return [chair.secret for chair in self.chairs]

    @property
    def is_waiting(self) -> bool:
        """Whether its people still wait for each other: nothing is dealt, or friends may come."""
        return self.setup.seed is None or self.setup.terms.invites


@frozen
class OwnGame:
    """A game in a visitor's list: a table at which the visitor has a seat."""

    key: str  #: of the table
    opened: float  #: seconds since 1970
    changed: float  #: seconds since 1970 at the last answer
    setup: StoredSetup
    result: StoredResult | None  #: once the match is over
    secret: Secret  #: of the visitor's seat
    person: int  #: the number of the visitor among the persons at the table
    hints: int  #: how many the visitor took
