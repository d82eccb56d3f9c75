"""Golden playthroughs: a whole game as readable text, for each number of seats.

They show at once what a change has changed. The first lines say what was played, so that a file
can be compared with the current rules. Then the game is shown three times: as messages, with the
lines of the wire; as the person at the first seat sees it; as a spectator sees it. One more file
plays with other options than the defaults, and further ones show what happens in none of these.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import zip_longest
from pathlib import Path
from typing import Any

from attrs import evolve, fields

from arena.plugins import Game, format_pairs
from arena.rules import Play, Question, Seat, UserError, Variant, rank_seats
from arena.testing.harness import hypothesis_strategies
from arena.testing.harness.cases import (
    MANY_SEATS,
    MAX_ANSWERS,
    Case,
    Options,
    choose_answer,
    cpu_limit,
    list_seat_counts,
)
from arena.testing.harness.messages import build_greeting
from arena.wires import (
    AnswerEvent,
    PrivateEvent,
    describe_options,
    describe_plainly,
    describe_unknown_format,
    encode_event,
    encode_question,
    encode_withdrawal,
)

FORMAT = 1  # of a playthrough
SEED = "golden"
RECIPIENT_WIDTH = 8  # characters of the column with the recipient
FIRST_SEAT: Seat = 0  # the seat whose narrator is shown
OPTIONS_SUFFIX = "options"  # part of the name of the file with other options
MAX_SEEDS = 30  # that are played to find an event or a question that no other playthrough has
MAX_SEARCHED_MESSAGES = 20_000  # after which it counts as one that never occurs


def render_playthrough(game: Game, case: Case) -> str:
    """Return a case as text: all messages, on the wire and by both narrators."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    people = _SeatScribe(game, names), _SpectatorScribe(game, names)
    told, seen, watched = _record_case(game, case, (_WireScribe(game, case, names), *people))
    return "\n".join(
        [
            *_render_header(game, case), "", *told,
            "", f"--- the person at seat {FIRST_SEAT} sees", "", *seen,
            "", "--- who watches sees", "", *watched, "",
        ]
    )  # fmt: skip


def _render_header(game: Game, case: Case) -> Iterator[str]:
    yield f"format: {FORMAT}"
    yield f"game: {game.name}"
    yield f"seats: {case.seats}"
    yield f"options: {json.dumps(dict(case.options))}"
    yield f"seed: {case.seed}"


class _Scribe:
    """Writes down what happens from one point of view."""

    def write_greeting(self, case: Case) -> Iterable[str]:
        return ()

    def write_event(self, to: Seat | None, event: Any) -> Iterable[str]:
        return ()

    def write_withdrawal(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return ()

    def write_question(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return ()

    def write_answer(self, seat: Seat, question: Question[Any], answer: Any) -> Iterable[str]:
        return ()

    def write_end(self, play: Play) -> Iterable[str]:
        return ()


def _record_case(game: Game, case: Case, scribes: Sequence[_Scribe]) -> list[list[str]]:
    """Play a case, and return the lines of each scribe."""
    play, before = case.deal(game), -1
    written = [[*scribe.write_greeting(case)] for scribe in scribes]

    def write(method: str, *arguments: Any) -> None:
        for lines, scribe in zip(written, scribes, strict=True):
            lines.extend(getattr(scribe, method)(*arguments))

    for answered, move in enumerate(case.move_stream()):
        new = play.closed != before
        for seat in sorted(play.withdrawn) if new else ():
            write("write_withdrawal", seat, play.withdrawn[seat])
        for to, event in play.drain():
            write("write_event", to, event)
        if play.over:
            break
        if answered >= MAX_ANSWERS:
            raise UserError(f"{game.name}: the game has not ended after {MAX_ANSWERS} answers")
        for seat in sorted(play.pending) if new else ():
            write("write_question", seat, play.pending[seat])
        before = play.closed
        seat, answer = choose_answer(play, move)
        write("write_answer", seat, play.pending[seat], answer)
        play.answer(seat, answer)
    write("write_end", play)
    return written


class _WireScribe(_Scribe):
    """Writes down all messages, with their lines on the wire."""

    def __init__(self, game: Game, case: Case, names: Sequence[str]) -> None:
        self._game, self._names = game, names
        self._codecs = [game.build_codec(None, seat) for seat in range(case.seats)]

    def write_greeting(self, case: Case) -> Iterator[str]:
        first = build_greeting(self._game, case, FIRST_SEAT)
        yield _format_row(
            "all",
            f"Greeting: seats {first.seats}, variant {describe_variant(self._game, first.variant)}",
        )
        for seat, codec in enumerate(self._codecs):
            for line in encode_event(codec, build_greeting(self._game, case, seat)):
                yield _format_row(f"to {seat}", f"| {line}")

    def write_event(self, to: Seat | None, event: Any) -> Iterator[str]:
        yield _format_row("all" if to is None else f"to {to}", describe_plainly(event))
        hearing = self._codecs if to is None else [self._codecs[to]]
        sent = [encode_event(codec, event) for codec in hearing]
        yield from (_format_row("", f"| {line}") for line in sent[0])

    def write_question(self, seat: Seat, question: Question[Any]) -> Iterator[str]:
        yield _format_row(
            f"ask {seat}",
            f"{describe_plainly(question)} ({describe_options(question.options)})",
        )
        yield from (
            _format_row("", f"| {line}") for line in encode_question(self._codecs[seat], question)
        )

    def write_withdrawal(self, seat: Seat, question: Question[Any]) -> Iterator[str]:
        yield _format_row(f"late {seat}", type(question).__name__)
        yield from (
            _format_row("", f"| {line}") for line in encode_withdrawal(self._codecs[seat], question)
        )

    def write_answer(self, seat: Seat, question: Question[Any], answer: Any) -> Iterator[str]:
        yield _format_row(f"from {seat}", f"> {self._codecs[seat].say(question, answer)}")

    def write_end(self, play: Play) -> Iterator[str]:
        yield ""
        for seat, place in enumerate(rank_seats(play, {})):
            yield f"seat {seat}: place {place}, score {play.scores[seat]}"


def describe_variant(game: Game, variant: Variant) -> str:
    """Return a variant as Python writes it, without the options that have their default.

    So an option that a game gains changes no playthrough, unless it changes how the game is played.
    """
    words = [f"{name}={getattr(variant, name)!r}" for name in game.write_changed_options(variant)]
    return f"{type(variant).__name__}({', '.join(words)})"


class _SeatScribe(_Scribe):
    """Writes down what the person at the first seat sees and types."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self._game, self._narrator = game, game.build_narrator(FIRST_SEAT, names)

    def write_greeting(self, case: Case) -> Iterable[str]:
        return self._narrator.tell(build_greeting(self._game, case, FIRST_SEAT))

    def write_event(self, to: Seat | None, event: Any) -> Iterable[str]:
        return self._narrator.tell(event) if to in (None, FIRST_SEAT) else ()

    def write_question(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return self._narrator.ask(question) if seat == FIRST_SEAT else ()

    def write_withdrawal(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return self._narrator.withdraw(question) if seat == FIRST_SEAT else ()

    def write_answer(self, seat: Seat, question: Question[Any], answer: Any) -> Iterator[str]:
        if seat == FIRST_SEAT:
            yield f"> {self._narrator.say(question, answer)}"
            self._narrator.tell(AnswerEvent(seat, question, answer))


class _SpectatorScribe(_Scribe):
    """Writes down what a spectator sees."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self._game, self._narrator = game, game.build_narrator(None, names)

    def write_greeting(self, case: Case) -> Iterable[str]:
        return self._narrator.tell(build_greeting(self._game, case, FIRST_SEAT))

    def write_event(self, to: Seat | None, event: Any) -> Iterable[str]:
        return self._narrator.tell(event if to is None else PrivateEvent(to, event))

    def write_answer(self, seat: Seat, question: Question[Any], answer: Any) -> Iterable[str]:
        return self._narrator.tell(AnswerEvent(seat, question, answer))


class _KindScribe(_Scribe):
    """Writes down the names of the events and questions that occur."""

    def write_event(self, to: Seat | None, event: Any) -> Iterator[str]:
        yield type(event).__name__

    def write_question(self, seat: Seat, question: Question[Any]) -> Iterator[str]:
        yield type(question).__name__


def _format_row(who: str, text: str) -> str:
    return f"{who:<{RECIPIENT_WIDTH}}{text}".rstrip()


def plan_files(
    game: Game, folder: Path, options: Options, seconds: float | None = None
) -> dict[Path, Case]:
    """Return the playthroughs that belong into a folder: each file, and its case.

    There is one for each number of seats, and one with options that are not the default, for
    the fewest, if the game has any that `options` leave open. An event or a question that occurs
    in none of them has one of its own, if it occurs in a game of one of the next few seeds.

    `seconds` of processor time are what a game may take; without it, there is no limit.
    """
    cases = {
        folder / f"{game.name}-{seats}.txt": Case(options, seats, SEED)
        for seats in list_seat_counts(game)
    }
    if other := choose_other_options(game, options):
        fewest = game.seats[0]
        cases[folder / f"{game.name}-{fewest}-{OPTIONS_SUFFIX}.txt"] = Case(
            {**options, **other}, fewest, SEED
        )
    return cases | {
        folder / f"{game.name}-{case.seats}-{kind}.txt": case
        for kind, case in _find_rare_kinds(game, options, [*cases.values()], seconds)
    }


def _find_rare_kinds(
    game: Game, options: Options, cases: Sequence[Case], seconds: float | None
) -> Iterator[tuple[str, Case]]:
    """Yield messages that do not occur in these cases, each with a case in which it does."""
    missing = [kind.__name__ for kind in game.messages]
    played = 0
    for case in (*cases, *_list_further_cases(game, options)):
        with cpu_limit(seconds) if seconds else nullcontext():
            (names,) = _record_case(game, case, [_KindScribe()])
        found = [name for name in missing if name in {*names}]
        if found and case not in cases:
            yield found[0], case
        missing = [name for name in missing if name not in found]
        played += len(names)
        if not missing or (case not in cases and played > MAX_SEARCHED_MESSAGES):
            return


def _list_further_cases(game: Game, options: Options) -> Iterator[Case]:
    """Yield games of further seeds: for each number of seats, and for each value of an option."""
    cases = [
        *hypothesis_strategies.cases_by_seats(game, options),
        *hypothesis_strategies.cases_by_option_value(game, options),
    ]
    for number in range(MAX_SEEDS):
        for case in cases:
            if case.seats <= MANY_SEATS:
                yield evolve(case, seed=f"{SEED}-{number}")


def choose_other_options(game: Game, options: Options) -> Options:
    """Return a non-default value for each option that has one, as far as they are compatible."""
    usual = {attribute.name: attribute.default for attribute in fields(game.variant)}
    other: dict[str, Any] = {}
    for name, values in hypothesis_strategies.list_option_values(game).items():
        for value in reversed(values):
            candidate = {**other, name: value}
            if (
                name not in options
                and value != usual[name]
                and hypothesis_strategies.are_valid_options(game, {**options, **candidate})
            ):
                other = candidate
                break
    return other


def write_playthroughs(game: Game, folder: Path, options: Options) -> list[Path]:
    """Write all playthroughs, and return their files; those of other seats than now are deleted."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = plan_files(game, folder, options)
    for file in folder.glob(f"{game.name}-*.txt"):
        if file not in cases and f"\ngame: {game.name}\n" in file.read_text("utf-8"):
            file.unlink()
    for file, case in cases.items():
        file.write_text(render_playthrough(game, case), "utf-8")
    return [*cases]


def check_playthroughs(game: Game, folder: Path, options: Options, seconds: float) -> None:
    """Raise AssertionError unless all playthroughs are there and agree with the current rules."""
    words = [f"-o {shlex.quote(pair)}" for pair in format_pairs(options)]
    words += ["--into", shlex.quote(str(folder))]
    again = f"write it with: arena golden {game.name} {' '.join(words)}"
    files = plan_files(game, folder, options, seconds)
    names = {kind.__name__ for kind in game.messages}
    rare = {file: kind for file in files if (kind := file.stem.rpartition("-")[2]) in names}
    lacking = ", ".join(file.name for file in files if not file.exists() and file not in rare)
    assert not lacking, f"missing playthrough {lacking}; {again}"
    unseen = ", ".join(kind for file, kind in rare.items() if not file.exists())
    assert not unseen, f"no playthrough has {unseen}; {again}"
    for file in files:
        with cpu_limit(seconds):
            now = render_playthrough(game, read_case(file))
        _check_same_lines(file, now, again)


def _check_same_lines(file: Path, now: str, again: str) -> None:
    """Raise AssertionError at the first line of a playthrough that has changed."""
    lines = zip_longest(file.read_text("utf-8").splitlines(), now.splitlines())
    for at, (kept, line) in enumerate(lines, 1):
        assert kept == line, (
            f"{file.name}, line {at}: {kept!r} is now {line!r}; if you meant this change, {again}"
        )


def read_case(file: Path) -> Case:
    """Return the case of a playthrough, as its first lines give it, or raise UserError."""
    try:
        head = dict(line.split(": ", 1) for line in file.read_text("utf-8").splitlines()[:5])
        version = int(head["format"])
        case = Case(json.loads(head["options"]), int(head["seats"]), head["seed"])
    except (OSError, ValueError, KeyError) as problem:
        raise UserError(f"{file}: not a playthrough: {problem}") from None
    if version != FORMAT:
        raise UserError(f"{file}: {describe_unknown_format(version, FORMAT)}")
    return case
