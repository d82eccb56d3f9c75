"""How a match with people came out: for the store, and for the page of each who was there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from attrs import evolve, field, frozen

from arena import Seat, UserError, Zone, ZoneKind
from arena.host import Result
from arena.records import Spectator, parse_text
from arena.rules import seat_alone
from arena_web.matches.ends import VOID_END, build_finished_end, build_void_end
from arena_web.matches.finish import MatchFinish
from arena_web.matches.replay_steps import list_steps
from arena_web.play.chairs.chair import Chair
from arena_web.play.match.company import Company
from arena_web.play.sitting import Sitting
from arena_web.play.store.stored_tables import PersonResult, StoredResult
from arena_web.play.table_terms import PERSON
from arena_web.protocol.messages import MatchEnd, TableEnd


@frozen
class Ending:
    """The end of a match with people."""

    company: Company
    result: Result | None  #: if it could be hosted
    transcript: str
    finish: MatchFinish | None = field(init=False)  #: None of a void match
    sitting: Sitting = field(init=False)
    """The matches of these players, with this one if it counts."""

    @finish.default
    def _compute_finish(self) -> MatchFinish | None:
        return self.company.seating.compute_finish(self.result) if self.result else None

    @sitting.default
    def _extend_sitting(self) -> Sitting:
        before = self.company.seating.sitting
        if self.finish is None:
            return before
        return before.add({player.name: player.score for player in self.finish.players})

    @property
    def hint_counts(self) -> dict[str, int]:
        """The numbers of hints by the names of the people who took some."""
        return {
            self.company.show_name(chair): chair.hint_count
            for chair in self.company.people
            if chair.hint_count
        }

    def build_result(self) -> StoredResult:
        """Return the result of the match for the store: in all, and for each person."""
        players = self.finish.players if self.finish else ()
        return StoredResult(
            self.result.places if self.result else None,
            tuple([player.score for player in players]) or None,
            self.hint_counts,
            tuple(map(self._build_person_result, self.company.people)),
        )

    def _build_person_result(self, chair: Chair) -> PersonResult:
        """Return the result of a person, in all and against each opponent."""
        spec, seat = self.company.seating.spec, chair.seat
        sides = self.result.sides if self.result else seat_alone(len(spec.names))
        own = next(side for side in sides if seat in side)
        others = [other for other in range(len(spec.names)) if other not in own]
        places = self.result and self.result.places
        against: dict[str, list[int]] = {}
        for other in others:
            name, bot = spec.names[other], spec.bots[other]
            ahead = places[seat] - places[other] if places else 0
            against.setdefault(name if bot == PERSON else bot, []).append((ahead < 0) - (ahead > 0))
        end = self.describe(chair)
        return PersonResult.of(end.said, end.outcome, against)

    def list_hands(self) -> dict[str, Zone]:
        """Return the hands at the end of a match, and the cards on the table, as its replay does.

        A void match has no replay, and its hands stay hidden.
        """
        zones: dict[str, Zone | None] = {}
        if self.finish:
            with suppress(UserError):  # a board that cannot show all hands
                transcript, every = parse_text(self.transcript), Spectator.ALL
                for step in list_steps(transcript, [every], self.company.seating.names)[every]:
                    zones.update(step.shown.zones)
        return {
            key: zone
            for key, zone in zones.items()
            if zone and zone.kind in (ZoneKind.HAND, ZoneKind.TABLE) and zone.cards
        }

    def describe(self, reader: Chair | None) -> MatchEnd:
        """Return the end for a person or for spectators, with the hints that each player took."""
        end = self._build_end(None if reader is None else reader.seat)
        leavers = {self.company.show_name(chair) for chair in self.company.people if chair.has_left}
        several = self.sitting.matches > 1
        hints, sums = self.hint_counts, self.sitting.describe(self.company.seating.count)
        rows = [
            evolve(
                row,
                hints=hints.get(row.name, 0),
                total=sums.get(row.name) if several else None,
                verdict="left" if row.verdict and row.name in leavers else row.verdict,
            )
            for row in end.rows
        ]
        if reader and reader.departure and reader.has_left and rows:
            end = evolve(end, said=reader.departure.reason)
        return evolve(end, rows=rows)

    @property
    def _is_planned_single(self) -> bool:
        """Whether the match had one round, and not only because it ended early.

        Where a variant says how many rounds there are, that number has the name of the unit.
        """
        seating = self.company.seating
        planned = getattr(seating.spec.variant, f"{seating.game.unit}s", 1)
        return self.result is not None and self.result.outcome.rounds == planned == 1

    def _build_end(self, seat: Seat | None) -> MatchEnd:
        """Return the end for a seat or for spectators, as the host knows it."""
        if self.result is None:
            return VOID_END
        if self.finish is None:
            return build_void_end(self.result.outcome.detail)
        return build_finished_end(self.result.outcome.end, self.finish, seat)

    def build_message(
        self, reader: Chair | None, hands: Mapping[str, Zone], record: str | None = None
    ) -> MatchEnd:
        """Return the end as it is told: with the hands, and a person's record so far."""
        short = self._is_planned_single
        unit, matches = self.company.seating.game.unit, self.sitting.matches
        over = f"over {matches} {f'{unit}s' if short else 'matches'}" if matches > 1 else ""
        table = TableEnd(
            more=len(self.company.people) > 1,
            next_label=f"Next {unit}" if short else "",
            record=record,
            counted_over=over,
            hands=hands,
        )
        return evolve(self.describe(reader), table=table)
