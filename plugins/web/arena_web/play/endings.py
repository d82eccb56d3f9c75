"""How a match with people came out: for the store, and for the page of each who was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import evolve, frozen

from arena import UserError, Zone, ZoneKind
from arena.host import Result
from arena.records import Spectator, parse_text
from arena.rules import seat_alone
from arena_web.match_ends import VOID_END, build_end
from arena_web.match_finish import MatchFinish
from arena_web.messages import MatchEnd, TableEnd
from arena_web.play.chairs import Chair
from arena_web.play.seating import Seating
from arena_web.play.sitting import Sitting
from arena_web.play.store.stored_tables import PersonResult, StoredResult
from arena_web.play.table_terms import PERSON
from arena_web.replay_steps import list_steps


@frozen
class Ending:
    """The end of a match with people."""

    seating: Seating
    result: Result | None  #: if it could be hosted
    people: Sequence[Chair]  #: in the order of the setup
    transcript: str

    @property
    def has_places(self) -> bool:
        """Whether the match was played to its end; else it is void."""
        return bool(self.result and self.result.places)

    @property
    def sitting(self) -> Sitting:
        """The matches of these players, with this one if it counts."""
        before, scores = self.seating.setup.terms.sitting, self._scores
        return before.add(dict(zip(self.seating.names, scores, strict=True))) if scores else before

    @property
    def _scores(self) -> list[Any] | None:
        """The scores in seat order, None for a player with a verdict; None of a void match."""
        count = self.seating.spec.game.presentation.count
        finish = self.result and MatchFinish.of(self.result, self.seating.names, count)
        return [player.score for player in finish.players] if finish else None

    @property
    def hint_counts(self) -> dict[str, int]:
        """The numbers of hints by the names of the people who took some."""
        pairs = zip(self._names, self.people, strict=True)
        return {name: chair.hint_count for name, chair in pairs if chair.hint_count}

    @property
    def _names(self) -> list[str]:
        """The names of the people, as people read them."""
        seats = map(self.seating.find_seat, range(len(self.people)))
        return [self.seating.names[seat] for seat in seats]

    def build_result(self) -> StoredResult:
        """Return the result of the match for the store: in all, and for each person."""
        scores = self._scores
        return StoredResult(
            self.result.places if self.result else None,
            tuple(scores) if scores else None,
            self.hint_counts,
            tuple(map(self._build_person_result, range(len(self.people)))),
        )

    def _build_person_result(self, person: int) -> PersonResult:
        """Return the result of a person, in all and against each opponent."""
        spec, seat = self.seating.spec, self.seating.find_seat(person)
        sides = self.result.sides if self.result else seat_alone(len(spec.names))
        own = next(side for side in sides if seat in side)
        others = [other for other in range(len(spec.names)) if other not in own]
        places = self.result and self.result.places
        against: dict[str, list[int]] = {}
        for other in others:
            name, bot = spec.names[other], spec.bots[other]
            ahead = places[seat] - places[other] if places else 0
            against.setdefault(name if bot == PERSON else bot, []).append((ahead < 0) - (ahead > 0))
        end = self.describe(person)
        return PersonResult.of(end.said, end.outcome, against)

    def list_hands(self) -> dict[str, Zone]:
        """Return the hands at the end of a match, which the replay shows to everybody, too.

        A void match has no replay, and its hands stay hidden.
        """
        zones: dict[str, Zone | None] = {}
        if self.has_places:
            with suppress(UserError):  # a board that cannot show all hands
                transcript, every = parse_text(self.transcript), Spectator.ALL
                for step in list_steps(transcript, [every], self.seating.names)[every]:
                    zones.update(step.shown.zones)
        return {
            key: zone
            for key, zone in zones.items()
            if zone and zone.kind is ZoneKind.HAND and zone.cards
        }

    def describe(self, person: int | None) -> MatchEnd:
        """Return the end for a person or for spectators, with the hints that each player took."""
        names, result = self.seating.names, self.result
        seat = None if person is None else self.seating.find_seat(person)
        count = self.seating.spec.game.presentation.count
        end = build_end(result, seat, names, count) if result else VOID_END
        pairs = zip(self._names, self.people, strict=True)
        leavers, hints = {name for name, chair in pairs if chair.has_left}, self.hint_counts
        sums = self.sitting.describe(count) if self.sitting.matches > 1 else {}
        rows = [
            evolve(
                row,
                hints=hints.get(row.name, 0),
                total=sums.get(row.name),
                verdict="left" if row.verdict and row.name in leavers else row.verdict,
            )
            for row in end.rows
        ]
        chair = None if person is None else self.people[person]
        if chair and chair.departure and chair.has_left and rows:
            end = evolve(end, said=chair.departure.reason)
        return evolve(end, rows=rows)

    def build_message(
        self, person: int | None, hands: Mapping[str, Zone], record: str | None = None
    ) -> MatchEnd:
        """Return the end as it is told: with the hands, and a person's record so far."""
        short = self.result and self.result.outcome.rounds == 1
        unit, matches = self.seating.spec.game.unit, self.sitting.matches
        following = f"Next {unit}" if short else ""
        over = f"over {matches} {f'{unit}s' if short else 'matches'}" if matches > 1 else ""
        table = TableEnd(
            more=len(self.people) > 1,
            next_label=following,
            record=record,
            counted_over=over,
            hands=hands,
        )
        return evolve(self.describe(person), table=table)
