"""Single and double elimination."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from attrs import field as parameter
from attrs import frozen, validators

from arena.rules import UserError
from arena.tournament.formats.bracket import Bracket, BracketTie
from arena.tournament.formats.elimination_ties import TieLedger
from arena.tournament.formats.scoring import check_field
from arena.tournament.formats.seating import SeatingPlanner
from arena.tournament.models.schedule import FormatTerms, Id, PastMatches, Seating

IN, WON = "still in", "winner"


@frozen
class Elimination:
    """The loser of a tie is out or, with `losses=2`, the loser of two ties.

    Seeds are the order of entry, or drawn (`seeding="drawn"`). A tie is `games` deals, won by total
    points (win 1, draw 1/2); a deal counts only if none of its matches is void. If a tie is level,
    or too few of its deals count, up to 6 more deals are played one by one; then the better seed
    advances. An entrant that left loses by walkover, and so does a replaced version. A late entrant
    takes part only in the place of an entrant that left before its first tie.
    """

    losses: int = parameter(default=1, validator=validators.in_((1, 2)))
    games: int = parameter(default=1, validator=validators.ge(1))
    seeding: str = parameter(default="entry", validator=validators.in_(("entry", "drawn")))
    adaptive: ClassVar[bool] = True
    open: ClassVar[bool] = False

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError for tables of more than two, or if `matches` is set."""
        if terms.seats_per_match != 2:  # noqa: PLR2004
            raise UserError(f"elimination needs a table of 2, not of {terms.seats_per_match}")
        check_field(field, terms)
        if terms.matches is not None:
            raise UserError("elimination: set `games` (per tie) instead of `matches`")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Seating]:
        """Return the deals of all ties whose two entrants are known."""
        if self.seeding == "drawn" and not past.deals:
            field = draw.sample(field, len(field))
        ledger = TieLedger.of(field, past.results, self.games)
        planner = SeatingPlanner.after(past, terms, draw)
        for tie in self._fill_bracket(ledger).ties:
            _plan_tie(tie, ledger, planner)
        return planner.seatings

    def ranking(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms
    ) -> list[tuple[Id, str]]:
        """Return the entrants with the round in which each was eliminated, the best first.

        Entrants eliminated in the same round are sorted by seed. Entrants without a place in the
        bracket are left out.
        """
        ledger = TieLedger.of(field, past.results, self.games)
        bracket = self._fill_bracket(ledger)
        fates = {seed: WON if seed == bracket.winner else IN for seed in sorted(ledger.seeds)}
        names = [WON, IN, *(name for name, _ in reversed(bracket.out))]
        fates |= {seed: name for name, seed in bracket.out if seed in fates}
        order = sorted(fates, key=lambda seed: (names.index(fates[seed]), seed))
        return [(ledger.seeds[seed], fates[seed]) for seed in order]

    def _fill_bracket(self, ledger: TieLedger) -> Bracket:
        """Compute the bracket as far as results are known."""
        bracket = Bracket(ledger.decide)
        if ledger.entrants < 2:  # noqa: PLR2004
            return bracket
        if self.losses == 1:
            bracket.run_single(ledger.entrants)
        else:
            bracket.run_double(ledger.entrants)
        return bracket


def _plan_tie(tie: BracketTie, ledger: TieLedger, planner: SeatingPlanner) -> None:
    """Plan a tie's next deals; the entrant that was seated first less often comes first."""
    two = ledger.seeds[tie.first], ledger.seeds[tie.second]
    first = ledger.find_state(tie).first.copy()
    for _ in range(ledger.count_next_deals(tie)):
        seats = planner.choose_order(two)
        if first[seats[0]] > first[seats[1]]:
            seats = seats[::-1]
        planner.add(seats, ledger.name_stage(tie))
        first.update(seats[:1] if planner.terms.count_rotations(seats) == 1 else seats)
