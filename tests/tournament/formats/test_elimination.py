"""Elimination: brackets as they are known, and what may befall them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.deals import Deal, PlayedMatch
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.elimination import MAX_EXTRA_DEALS, Bracket, BracketTie, Elimination
from tests.support.tournaments.formats import FormatRun, build_ids, rank_by_chance


def build_elimination(entrants: int, losses: int = 1, games: int = 1, **terms: object) -> FormatRun:
    made = FormatTerms(2, initial_entrants=entrants, **terms)  # type: ignore[arg-type]
    return FormatRun(Elimination(losses, games), made, build_ids(entrants))


def list_stages(deals: list[Deal]) -> list[str]:
    return [*dict.fromkeys(deal.stage for deal in deals)]


def list_results(tournament: FormatRun) -> list[tuple[str, str]]:
    tournament.add_results()
    assert isinstance(tournament.format, Elimination)
    ranking = tournament.format.ranking(tournament.field, tournament.past, tournament.terms)
    return [(row.entrant.partition("@")[0], row.result) for row in ranking]


def count_losses(results: list[PlayedMatch]) -> Counter[str]:
    """Count the ties that each entrant has lost, where a tie is one match."""
    return Counter(
        entrant
        for played in results
        if played.places
        for entrant, place in zip(played.seats, played.places, strict=True)
        if place == 2
    )


def test_a_bracket_of_eight() -> None:
    """The best two can meet in the final only, and each meets one of the worst first."""
    tournament = build_elimination(8)
    assert list_stages(tournament.run()) == [
        "quarter-final: 1 v 8",
        "quarter-final: 4 v 5",
        "quarter-final: 2 v 7",
        "quarter-final: 3 v 6",
        "semi-final: 1 v 4",
        "semi-final: 2 v 3",
        "final: 1 v 2",
    ]
    assert list_results(tournament) == [
        ("e0", "winner"),
        ("e1", "final"),
        ("e2", "semi-final"),
        ("e3", "semi-final"),
        *((f"e{number}", "quarter-final") for number in range(4, 8)),
    ]


def test_a_double_bracket_of_four() -> None:
    """An entrant that lost once meets others that have, and then one that has just lost."""
    tournament = build_elimination(4, losses=2)
    assert list_stages(tournament.run()) == [
        "winners round 1: 1 v 4",
        "winners round 1: 2 v 3",
        "winners final: 1 v 2",
        "losers round 1: 3 v 4",
        "losers final: 2 v 3",
        "grand final: 1 v 2",
    ]
    assert list_results(tournament) == [
        ("e0", "winner"),
        ("e1", "grand final"),
        ("e2", "losers final"),
        ("e3", "losers round 1"),
    ]


def test_who_lost_before_must_win_the_grand_final_twice() -> None:
    """An entrant that has lost before has to win two grand finals."""
    tournament = build_elimination(2, losses=2)
    tournament.places = lambda deal, rotation: (  # noqa: ARG005
        (1, 2) if (deal.seats[0] == "e0@1") == deal.stage.startswith("winners") else (2, 1)
    )
    ended = ["winners final: 1 v 2", "grand final: 1 v 2", "second grand final: 1 v 2"]
    assert list_stages(tournament.run()) == ended
    assert list_results(tournament) == [("e1", "winner"), ("e0", "second grand final")]


@given(entrants=st.integers(2, 33), draw=st.randoms(use_true_random=False))
def test_in_double_elimination_nobody_is_out_before_two_losses(entrants: int, draw: object) -> None:
    """Each entrant but the winner loses two ties, whoever wins."""
    lost: Counter[int] = Counter()
    met: list[BracketTie] = []

    def decide(tie: BracketTie) -> int:
        assert max(lost[tie.first], lost[tie.second]) < 2
        winner = draw.choice([tie.first, tie.second])  # type: ignore[attr-defined]
        lost[tie.first + tie.second - winner] += 1
        met.append(tie)
        return int(winner)

    bracket = Bracket(decide)
    bracket.run_double(entrants)
    out = [loser for _, loser in bracket.out]
    assert sorted([bracket.winner, *out]) == [*range(1, entrants + 1)]
    assert all(lost[loser] == 2 for loser in out)
    assert lost[bracket.winner] == len(met) - 2 * (entrants - 1)
    assert lost[bracket.winner] in (0, 1)


def test_who_has_come_down_does_not_meet_the_same_again_at_once() -> None:
    """No pair of the winners' bracket meets again in the second round of losers."""
    tournament = build_elimination(16, losses=2)
    deals = tournament.run()
    before = {deal.stage.partition(": ")[2] for deal in deals if "winners" in deal.stage}
    after = {deal.stage.partition(": ")[2] for deal in deals if "losers round 2" in deal.stage}
    assert len(after) == 4
    assert not before & after


@pytest.mark.parametrize(("count", "rotations"), [(1, 1), (2, 1), (5, 1), (3, 2)])
def test_a_tie_is_so_many_deals(count: int, rotations: int) -> None:
    """A tie has the same number of deals for each pair, and the first seat alternates."""
    tournament = build_elimination(4, games=count, duplicate=rotations == 2)
    deals = tournament.next()
    assert Counter(deal.stage for deal in deals) == {
        "semi-final: 1 v 4": count,
        "semi-final: 2 v 3": count,
    }
    for entrant in tournament.field:
        assert abs(tournament.past.seatings[entrant, 0] - tournament.past.seatings[entrant, 1]) <= 1


def test_a_level_tie_is_played_on_then_the_better_seed_wins() -> None:
    """A level tie goes on deal by deal, with changing seats, up to the cap."""
    tournament = build_elimination(2, games=2)
    tournament.places = lambda deal, rotation: (1, 1)  # noqa: ARG005
    batches = []
    while deals := tournament.next():
        batches.append(len(deals))
    assert batches == [2] + [1] * MAX_EXTRA_DEALS
    assert tournament.past.seatings["e0@1", 0] == tournament.past.seatings["e0@1", 1]
    assert list_results(tournament) == [("e0", "winner"), ("e1", "final")]


def test_sudden_death_ends_with_the_first_who_wins() -> None:
    """A sudden death ends with its first win, here of the worse seed in the fourth deal."""
    tournament = build_elimination(2, games=2)
    tournament.places = lambda deal, rotation: (  # noqa: ARG005
        (1, 1) if deal.number < 3 else tuple(1 + (seat == "e0@1") for seat in deal.seats)
    )
    assert len(tournament.run()) == 4
    assert list_results(tournament) == [("e1", "winner"), ("e0", "final")]


def test_a_void_match_does_not_count() -> None:
    """A deal with a void match does not count; another one replaces it, up to the cap."""
    tournament = build_elimination(2, duplicate=True)
    tournament.places = lambda deal, rotation: (
        None if deal.number < 2 and rotation else (1, 2)[:: 1 - 2 * rotation]
    )
    assert len(tournament.run()) == 3
    tournament = build_elimination(2)
    tournament.places = lambda deal, rotation: None  # noqa: ARG005
    assert len(tournament.run()) == 1 + MAX_EXTRA_DEALS
    assert list_results(tournament)[0] == ("e0", "winner")


@pytest.mark.parametrize("twice", [1, 2])
def test_who_leaves_loses_by_walkover(twice: int) -> None:
    """An entrant that leaves keeps its wins, and nobody waits for it."""
    tournament = build_elimination(8, losses=twice)
    tournament.next()
    tournament.field.remove("e0@1")
    later = tournament.run()
    assert all("e0@1" not in deal.seats for deal in later)
    assert list_results(tournament)[0] == ("e1", "winner")
    assert dict(list_results(tournament))["e0"] == (
        "semi-final" if twice == 1 else "losers round 2"
    )


def test_a_walkover_stays_though_both_are_gone_later() -> None:
    """The matches that an entrant has played since show that it went on."""
    tournament = build_elimination(8)
    tournament.next()
    tournament.field.remove("e0@1")
    tournament.next()  # so e3 is in the final, against e1
    tournament.places = lambda deal, rotation: tuple(1 + (seat == "e1@1") for seat in deal.seats)  # noqa: ARG005
    assert list_stages(tournament.next()) == ["final: 2 v 4"]
    tournament.field.remove("e3@1")
    assert tournament.run() == []
    assert list_results(tournament)[:2] == [("e3", "winner"), ("e1", "final")]


def test_who_comes_later_does_not_come_in() -> None:
    """A late entrant and a new version wait for another tournament."""
    tournament = build_elimination(5)
    tournament.next()
    tournament.field += ["e9@1"]
    tournament.field[2] = "e2@2"
    tournament.run()
    assert tournament.past.plays["e9@1"] == 0
    assert list_results(tournament)[0] == ("e0", "winner")


def test_seeds_may_be_drawn() -> None:
    """Seeds may be drawn by lot, and stay as they were drawn."""
    drawn = set()
    for seed in "abcdef":
        tournament = build_elimination(6)
        tournament.format, tournament.seed = Elimination(seeding="drawn"), seed
        deals = tournament.run()
        assert len(list_stages(deals)) == 5
        drawn.add(tuple(deal.seats for deal in deals[:2]))
        assert list_results(tournament)[0] == ("e0", "winner")
    assert len(drawn) > 3


@given(
    entrants=st.integers(2, 12),
    twice=st.sampled_from([1, 2]),
    luck=st.floats(0.1, 5),
    gone=st.lists(st.integers(0, 11), max_size=6),
)
def test_a_bracket_ends_with_one_winner(
    entrants: int, twice: int, luck: float, gone: list[int]
) -> None:
    """A bracket has one winner, whoever leaves and whatever is void."""
    tournament = build_elimination(entrants, losses=twice)
    tournament.places = rank_by_chance(luck, void=0.1)
    for loser in gone:
        tournament.next()
        if len(tournament.field) > 2:
            tournament.field = [other for other in tournament.field if other != f"e{loser}@1"]
    tournament.run()
    ended = [fate for _, fate in list_results(tournament)]
    assert ended.count("winner") == 1
    assert "still in" not in ended


@pytest.mark.parametrize("order", [1, -1])
def test_who_left_in_the_same_round_shares_a_place(order: int) -> None:
    """Entrants that left in one round share a place and are listed by name, also before the final."""
    tournament = build_elimination(8)
    tournament.field = tournament.field[::order]
    for _ in range(2):
        tournament.next()
    tournament.add_results()
    ranking = tournament.format.ranking(tournament.field, tournament.past, tournament.terms)  # type: ignore[attr-defined]
    assert [row.place for row in ranking] == [1, 1, 3, 3, 5, 5, 5, 5]
    for equals in (ranking[:2], ranking[2:4], ranking[4:]):
        assert [row.entrant for row in equals] == sorted(row.entrant for row in equals)
