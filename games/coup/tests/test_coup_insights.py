"""What is observed of the playing style of Coup."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from arena import Observation
from arena.host import play_match
from arena_coup.insights import STATISTICS, observe_claims

Line = Mapping[str, Any]
HANDS = (("Captain", "Contessa"), ("Duke", "Captain"), ("Assassin", "Assassin"))


def told(**event: Any) -> Line:
    return {"to": None, "event": event}


def answered(seat: int, answer: str, *, fallback: int, **question: Any) -> list[Line]:
    return [
        {"to": seat, "question": question},
        {"from": seat, "answer": answer, "fallback": seat == fallback},
    ]


def steal(*, fallback: int = -1) -> Sequence[Line]:
    """Return a match of one turn: seat 0 steals from seat 1, which blocks as the Ambassador.

    Seat 0 has a Captain, and nobody challenges it. The block is a bluff, which seat 2 challenges.
    """
    doubts = [
        *answered(0, "steal:1", fallback=fallback, ask="ChooseAction"),
        told(tell="Acted", seat=0, action="steal:1"),
    ]
    for seat in (1, 2):
        doubts += answered(
            seat, "allow", fallback=fallback, ask="Challenge", claimant=0, character="Captain"
        )
    doubts += answered(1, "Ambassador", fallback=fallback, ask="Block")
    doubts.append(told(tell="Blocked", seat=1, character="Ambassador"))
    for seat, word in ((0, "allow"), (2, "challenge")):
        doubts += answered(
            seat, word, fallback=fallback, ask="Challenge", claimant=1, character="Ambassador"
        )
    return [
        {"seats": [{}, {}, {}]},
        *(
            {"to": seat, "event": {"tell": "Hand", "cards": hand}}
            for seat, hand in enumerate(HANDS)
        ),
        *doubts,
        told(tell="Challenged", seat=2, claimant=1, character="Ambassador"),
        told(tell="Settled", seat=0, action="steal:1", succeeded=True),
    ]


def test_claims_are_bluffs_or_honest_by_the_hand() -> None:
    """The steal is honest and believed; the block is a bluff, and seat 2 challenges it rightly."""
    seen = [found for found in observe_claims(steal()) if found.key != "actions"]
    assert [(found.seat, found.key, float(found.value), found.x) for found in seen] == [
        (1, "challenges", 0, ""),
        (2, "challenges", 0, ""),
        (1, "blocks", 1, ""),
        (0, "bluffs", 0, ""),
        (0, "bluffs_by_claim", 0, "Captain"),
        (0, "doubted", 0, ""),
        (0, "challenges", 0, ""),
        (0, "lies_challenged", 0, ""),
        (2, "challenges", 1, ""),
        (2, "right", 1, ""),
        (2, "lies_challenged", 1, ""),
        (1, "bluffs", 1, ""),
        (1, "bluffs_by_claim", 1, "Ambassador"),
        (1, "caught", 1, ""),
        (0, "coups", 0, ""),
        (1, "coups", 0, ""),
        (2, "coups", 0, ""),
    ]


def test_the_fallback_bot_is_not_observed() -> None:
    """Nothing that it claims, challenges or does says anything about the player it replaces."""
    for seat in range(3):
        found = [*observe_claims(steal(fallback=seat))]
        assert {observed.seat for observed in found} == {0, 1, 2} - {seat}


def test_figures_agree_with_what_is_announced() -> None:
    """In whole matches as many claims are challenged and coups launched as are announced."""
    seen: list[Observation] = []
    challenged = coups = 0
    for seed in range(4):
        bots = ["random", "counter", "random"]
        text = play_match("coup", bots, seed=f"{seed}").transcript.text
        lines = [json.loads(line) for line in text.splitlines()]
        seen += observe_claims(lines)
        for event in (line["event"] for line in lines[1:] if "event" in line):
            challenged += event["tell"] == "Challenged"
            coups += event["tell"] == "Acted" and event["action"].startswith("coup")
    sums = {
        statistic.key: sum(found.value for found in seen if found.key == statistic.key)
        for statistic in STATISTICS
    }
    assert sums["caught"] + sums["doubted"] == challenged > 0
    assert sums["coups"] == coups > 0
    assert sums["bluffs"] == sums["bluffs_by_claim"] > 0
    assert {found.key for found in seen} == {statistic.key for statistic in STATISTICS}
