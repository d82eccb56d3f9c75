"""The steps of a replay, which are seen one after the other through one of several eyes.

In each step something happens: something is said, or somebody plays, gets or gives away cards. What
only writes anew what is beside the cards, turns or sorts them, is seen with what happens next.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from attrs import evolve

from arena import Game, UserError, Zone, ZoneKind
from arena.plugins import get_plugins
from arena.records import MatchStep, Replayer, Spectator, Transcript, Viewer
from arena.wires import to_printable
from arena_web.matches.rounds import list_rounds
from arena_web.protocol.replies import Eye, ReplayStep, ReplaySteps

SPECTATOR_EYES = (
    Eye(Spectator.ALL.value, "all cards"),
    Eye(Spectator.PUBLIC.value, "public information"),
)


def list_eyes(names: Sequence[str]) -> list[Eye]:
    """Return the eyes through which a match of these players can be seen, by seats."""
    seats = [Eye(str(seat), to_printable(name)) for seat, name in enumerate(names)]
    return [*SPECTATOR_EYES, *seats]


def build_replay(
    transcript: Transcript,
    eye: str = Spectator.ALL,
    names: Sequence[str] | None = None,
    *,
    weighed: bool = False,
) -> ReplaySteps:
    """Return the steps that the eye with a key sees; `names` replace those of the transcript.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    labels = names or transcript.header.names
    steps = list_steps(transcript, [eye], labels, weighed=weighed)[eye]
    return ReplaySteps([to_printable(name) for name in labels], steps)


def list_steps(
    transcript: Transcript,
    eyes: Sequence[str],
    names: Sequence[str] | None = None,
    *,
    weighed: bool = False,
) -> dict[str, list[ReplayStep]]:
    """Return the steps that each of several eyes sees by its key, reading each line once.

    Turning points have the `weight` of their round where one may see all, or if they are `weighed`.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    viewers = [parse_eye(eye, transcript.seats) for eye in eyes]
    game = get_plugins().find_game(transcript.header.game)
    replayer = Replayer.of(game, transcript.header, viewers, names, page=True)
    seen = [[step] for step in replayer.begin()]
    for line in transcript.lines:
        for steps, step in zip(seen, replayer.take(line), strict=False):
            if step:
                steps.append(step)
    weigh: Callable[[int], float] | None = None
    if weighed or Spectator.ALL in viewers:  # it takes the answers of all
        weigh = _weigh_rounds(game, transcript)
    return {
        eye: [
            ReplayStep(step, weigh(step.line) if weigh and step.turn else None)
            for step in _join_steps(steps)
        ]
        for eye, steps in zip(eyes, seen, strict=True)
    }


def _join_steps(steps: Sequence[MatchStep]) -> Iterator[MatchStep]:
    """Yield the steps in which something happens, each with what changed unseen before it."""
    zones: dict[str, Zone | None] = {}
    unseen: dict[str, Zone | None] = {}
    last = len(steps) - 1
    for at, step in enumerate(steps):
        unseen |= step.zones
        told = step.words or step.bad or step.turn or at in (0, last)
        if told or any(_moves_cards(zone, zones.get(key)) for key, zone in unseen.items()):
            yield evolve(step, zones=unseen)
            zones, unseen = zones | unseen, {}


def _moves_cards(zone: Zone | None, before: Zone | None) -> bool:
    """Whether a seat lays cards here, or a hand has others than before."""
    if zone is None:
        return False
    has, had = Counter(zone.cards), Counter(before.cards if before else ())
    return bool(has - had and zone.seats) or (zone.kind is ZoneKind.HAND and has != had)


def _weigh_rounds(game: Game, transcript: Transcript) -> Callable[[int], float]:
    """Return a function from a line to how many points changed hands in its round."""
    try:
        rounds = list_rounds(game, transcript)
    except UserError:  # shown, but not as a match
        return lambda _: 0.0
    answers = [line.number for line in transcript.lines if isinstance(line.value.get("from"), int)]
    ends = [round_.end for round_ in rounds[1:]]
    changes = [
        sum(abs(new - old) for old, new in zip(before.scores, after.scores, strict=True))
        for before, after in pairwise(rounds)
    ]

    def weigh(line: int) -> float:
        latest = bisect_right(answers, line)
        at = bisect_left(ends, answers[latest - 1]) if latest else len(changes)
        return changes[at] if at < len(changes) else 0.0

    return weigh


def parse_eye(eye: str, seats: int) -> Viewer:
    """Return the viewer that has the eye with this key.

    Raises:
        UserError: if it is none of these.
    """
    if eye in [*Spectator]:
        return Spectator(eye)
    numbers = [str(seat) for seat in range(seats)]
    if eye not in numbers:
        raise UserError(f"no such view: choose all, public or a seat (0 to {seats - 1})")
    return numbers.index(eye)
