"""What a table tells: to who watches, what is announced; to all, how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.host import Result
from arena.plugins import MatchSpec, Observer
from arena.records import Eye, Spectator, Step, number
from arena.rules import End, Fault, Outcome, Seat, Verdict, spoken_list
from arena.wires import printable
from arena_web.chairs import Chair
from arena_web.feeds import STEPS, Feed
from arena_web.player import Closed

OUT = {Fault.TIMEOUT: "Your time has run out.", Fault.CRASHED: "You have left the table."}
GOES_ON = "The fallback bot plays your seat on."


class Telling(Observer):
    """Shows a match to who watches, and a person why it goes on without them."""

    def __init__(self, spec: MatchSpec, feed: Feed, chairs: Mapping[Seat, Chair]) -> None:
        self._eye = Eye(spec.game, spec.variant, spec.names, Spectator.PUBLIC)
        self._feed, self._chairs = feed, chairs
        self._show(self._eye.begin())

    def told(self, seat: Seat | None, event: Any) -> None:
        """Show what is announced."""
        if any(chair.closed for chair in self._chairs.values()):
            raise Closed("the server has ended")
        self._show(self._eye.told(seat, event))

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Show a verdict; a person is told what it means."""
        self._show(self._eye.failed(seat, verdict))
        if chair := self._chairs.get(seat):
            words = OUT.get(verdict.kind, f"A verdict: {verdict.kind}, {verdict.detail}.")
            chair.asked = 0
            chair.feed.put("out", {"kind": verdict.kind, "why": printable(words), "then": GOES_ON})

    def ended(self, outcome: Outcome) -> None:
        """Show how it came out."""
        self._show(self._eye.ended(outcome))

    def _show(self, step: Step) -> None:
        if step:
            self._feed.put(STEPS, [step.packed])


def introduction(
    key: str,
    game: str,
    names: Sequence[str],
    variant: Mapping[str, Any],
    *,
    seat: Seat | None = None,
    clock: float | None = None,
) -> dict[str, Any]:
    """Return what is told of a match before it begins, to a seat or (None) who watches.

    `clock` is the seconds that a person has for each answer.
    """
    about = {"key": key, "game": game, "names": [*names], "variant": {**variant}}
    return {**about, "seat": seat, "clock": clock}


def void() -> dict[str, Any]:
    """Return the end of a match that could not be hosted to its end."""
    return {"end": End.VOID, "said": "The match is void.", "won": None, "rows": []}


def ending(result: Result, seat: Seat | None) -> dict[str, Any]:
    """Return how a match ended, as one seat is told it, or (None) who watches."""
    places, scores, names = result.places, result.scores, result.names
    if places is None or scores is None:
        return {**void(), "said": f"The match is void: {printable(result.outcome.detail)}"}
    kinds = [verdict.kind if verdict else "" for verdict in result.verdicts]
    return ended(result.outcome.end, names, places, scores, kinds=kinds, seat=seat)


def ended(
    end: str,
    names: Sequence[str],
    places: Sequence[int],
    scores: Sequence[Any],
    *,
    kinds: Sequence[str] = (),
    seat: Seat | None = None,
) -> dict[str, Any]:
    """Return the end of a match that has places, for one seat or who watches.

    There is a row for each player, the best first; `kinds` are those of their verdicts.
    """
    best = [one for one, place in enumerate(places) if place == 1]
    rows = [
        {
            "place": places[one],
            "name": names[one],
            "score": number(scores[one]),
            "verdict": kinds[one] if kinds else "",
            "you": one == seat,
        }
        for one in sorted(range(len(names)), key=places.__getitem__)
    ]
    won = None if seat is None else seat in best
    return {"end": end, "said": said(names, best, seat), "won": won, "rows": rows}


def said(names: Sequence[str], best: list[Seat], seat: Seat | None) -> str:
    """Say who won.

    >>> said(("ann", "bob", "eve"), [0], 1), said(("ann", "bob"), [0, 1], 1)
    ('ann wins.', 'A tie: you and ann are equal.')
    """
    if best == [seat]:
        return "You win."
    if len(best) == 1:
        return f"{names[best[0]]} wins."
    others = [names[one] for one in best if one != seat]
    return f"A tie: {spoken_list(['you'] * (seat in best) + others)} are equal."
