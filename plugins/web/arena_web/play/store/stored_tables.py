"""What is kept of a table: its setup with what was drawn, its people, and its result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Self

from attrs import asdict, frozen

from arena import Seat
from arena_web.match_finish import SeatOutcome
from arena_web.play.seat_secrets import Secret
from arena_web.play.table_terms import TableTerms


@frozen
class StoredBot:
    """A bot at a table that is kept."""

    name: str  #: at the table
    bot: str  #: by which it is found again


@frozen(kw_only=True)
class StoredSetup:
    """The setup of a table as it is kept: all by their names, with what was drawn."""

    terms: TableTerms
    game: str
    variant: Mapping[str, Any]  #: the options, as the game writes them
    others: tuple[StoredBot, ...]
    partners: tuple[StoredBot, ...]  #: of the people
    seed: str | None  #: of the deal; None: nothing is dealt yet
    seating: tuple[int, ...]  #: the number of each seat's player, persons first
    names: tuple[str, ...]  #: of the players, in seat order

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a setup, which an earlier version of arena may have written."""
        packed = json.loads(text)
        return cls(
            terms=TableTerms.unpack(packed),
            game=packed["game"],
            variant=packed["variant"],
            others=tuple([StoredBot(*bot) for bot in packed["others"]]),
            partners=tuple([StoredBot(*bot) for bot in packed["partners"]]),
            seed=packed["seed"],
            seating=tuple(packed["seating"]),
            names=tuple(packed["names"]),
        )

    def to_json(self) -> str:
        """Return the setup as JSON."""
        packed = {
            "game": self.game,
            "variant": self.variant,
            "others": [(bot.name, bot.bot) for bot in self.others],
            "partners": [(bot.name, bot.bot) for bot in self.partners],
            "seed": self.seed,
            "seating": self.seating,
            "names": self.names,
            **self.terms.pack(),
        }
        return json.dumps(packed)

    def find_seat(self, player: int) -> Seat:
        """Return the seat of a player, by the number in the setup."""
        return self.seating.index(player)


OUTCOMES = {1: SeatOutcome.WON, 0: SeatOutcome.TIED, -1: SeatOutcome.LOST, None: None}
"""The outcomes by the numbers with which they are kept."""


@frozen
class PersonResult:
    """How a match came out for one of its people."""

    said: str  #: in a sentence
    outcome: SeatOutcome | None  #: of the match; None where it is void
    #: against each seat of an opponent, a bot or the name of a person: 1 is a win, -1 a loss
    against: Mapping[str, Sequence[int]]

    @classmethod
    def from_json(cls, packed: Mapping[str, Any]) -> Self:
        """Read a result; an earlier version of arena wrote one number for all seats of a bot."""
        against = packed["against"].items()
        seats = {name: [all_] if isinstance(all_, int) else all_ for name, all_ in against}
        return cls(packed["said"], OUTCOMES[packed["won"]], seats)

    def to_json(self) -> dict[str, Any]:
        """Return the result as it is kept."""
        numbers = {outcome: number for number, outcome in OUTCOMES.items()}
        return {"said": self.said, "won": numbers[self.outcome], "against": self.against}


@frozen
class StoredResult:
    """The result of a match as it is kept."""

    places: tuple[int, ...] | None  #: in seat order; None where the match is void
    scores: tuple[float | None, ...] | None  #: in seat order; None for a player with a verdict
    hints: Mapping[str, int]  #: how many people took, by their names as people read them
    persons: tuple[PersonResult, ...]  #: for each person, in the order of the setup

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a result, which an earlier version of arena may have written."""
        packed = json.loads(text)
        places, scores = packed["places"], packed["scores"]
        return cls(
            None if places is None else tuple(places),
            None if scores is None else tuple(scores),
            packed.get("hints", {}),
            tuple(map(PersonResult.from_json, packed["persons"])),
        )

    def to_json(self) -> str:
        """Return the result as JSON."""
        packed = asdict(self, recurse=False)
        return json.dumps({**packed, "persons": [person.to_json() for person in self.persons]})


@frozen
class KeptChair:
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
    chairs: Sequence[KeptChair]  #: of the persons, in the order of the setup

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
