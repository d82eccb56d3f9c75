"""The steps of a replay, which are seen one after the other through one of several eyes.

A step is what happens before somebody is asked again: a card is played, and what comes of it. It
ends sooner where something new begins, such as a deal, or where a card would vanish that was laid
in it. What is only written anew beside the cards is seen with what happens next. Steps are numbered
by what is announced, so that a moment has the same number through each eye.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain, groupby, pairwise, zip_longest
from typing import Self

from attrs import evolve

from arena import Game, Mark, UserError, Zone, ZoneKind
from arena.plugins import get_plugins
from arena.records import MatchStep, Replayer, Spectator, Transcript, TranscriptLine, Viewer
from arena.wires import find_part, is_marked, to_printable
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
    viewers = {eye: parse_eye(eye, transcript.seats) for eye in eyes}
    game = get_plugins().find_game(transcript.header.game)
    watching = [*dict.fromkeys([*viewers.values(), Spectator.PUBLIC])]  # each of them once
    replayer = Replayer.of(game, transcript.header, watching, names, page=True, stepwise=True)
    seen = {viewer: [step] for viewer, step in zip(watching, replayer.begin(), strict=True)}
    beats = Beats(seen[Spectator.PUBLIC][0])
    for line in transcript.lines:
        shown = dict(zip(watching, replayer.take(line), strict=False))  # nobody may see anything
        beats.add(line, shown.get(Spectator.PUBLIC, MatchStep()))
        for viewer, step in shown.items():
            if step:
                seen[viewer].append(step)
    weigh: Callable[[int], float] | None = None
    if weighed or Spectator.ALL in viewers.values():  # it takes the answers of all
        weigh = _weigh_rounds(game, transcript)
    replays = {eye: [*beats.join(seen[viewer])] for eye, viewer in viewers.items()}
    return {
        eye: [
            ReplayStep(step, number, place, weigh(step.line) if weigh and step.turn else None)
            for (number, step), place in zip(joined, _find_places(joined), strict=True)
        ]
        for eye, joined in replays.items()
    }


def _find_places(steps: Sequence[tuple[int, MatchStep]]) -> Iterator[str]:
    """Yield where the match is from each step on, where it was elsewhere before.

    That is what began last, by its number if it has one, and the part of it of which a line tells.
    """
    begun, place = "", ""
    for _, step in steps:
        before = place
        for line in step.words:
            part = find_part(line)
            if is_marked(line, Mark.HEADING):
                begun = place = part.title if part else line.rstrip(".")
            elif part:
                place = f"{begun}, {part}" if begun else part.title
        yield place if place != before else ""


class Beats:
    """The parts of a match that are a step each, whoever looks."""

    def __init__(self, announced: MatchStep) -> None:
        self._starts, self._ends = [announced.line], [announced.line]
        self._table = _Table(announced.zones)  # as it is seen by all
        self._is_asked = False  # whether somebody was asked since the last answer
        self._is_shown = True  # whether the part that runs shows anything

    def add(self, line: TranscriptLine, announced: MatchStep) -> None:
        """Take note of a line, and of what it announces."""
        kind = _LineKind.of(line)
        if kind is _LineKind.QUESTION:
            self._is_asked = True
            return
        begins = (
            (kind is _LineKind.ANSWER and self._is_asked)
            or any(is_marked(word, Mark.HEADING) for word in announced.words)
            or announced.bad
            or kind is _LineKind.OUTCOME
        )
        if (begins and self._is_shown) or self._table.loses_cards(announced.zones):
            self._starts.append(line.number)
            self._ends.append(line.number)
            self._table.begin()
            self._is_shown = False
        self._ends[-1] = line.number
        self._table.update(announced.zones)
        self._is_asked = self._is_asked and kind is not _LineKind.ANSWER
        is_told = announced.words or announced.bad or self._table.has_new_cards
        self._is_shown |= bool(is_told or kind is _LineKind.PRIVATE_EVENT)

    def join(self, steps: Iterable[MatchStep]) -> list[tuple[int, MatchStep]]:
        """Return what an eye sees as a step for each part that shows it anything, with its number.

        What takes cards away that were laid in the same step is seen with the next one.
        """
        table, joined = _Table({}), list[tuple[int, MatchStep]]()
        late: dict[str, Zone | None] = {}
        for at, group in groupby(steps, lambda step: bisect_right(self._starts, step.line) - 1):
            parts, zones, late = [*group], late, {}
            table.begin()
            table.update(zones)
            for part in parts:
                if late or table.loses_cards(part.zones):
                    late |= part.zones
                else:
                    zones |= part.zones
                    table.update(part.zones)
            step = _unite(parts, zones, self._ends[at])
            if not joined or step.words or step.bad or step.turn or table.has_moved_cards:
                joined.append((at + 1, step))
            else:
                late = zones | late
        number, last = joined[-1]
        joined[-1] = number, evolve(last, zones={**last.zones, **late})
        return joined


class _LineKind(Enum):
    """What a line of a transcript is, which is known without reading it."""

    QUESTION = re.compile(r'\{"to":\d+,"question":')
    ANSWER = re.compile(r'\{"from":')
    PRIVATE_EVENT = re.compile(r'\{"to":\d+,"event":')
    OUTCOME = re.compile(r'\{"outcome":')
    OTHER = re.compile("")

    @classmethod
    def of(cls, line: TranscriptLine) -> Self:
        """Return the kind of a line."""
        return next(kind for kind in cls if kind.value.match(line.text))


class _Table:
    """The zones of a board as they are now, and which cards were laid in the step that runs."""

    def __init__(self, zones: Mapping[str, Zone | None]) -> None:
        self._zones = {**zones}
        self.begin()

    def begin(self) -> None:
        """Begin another step."""
        self._laid: dict[str, Counter[object]] = {}
        self.has_moved_cards = False

    @property
    def has_new_cards(self) -> bool:
        """Whether a seat has laid cards in this step."""
        return bool(self._laid)

    def update(self, zones: Mapping[str, Zone | None]) -> None:
        """Change zones."""
        for key, zone in zones.items():
            before = self._zones.get(key)
            self.has_moved_cards |= _moves_cards(zone, before)
            if zone and zone.seats and not (before and zone.cards == before.cards):
                gained = Counter(zone.cards) - Counter(before.cards if before else ())
                if gained:
                    self._laid[key] = self._laid.get(key, Counter()) + gained
            self._zones[key] = zone

    def loses_cards(self, zones: Mapping[str, Zone | None]) -> bool:
        """Whether these changes take cards away that were laid in this step."""
        return any(
            laid - Counter(zone.cards if (zone := zones[key]) else ())
            for key, laid in self._laid.items()
            if key in zones
        )


def _unite(parts: Sequence[MatchStep], zones: Mapping[str, Zone | None], line: int) -> MatchStep:
    """Return one step in place of several, with these changes of the board."""
    return MatchStep(
        tuple(_drop_repeats([*chain.from_iterable(part.words for part in parts)])),
        zones,
        bad=next((part.bad for part in parts if part.bad), None),
        turn=" ".join(part.turn for part in parts if part.turn),
        line=line,
    )


def _drop_repeats(words: Sequence[str]) -> Iterator[str]:
    """Yield sentences, without those with which the next one begins, such as a question."""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if not (word and following.startswith(word)):
            yield word


def _moves_cards(zone: Zone | None, before: Zone | None) -> bool:
    """Whether a seat lays cards here, or a hand has others than before."""
    if zone is None or (before and zone.cards == before.cards):
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
