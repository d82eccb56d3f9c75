"""Laws for the rules of every game. Each law takes a game and a case.

All chance must come from the table, and no clock may be read. That is seen from every call, by the
profiling hook of the interpreter, so that no way of importing a function hides it.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from random import Random
from types import FrameType
from typing import Any

from attrs.exceptions import FrozenInstanceError

from arena.plugins import Game
from arena.rules import (
    AddressedEvent,
    IllegalAnswerError,
    Play,
    Position,
    Question,
    Seat,
    Table,
    is_same,
)
from arena.testing.harness.cases import (
    MOVE_RANGE,
    Case,
    CpuLimitExceededError,
    apply_move,
    choose_legal_answer,
    cpu_limit,
    is_legal,
    iterate_plays,
    play_to_end,
    sample_asked_seats,
    sample_plays,
)
from arena.testing.harness.hash_seeds import keep_interpreters, record_messages
from arena.testing.harness.hypothesis_strategies import (
    cases_by_option_value,
    generate_wrong_answers,
)
from arena.testing.law import law

CLOCK_FUNCTIONS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
SHARED_RANDOM: Any = random._inst  # noqa: SLF001  # its methods are the functions of the module
SEED_CODE = random.Random.seed.__code__
CHANCE_MODULES = {"random", "secrets", "uuid"}  # modules through which chance is asked for
IGNORED_MODULE = "hypothesis"  # which times the collection of garbage, at any moment


@contextmanager
def forbid_chance() -> Iterator[None]:
    """Raise AssertionError where rules in this block take chance or time from elsewhere."""
    before = sys.getprofile()
    sys.setprofile(_check_call)
    try:
        yield
    finally:
        sys.setprofile(before)


def _check_call(frame: FrameType, event: str, called: Any) -> None:
    """Check an interpreter event, and refuse calls whose result the seed does not determine."""
    if _module_name(frame).startswith(IGNORED_MODULE):
        return
    if event == "c_call":
        name = _describe_unseeded_call(called)
        assert not name, (
            f"{name} is called {_describe_caller(frame)}; use table.random for all chance"
        )
    elif event == "call" and frame.f_code is SEED_CODE:
        seeded = frame.f_locals.get("a") is not None
        assert seeded, (
            f"`Random()` is created without a seed {_describe_caller(frame)}; use table.random"
        )


def _describe_unseeded_call(called: Any) -> str:
    """Describe the called function if it is a source of chance or a clock, else return ""."""
    name = getattr(called, "__qualname__", "")
    if getattr(called, "__self__", None) is SHARED_RANDOM:
        return f"`random.{name.partition('.')[2]}` of the module `random`"
    if name == "urandom":
        return "`os.urandom`"
    if getattr(called, "__module__", None) == "time":
        return f"a clock, `time.{name}`,"
    return f"a clock, `{name}`," if name in CLOCK_FUNCTIONS else ""


def _describe_caller(frame: FrameType) -> str:
    """Describe the author's own line, outside of the modules that chance goes through."""
    while _module_name(frame) in CHANCE_MODULES and frame.f_back:
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


def _module_name(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name


MAX_LISTED_ANSWERS = 60  # that are examined, of what may be very many
MAX_FURTHER_ANSWERS = 20  # after which a copy is no longer played on
Trace = list[tuple[list[AddressedEvent], list[tuple[int, Any]]]]
"""All messages, answer by answer."""


@law()
def every_game_ends(game: Game, case: Case) -> None:
    """At some point nobody is asked any more, and then the game is over."""
    play = play_to_end(game, case)
    assert play.position.over, "nobody is asked any more, but the position is not over"
    assert len(play.scores) == case.seats  # a game without a result has not ended


FURTHER_ROUND_SECONDS = 1.0  # of processor time, after which such a round counts as one that fails


class _PositionPlayedOn:
    """A position that is over, as if it were not."""

    def __init__(self, position: Position) -> None:
        self.variant, self.over, self.scores = position.variant, False, position.scores
        self._position = position

    async def round(self, table: Table) -> Position:
        """Play a round that no game plays."""
        return await self._position.round(table)

    def resample_hidden(self, seat: Seat, random: Random) -> Position:
        """Return the position itself: nobody asks for another one."""
        return self


@law()
def the_end_is_announced_in_the_last_round(game: Game, case: Case) -> None:
    """A round is not for telling how the game came out: once the game is over, none is played."""
    told: set[type] = set()
    for play in iterate_plays(game, case):
        told |= {type(event) for _, event in play.drain()}
    try:
        with cpu_limit(FURTHER_ROUND_SECONDS):
            further = Play(_PositionPlayedOn(play.position), case.seats, case.seed, play.number)
    except (Exception, CpuLimitExceededError):  # noqa: BLE001  # most can play no further round
        return
    unheard = [event for _, event in further.drain() if type(event) not in told]
    assert further.pending or not unheard, (
        f"{type(unheard[0]).__name__} would be announced in a round that begins when the game is"
        " over, and no such round is played; announce it in the last round, before it returns"
    )


@law()
def all_chance_comes_from_the_table(game: Game, case: Case) -> None:
    """Rules use neither the module `random`, nor the system's randomness, nor a clock."""
    with forbid_chance():
        play_to_end(game, case)


@law()
def no_await_is_missing(game: Game, case: Case) -> None:
    """No coroutine is created and forgotten, as by a missing `await`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        play_to_end(game, case)
    forgotten = [
        str(warning.message) for warning in caught if "never awaited" in str(warning.message)
    ]
    assert not forgotten, f"{forgotten[0]}: is an `await` missing?"


@law()
def scores_are_complete(game: Game, case: Case) -> None:
    """Each seat has a score, a finite number, after every round."""
    for play in iterate_plays(game, case):
        assert len(play.scores) == case.seats  # or it is a GameError


@law(lambda game, always: [Case(always, seats) for seats in game.seats])
def every_number_of_seats_works(game: Game, case: Case) -> None:
    """The game can be played to its end by each number of players that it is for."""
    scores_are_complete(game, case)


@law(cases_by_option_value)
def every_option_works(game: Game, case: Case) -> None:
    """The game can be played to its end with each value of each option."""
    scores_are_complete(game, case)


def record_trace(game: Game, case: Case) -> Trace:
    """Return all messages of a case."""
    return [(play.drain(), sorted(play.pending.items())) for play in iterate_plays(game, case)]


@law()
def seed_and_answers_determine_the_game(game: Game, case: Case) -> None:
    """The same seed and the same answers give the same messages again."""
    for first, again in zip_longest(record_trace(game, case), record_trace(game, case)):
        assert first == again, f"a second run went differently:\n{first}\nand then\n{again}"


@law()
def illegal_answers_are_refused_and_change_nothing(game: Game, case: Case) -> None:
    """An illegal answer is refused with a reason, and changes nothing."""
    pestered: Trace = []
    for look, play in zip(case.sampling_decisions(), iterate_plays(game, case), strict=False):
        pestered.append((play.drain(), sorted(play.pending.items())))
        if look:
            _give_illegal_answers(play, sample_asked_seats(case, play))
    for expected, other in zip_longest(record_trace(game, case), pestered):
        assert expected == other, (
            f"after illegal answers the game goes on differently:\n{other}\ninstead of\n{expected}"
        )


def _give_illegal_answers(play: Play, seats: Sequence[Seat]) -> None:
    """Give illegal answers for these asked seats, and for a seat that is not asked."""
    before = play.key, dict(play.pending)
    wrong = [
        (seat, answer)
        for seat in seats
        for answer in generate_wrong_answers(play.pending[seat])
        if _is_refused(play.pending[seat], answer)
    ]
    for seat, answer in [(play.seats, None), *wrong]:
        _check_refusal(play, seat, answer)
        assert not play.drain(), f"{answer!r} was refused, but events were sent"
    assert (play.key, play.pending) == before, "illegal answers were refused, but changed the play"


def _is_refused(question: Question[Any], answer: object) -> bool:
    try:
        question.options.read(answer)
    except IllegalAnswerError as problem:
        assert str(problem), f"{answer!r} is refused without a reason"
        return True
    return False


def _check_refusal(play: Play, seat: int, answer: object) -> None:
    try:
        play.answer(seat, answer)
    except IllegalAnswerError:
        return
    raise AssertionError(f"the illegal answer {answer!r} of seat {seat} was accepted")


@law()
def defaults_and_draws_are_legal(game: Game, case: Case) -> None:
    """The options allow the default answer, and every answer that they draw."""
    for play in sample_plays(game, case):
        for question in play.pending.values():
            for number in range(5):
                _check_reading(question, question.options.draw(Random(number)), "drawn")
            if question.default is not None:
                _check_reading(question, question.default, "the default answer")


def _check_reading(question: Question[Any], answer: object, subject: str) -> None:
    """Check that options read an answer as itself."""
    try:
        read = question.options.read(answer)
    except IllegalAnswerError as problem:
        raise AssertionError(f"{answer!r} is {subject}, but refused: {problem}") from None
    assert is_same(read, answer), f"{answer!r} is {subject}, but read as {read!r}"


@law()
def options_contain_what_they_list(game: Game, case: Case) -> None:
    """Options that are a sequence contain what they draw, and all they contain is legal."""
    for play in sample_plays(game, case):
        for seat in sample_asked_seats(case, play):
            question = play.pending[seat]
            if isinstance(question.options, Sequence):
                _check_listing(question, question.options)


def _check_listing(question: Question[Any], options: Sequence[Any]) -> None:
    some = [*sample_options(options, MAX_LISTED_ANSWERS)]
    assert some, f"no answer is possible to {question}"
    assert len(some) == len({*map(repr, some)}), f"a choice is listed twice: {question}"
    for choice in some:
        assert choice in options, f"{choice!r} is listed, but not contained"
        _check_reading(question, choice, "listed")
    for answer in generate_wrong_answers(question):
        if is_legal(question, answer):
            assert question.options.read(answer) in options, (
                f"{answer!r} is accepted, but not listed"
            )
    assert question.options.draw(Random(0)) in options, "the options do not contain what they draw"


def sample_options(options: Sequence[Any], most: int) -> Iterator[Any]:
    """Return some of the listed options, spread over all of them, which may be very many."""
    try:
        count = len(options)
    except OverflowError:  # more than Python can count
        count = sys.maxsize
    return (options[at] for at in range(0, count, max(1, count // most)))


@law()
def clones_go_on_alike(game: Game, case: Case) -> None:
    """A copy, and a play made from the key, give the same messages as the play itself."""
    plays = [play.clone() for play in sample_plays(game, case)]
    for play, itself in zip(plays, sample_plays(game, case), strict=True):
        copy, again = play.clone(), Play(*play.key)
        assert copy.key == again.key == itself.key, "a copy has another key"
        assert hash(copy.key) == hash(itself.key), "equal plays have different hashes"
        going = [_play_on(twin, case) for twin in (copy, again)]
        assert going[0] == going[1], "a copy and a play created from its key go on differently"
    if plays:
        assert _play_on(plays[0].clone(), case) == _play_on(plays[0], case), (
            "a copy goes on differently from the original"
        )


def _play_on(play: Play, case: Case) -> list[Any]:
    """Play on for a while, and return the messages, except for those that were waiting."""
    seen: list[Any] = []
    play.drain()
    random = case.random("the rest")
    while not play.over and len(seen) < MAX_FURTHER_ANSWERS:
        apply_move(play, random.randrange(MOVE_RANGE))
        seen.append((play.drain(), sorted(play.pending.items()), play.position))
    return seen


@law()
def positions_are_frozen_data(game: Game, case: Case) -> None:
    """A position is immutable data that can be compared and hashed."""
    for play, like in zip(iterate_plays(game, case), iterate_plays(game, case), strict=True):
        position: Any = play.position
        kind = type(position).__name__
        assert position == like.position, (
            f"a {kind} is not equal to that of the same game: {position}"
        )
        try:
            assert hash(position) == hash(like.position), f"equal {kind}s have different hashes"
        except TypeError as problem:
            raise AssertionError(f"a {kind} cannot be hashed: {problem}") from None
        assert _is_frozen(position), f"a {kind} can be changed; make it a frozen attrs class"


def _is_frozen(position: Any) -> bool:
    try:
        position.variant = None
    except (FrozenInstanceError, AttributeError):
        return True
    return False


@law()
def variants_survive_a_round_trip(game: Game, case: Case) -> None:
    """A variant can be hashed, and is read as it was written."""
    variant = game.read_variant(case.options)
    written = game.write_variant(variant)
    assert game.read_variant(written) == variant, f"{written} is read as something else"
    hash(variant)


@law()
def answers_are_data(game: Game, case: Case) -> None:
    """Answers can be hashed, as they are part of a play's key."""
    for play in sample_plays(game, case):
        for question in play.pending.values():
            hash(choose_legal_answer(question, 1))


@law(around=keep_interpreters, seldom=True)
def the_order_of_sets_does_not_matter(game: Game, case: Case) -> None:
    """Other interpreters, whose hashes differ, tell, ask and score the same, in the same lines.

    So nothing depends on the order of a set.
    """
    here = record_messages(game, case)
    with keep_interpreters(game) as others:
        for other in others:
            other.send_case(case)
        for there in [other.read_messages() for other in others]:
            pairs = zip_longest(here, there)
            differs = next(((line, other) for line, other in pairs if line != other), None)
            assert differs is None, (
                f"another interpreter sends {differs[1]} instead of {differs[0]}; does this depend"
                " on the order of a set, or on a hash?"
            )
