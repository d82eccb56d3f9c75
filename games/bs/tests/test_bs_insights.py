"""What is observed of the playing style of BS."""

from __future__ import annotations

import json
from collections.abc import Mapping

from arena import Observation
from arena.host import play_match
from arena_bs.insights import observe_turns


def player(seat: int) -> dict[str, object]:
    return {"seat": seat, "nickname": f"p{seat}", "number": seat}


def turn(
    rank: str, cards: list[str], words: list[str], *, hand: int = 4, fallback: int = -1,
    held: Mapping[int, list[str]] | None = None,
) -> list[dict[str, object]]:  # fmt: skip
    """Return a turn of seat 0, who lays these cards, and what seats 1 and 2 declare."""
    callers = [player(seat) for seat, word in enumerate(words, 1) if word == "BS"]
    players = [[player(0), hand], [player(1), 9], [player(2), 9]]
    return [
        {"to": None, "event": {"tell": "Turn", "players": players, "rank": rank}},
        *(
            {"to": seat, "event": {"tell": "Hand", "cards": own}}
            for seat, own in (held or {}).items()
        ),
        {"from": 0, "answer": cards, "fallback": fallback == 0},
        {"from": 0, "answer": "Pass", "fallback": False},
        *(
            {"from": seat, "answer": word, "fallback": fallback == seat}
            for seat, word in enumerate(words, 1)
        ),
        {"to": None, "event": {"tell": "Called", "players": callers}},
    ]


def test_turns_show_bluffs_and_calls() -> None:
    """Who bluffs with which hand, who is caught, and whose calls are right."""
    found = [
        *observe_turns(
            [
                {},
                *turn("3", ["QH", "3S"], ["Pass", "BS"]),
                *turn("4", ["4H"], ["BS", "Pass"], hand=30),
                {"to": 1, "event": {"tell": "PileTaken", "cards": ["QH", "3S", "4H"]}},
            ]
        )
    ]
    values = [(seen.seat, seen.key, float(seen.value), seen.x) for seen in found]
    chances = ("calls", "calls_by_count", "lies_called", "truths_called")
    assert [seen for seen in values if seen[1] not in chances] == [
        (0, "bluffs", 1, ""),
        (0, "bluffs_by_hand", 1, "4-5"),
        (0, "caught", 1, ""),
        (2, "right", 1, ""),
        (0, "bluffs", 0, ""),
        (0, "bluffs_by_hand", 0, "21 or more"),
        (0, "doubted", 1, ""),
        (1, "right", 0, ""),
        (1, "pile", 3, ""),
    ]
    assert [seen for seen in values if seen[1] == "calls_by_count"] == [
        (1, "calls_by_count", 0, 2), (2, "calls_by_count", 1, 2),
        (1, "calls_by_count", 1, 1), (2, "calls_by_count", 0, 1),
    ]  # fmt: skip


def test_hands_tell_which_bluffs_are_needless_and_which_are_certain() -> None:
    """Who holds the rank need not bluff; who holds too many cards of it knows of the bluff."""
    held = {0: ["3S", "QH", "JH", "KH"], 1: ["3C", "3D", "4H"], 2: ["3H", "5H"]}
    turns = [
        *turn("3", ["QH", "JH", "KH"], ["BS", "BS"], held=held),
        *turn("9", ["QH"], ["Pass", "BS"], held=held),
        *turn("3", ["3S"], ["Pass", "BS"], held=held),
    ]
    found = [*observe_turns([{}, *turns])]
    keys = ("needless", "certain_called", "lies_called", "truths_called")
    assert {
        key: [(seen.seat, float(seen.value)) for seen in found if seen.key == key] for key in keys
    } == {
        "needless": [(0, 1), (0, 0)],
        "certain_called": [(1, 1)],
        "lies_called": [(1, 1), (2, 1), (1, 0), (2, 1)],
        "truths_called": [(1, 0), (2, 1)],
    }


def test_the_fallback_bot_is_not_observed() -> None:
    """Neither its plays nor its calls say anything about the player that it replaces."""
    for seat in (0, 1):
        found = observe_turns([{}, *turn("3", ["QH"], ["BS", "Pass"], fallback=seat)])
        assert seat not in {observed.seat for observed in found}


def test_figures_agree_with_what_the_rules_judge() -> None:
    """In whole matches as many bluffs are caught, calls right and cards taken as are announced."""
    caught = doubted = right = calls = piles = cards = 0
    seen: list[Observation] = []
    for seed in range(3):
        bots = ["liar", "caller", "honest", "counter"]
        transcript = play_match("bs", bots, seed=f"{seed}").transcript
        lines = [json.loads(line) for line in transcript.text.splitlines()]
        seen += observe_turns(lines)
        callers = 0
        for event in (line["event"] for line in lines[1:] if "event" in line):
            match event:
                case {"tell": "Called", "players": players}:
                    callers = len(players)
                    calls += callers
                case {"tell": "Judged", "bluffing": bluffing} if callers:
                    caught += bluffing
                    doubted += not bluffing
                    right += callers * bluffing
                case {"tell": "PileTaken", "cards": taken}:
                    piles, cards = piles + 1, cards + len(taken)
    sums = {
        key: sum(found.value for found in seen if found.key == key)
        for key in ("caught", "doubted", "calls", "right", "pile")
    }
    expected = {"caught": caught, "doubted": doubted, "calls": calls, "right": right, "pile": cards}
    assert sums == expected
    assert min(expected.values()) > 0
    assert sum(found.key == "pile" for found in seen) == piles
