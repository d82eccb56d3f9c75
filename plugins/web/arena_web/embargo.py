"""What of a match may be seen by whom, and when: a list of what may, never of what may not.

The rotations of a deal share its hands. So what a match was played with is nobody's business
until the last of them is settled; who won, and how, is everybody's at once.

A seed that stands in a tournament's file may be short. From the seed of one deal, which its
transcripts hold, it could then be searched, and with it the hands of all that is to come: so
nothing of such a tournament is shown before all is played.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from arena.records import Line, Transcript, parse_text
from arena.tournament import Store
from arena.wires import dump
from arena_web.hidden import Unsaid, hidden_seats

VERDICT, ESCAPE = '"verdict"', "\\"
WAITING = "Its hands are shown when every rotation of its deal is over: they share them."


def is_public(store: Store, deal: int) -> bool:
    """May all be seen of this deal's matches?

    Yes, when each of its rotations is settled, and the tournament is not held back as a whole.
    """
    return not held_back(store) and store.settled(deal)


def held_back(store: Store) -> bool:
    """Is this a tournament whose seed could be searched while it goes on?"""
    return store.fact("tournament")["seed"] is not None and store.fact("over") is not True


def waiting(store: Store, deal: int) -> str:
    """Say what the hands of a deal wait for, in a line; nothing where they are public."""
    if held_back(store):
        return (
            "Its hands are shown when the whole tournament is over: its seed was given by hand,"
            " and could be searched from them."
        )
    return "" if store.settled(deal) else WAITING


@frozen
class Player:
    """Somebody in a match, as all may see it."""

    seat: int
    name: str
    version: str = ""
    place: int | None = None
    score: float | None = None
    seconds: float | None = None
    verdict: str = ""  # its kind
    detail: str = ""  # what the verdict says, which may quote a hand: only when that is public


@frozen
class Shown:
    """A match, as all may see it."""

    key: str
    game: str
    stage: str
    end: str
    rounds: int
    when: str
    players: tuple[Player, ...]
    public: bool  # may its hands be seen?
    recorded: bool  # was its transcript kept?
    waiting: str = ""  # for what, if its hands may not be seen yet

    @property
    def deal(self) -> int:
        """Return the deal's number."""
        return int(self.key.partition(".")[0])

    @property
    def verdicts(self) -> str:
        """Return who got which, in a line."""
        return ", ".join([f"{one.name}: {one.verdict}" for one in self.players if one.verdict])


def shown(
    packed: Mapping[str, Any],
    game: str,
    *,
    public: bool,
    waiting: str = "",
    hidden: Container[str] = (),
) -> Shown:
    """Return what may be seen of a match as the store has it, and for what the rest waits.

    Of those whose names are `hidden`, by what is shown in their place, nothing is quoted.
    """
    return Shown(
        packed["match"],
        game,
        packed["stage"],
        packed["outcome"],
        packed["rounds"],
        packed["when"],
        tuple(_player(one, public=public and one["name"] not in hidden) for one in packed["seats"]),
        public,
        packed["transcript"],
        waiting,
    )


def _player(packed: Mapping[str, Any], *, public: bool) -> Player:
    verdict = packed["verdict"] or {}
    return Player(
        packed["seat"],
        packed["name"],
        packed["version"],
        packed["place"],
        packed["score"],
        packed["seconds"],
        verdict.get("kind", ""),
        verdict.get("detail", "") if public else "",
    )


def recorded(transcript: Transcript, key: str) -> Shown:
    """Return what is to be seen of a match that is a transcript alone."""
    last: dict[str, Any] = {}
    verdicts: dict[int, Mapping[str, Any]] = {}
    for line in transcript.lines:
        match line.value:
            case {"outcome": dict(outcome)}:
                last = outcome
            case {"verdict": {"seat": int(seat)} as verdict}:
                verdicts[seat] = verdict
    places, scores = _listed(last.get("places")), _listed(last.get("scores"))
    players = tuple(
        Player(
            seat,
            name,
            place=_at(places, seat),
            score=_at(scores, seat),
            verdict=str(verdicts.get(seat, {}).get("kind", "")),
            detail=str(verdicts.get(seat, {}).get("detail", "")),
        )
        for seat, name in enumerate(transcript.header.names)
    )
    end, rounds = str(last.get("end", "cut off")), last.get("rounds")
    whole = rounds if isinstance(rounds, int) else 0
    return Shown(key, transcript.header.game, "", end, whole, "", players, True, True)


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _at(values: Sequence[Any], seat: int) -> Any:
    value = values[seat] if seat < len(values) else None
    return value if isinstance(value, (int, float)) else None


def published(transcript: Transcript, shown_as: Callable[[str], str] = str) -> Transcript:
    """Return a transcript as it may go out: a bot's name for its command, nobody's stderr.

    `shown_as` returns what is shown in place of a name that is hidden.
    """
    header = transcript.header
    names = tuple(map(shown_as, header.names))
    seats = [{"name": name, "bot": name} for name in names]
    first = dump({**json.loads(header.text), "seats": seats})
    lines = tuple(map(outgoing(header.names, names), transcript.lines))
    return Transcript(evolve(header, names=names, bots=names, text=first), lines)


def released(store: Store, deal: int, rotation: int) -> Transcript | None:
    """Return a match's transcript as it may go out; None where it may not, or none was kept.

    Raises Unreadable.
    """
    text = store.transcript(deal, rotation) if is_public(store, deal) else None
    if text is None:
        return None
    stored = parse_text(text.decode(), ahead=False)
    return published(stored, store.shown_as)


def outgoing(names: Sequence[str], shown: Sequence[str]) -> Callable[[Line], Line]:
    """Return what makes each line of a match, as they come in order, such as may go out.

    `shown` is what is shown in place of the names, in seat order.
    """
    hidden = hidden_seats(names, shown)
    if not hidden:
        return _without_errors
    unsaid = Unsaid(hidden)
    return lambda line: _without_errors(unsaid.line(line))


def _without_errors(line: Line) -> Line:
    """Return a line without what a program wrote to stderr, which is its author's business."""
    if VERDICT not in line.text and ESCAPE not in line.text:  # the key is not there, however spelt
        return line
    verdict = line.value.get("verdict")
    if not isinstance(verdict, dict):
        return line
    return Line(line.at, dump({**line.value, "verdict": {**verdict, "stderr": ""}}))
