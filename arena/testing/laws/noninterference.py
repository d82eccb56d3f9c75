"""Non-interference: what a seat may not know changes nothing of what it is sent.

From two positions that a seat may not distinguish, the same answers lead to the same lines, options
and errors, up to the next answer and on to the end of the round. The comparison ends if somebody
cannot give the same answer because hidden cards differ, or if the game declares that its rules
reveal something (`Secrecy.reveals`).

`resample_hidden` exchanges the hidden parts of positions. The draws of a round, such as dice that
are rolled under cups, are in no position. So the round itself is varied: it is played again with
one of its draws exchanged, while all its other draws and all answers stay the same. If this changes
what a seat is told in private, the draw was that seat's secret, and everything that another seat is
sent must be the same, byte by byte: events, questions, their options, their number and order, and
scores. A die that is rolled openly is no secret: exchanging it changes nothing that is told in
private. In rounds with an exchanged draw, these things are not compared:

- anything after an event that the game lists in `reveals`, such as the showing of dice. If such an
  event tells a seat something in private, such as a card that it draws, this is a secret until
  somebody has answered: private information is not announced at the same moment;
- anything after somebody cannot give the same answer, or after the round asks its generator for
  something else than before, because then draws no longer correspond;
- a seat for which the same draw decides the first thing that it is itself told in private, such as
  a role or a hand. In a shuffle or a sample this holds for all events of that class, because the
  cards of one pile go to many seats, whatever the order of dealing.

Only leaks of information that `resample_hidden` exchanges can be found. So for every seat that
looks, it has to exchange what each other seat knows in private; draws may not depend on it.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from attrs import evolve
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.rules import Play, Position, Seat
from arena.testing.harness.cases import (
    MOVE_RANGE,
    Case,
    apply_move,
    choose_legal_answer,
    cpu_limit,
    sample_plays,
)
from arena.testing.harness.comparisons import (
    Branch,
    Comparison,
    HiddenFact,
    MayReveal,
    play_alike,
    reveal_by,
)
from arena.testing.harness.draws import RecordedDraw, VariedRoundPosition
from arena.testing.harness.hypothesis_strategies import BAD_LINES, cases_by_seats
from arena.testing.harness.messages import Message
from arena.testing.harness.snapshots import (
    MAX_SEATS,
    LimitedPosition,
    RoundSnapshot,
    list_messages,
    play_messages,
    sample_seats,
    take_snapshots,
)
from arena.testing.law import law
from arena.testing.laws.wires import select_share


@law()
def deals_tell_nothing(game: Game, case: Case) -> None:
    """If something is hidden, nobody is told anything before the first round.

    `resample_hidden` changes positions, so it cannot find what leaks during the deal.
    """
    for snapshot in take_snapshots(game, case)[:2] if has_alternative_position(game, case) else ():
        told = [heard.content for heard in snapshot.history if heard.kind == "tell"]
        assert not told, f"the deal tells {told[0]}; tell it in a round, where leaks can be found"


@law()
def hidden_positions_stay_secret_until_an_answer(game: Game, case: Case) -> None:
    """Up to a seat's next answer, what it is sent does not depend on what it may not know."""
    for snapshot, seat, other in _alternative_positions(game, case):
        branches = [Branch.begin(snapshot, position) for position in (snapshot.position, other)]
        random = case.random("others")
        for _ in play_alike(branches, random, but=seat):
            if any(seat in branch.play.pending for branch in branches):
                for branch in branches:
                    branch.catch_up(seat, random)
                break
        comparison = Comparison(branches, seat, _describe_position(snapshot))
        bad_lines: Sequence[str] = ()
        if comparison.is_asked and not comparison.is_cut:
            comparison.check_question(snapshot.pool)
            bad_lines = select_share(BAD_LINES, snapshot.number + seat)
        comparison.check_lines(snapshot, bad_lines)


@law()
def hidden_positions_stay_secret_in_a_round(game: Game, case: Case) -> None:
    """Given the same answers of all, a seat is sent the same to the end of a round."""
    for snapshot, seat, other in _alternative_positions(game, case):
        positions = LimitedPosition(snapshot.position), LimitedPosition(other)
        branches = [Branch.begin(snapshot, position) for position in positions]
        for _ in play_alike(branches, case.random("all")):
            pass
        Comparison(branches, seat, _describe_position(snapshot)).check_lines(snapshot)


def _alternative_positions(
    game: Game, case: Case
) -> Iterator[tuple[RoundSnapshot, Seat, Position]]:
    """Yield snapshots of a case, each with a seat and an alternative position for it.

    One of three seats is left out, another one at the next position.
    """
    for number, snapshot in enumerate(take_snapshots(game, case)):
        for at, seat in enumerate(snapshot.seats):
            left_out = at == number % MAX_SEATS and len(snapshot.seats) == MAX_SEATS
            if not left_out and (other := snapshot.find_alternative(seat)):
                yield snapshot, seat, other


def _describe_position(snapshot: RoundSnapshot) -> HiddenFact:
    return HiddenFact(
        where=f"from {snapshot.name} on",
        subject="what it may not know",
        otherwise="from another position",
        may_reveal=reveal_by(*snapshot.game.secrecy.reveals),
    )


SEALED_ANSWERS = HiddenFact(
    where="before it has answered",
    subject="what the others have answered",
    otherwise="after other answers",
    advice="Seats that are asked at once may not learn what others have answered: let options and"
    " reasons be the same whatever it is, or ask them one after the other.",
    may_reveal=reveal_by(),
)


@law()
def simultaneous_answers_stay_secret(game: Game, case: Case) -> None:
    """While several seats are asked, none is sent anything that depends on the others' answers.

    Where one answer ends the ask (`Table.ask_first`), all others only pass before it.
    """
    for play in sample_plays(game, case):
        play.drain()
        if len(play.pending) > 1 and play.passing is None:
            for seat in sorted(play.pending)[:MAX_SEATS]:
                first, *others = (_answer_for_others(play, seat, number) for number in range(4))
                for other in others:
                    comparison = Comparison([first, other], seat, SEALED_ANSWERS)
                    comparison.check_messages()
                    comparison.check_question()


def _answer_for_others(play: Play, seat: Seat, number: int) -> Branch:
    """Let all others who are asked answer; return what follows."""
    branch = Branch(play.clone())
    for other in sorted(play.pending.keys() - {seat}):
        branch.answer(other, choose_legal_answer(play.pending[other], number * 7 + other))
    return branch


MAX_DRAWS = 6  # draws of a round that are exchanged, one at a time


@law()
def draws_for_one_seat_stay_secret(game: Game, case: Case) -> None:
    """A seat that is not told of a draw in a round is sent the same, whatever is drawn."""
    for snapshot in take_snapshots(game, case):
        for at in _sample_draws(snapshot):
            branches, draw = _exchange_draw(snapshot, at)
            if not draw:
                continue
            fact = _describe_draw(snapshot, draw, reveal_by(*game.secrecy.reveals))
            for seat in snapshot.seats:
                comparison = Comparison(branches, seat, fact)
                if _is_secret(comparison, draw, game.secrecy.reveals):
                    comparison.check_lines(snapshot)
                    comparison.check_first_errors()


@law()
def private_reveals_stay_secret_until_an_answer(game: Game, case: Case) -> None:
    """What `reveals` tells one seat alone, the others are not sent before the next answer."""

    def may_reveal(message: Message, _: object) -> bool:
        return message.seat is None and message.tells(*game.secrecy.reveals)

    for snapshot in take_snapshots(game, case):
        for at in _sample_draws(snapshot, game.secrecy.reveals):
            branches, draw = _exchange_draw(snapshot, at, until_told=True)
            told = _find_who_is_told(branches)
            if draw and told:
                fact = _describe_draw(snapshot, draw, may_reveal, " just before")
                for seat in sorted({*snapshot.seats} - told):
                    Comparison(branches, seat, fact).check_lines(snapshot)


def _sample_draws(snapshot: RoundSnapshot, kinds: tuple[type, ...] = (object,)) -> list[int]:
    """Return the numbers of some draws of a round in which such an event is told to one seat."""
    if not kinds:
        return []
    case, start = snapshot.case, VariedRoundPosition(snapshot.position)
    random = case.random(f"draws/{snapshot.number}")
    play, alone = Play(start, case.seats, case.seed, snapshot.number), False
    while True:
        alone |= any(to is not None and isinstance(told, kinds) for to, told in play.drain())
        if play.over:
            break
        apply_move(play, random.randrange(MOVE_RANGE))
    count = len(start.draws) if alone else 0
    return sorted(random.sample(range(count), min(MAX_DRAWS, count)))


def _exchange_draw(
    snapshot: RoundSnapshot, at: int, *, until_told: bool = False
) -> tuple[list[Branch], RecordedDraw | None]:
    """Play a round as it is and with one draw exchanged; return both, and the draw if reached.

    Both end where draws no longer correspond, or at the answer after the first private event that
    differs (`until_told`).
    """
    random = snapshot.case.random(f"exchanged/{snapshot.number}/{at}")
    by = random.randrange(MOVE_RANGE)
    starts = [
        VariedRoundPosition(snapshot.position),
        VariedRoundPosition(snapshot.position, exchanged=at, by=by),
    ]
    branches = [Branch.begin(snapshot, start) for start in starts]
    kept = [0, 0]
    for _ in play_alike(branches, random):
        if starts[0].draws != starts[1].draws:
            break
        kept = [len(branch.heard) for branch in branches]
        if until_told and operator.ne(*map(_list_private_events, branches)):
            break
    for branch, count in zip(branches, kept, strict=True):
        del branch.heard[count:]
    return branches, next(iter(starts[0].draws[at : at + 1]), None)


def _find_who_is_told(branches: Sequence[Branch]) -> set[Seat | None]:
    """Return the seats that were told something else in private, if the same seats were told."""
    here, there = map(_list_private_events, branches)
    if [heard.seat for heard in here] != [heard.seat for heard in there]:
        return set()  # whom the rules tell something depends on it, so others may know of it
    return {first.seat for first, other in zip(here, there, strict=True) if first != other}


def _list_private_events(branch: Branch) -> list[Message]:
    return [heard for heard in branch.heard if heard.is_private]


def _is_secret(comparison: Comparison, draw: RecordedDraw, reveals: tuple[type, ...]) -> bool:
    """Whether the exchanged draw is one of which the seat may know nothing."""
    first, second = (_private_events_by_seat(heard, reveals) for heard in comparison.messages)
    own, other = (told.pop(comparison.seat, []) for told in (first, second))
    return first != second and _events_by_draw(own, draw) == _events_by_draw(other, draw)


def _events_by_draw(told: Sequence[Any], draw: RecordedDraw) -> list[Any]:
    """Return the events of a seat that a draw may have decided."""
    if not draw.joint:
        return [*told[:1]]
    return [event for event in told if type(event) is type(told[0])]


def _private_events_by_seat(
    messages: Sequence[Message], reveals: tuple[type, ...] = ()
) -> dict[Seat | None, list[Any]]:
    """Return the private events of each seat, before something is revealed to it."""
    told: dict[Seat | None, list[Any]] = {}
    seeing = set[Seat | None]()
    for heard in messages:
        if heard.is_private and heard.tells(*reveals):
            seeing.add(heard.seat)
        elif heard.is_private and heard.seat not in seeing:
            told.setdefault(heard.seat, []).append(heard.content)
    return told


def _describe_draw(
    snapshot: RoundSnapshot, draw: RecordedDraw, may_reveal: MayReveal, when: str = ""
) -> HiddenFact:
    return HiddenFact(
        where=f"in {snapshot.name}",
        subject=f"what only another seat was told of {draw}{when}",
        otherwise="with that draw exchanged",
        more_advice=" If several seats are dealt cards from one pile, shuffle it before the"
        " round, keep it in the position, and mix it in `resample_hidden`.",
        may_reveal=may_reveal,
    )


DEALS = 3  # of each number of seats
RESAMPLES = 12  # of each position
MIN_POSITIONS = 3  # in which a seat is told something alone, before it has to have changed


@law(cases=cases_by_seats)
def resampling_changes_what_others_are_told(game: Game, case: Case) -> None:
    """For every viewer, `resample_hidden` changes what each other seat is told alone in a round.

    This holds for what is told when a round begins, in some of a dozen samples of some position.
    """
    told: dict[tuple[Seat, Seat], list[list[object]]] = {}
    changed = set[tuple[Seat, Seat]]()
    seats = sample_seats(case)
    for number in range(DEALS):
        for snapshot in take_snapshots(game, evolve(case, seed=f"{case.seed}{number}")):
            first = _list_first_private_events(snapshot, snapshot.position)
            for viewer in seats if first else ():
                others = [
                    _list_first_private_events(
                        snapshot, snapshot.position.resample_hidden(viewer, Random(at))
                    )
                    for at in range(RESAMPLES)
                ]
                for seat in ({*seats} - {viewer}) & first.keys():
                    told.setdefault((viewer, seat), []).append(first[seat])
                    if any(other.get(seat) != first[seat] for other in others):
                        changed.add((viewer, seat))
    for (viewer, seat), events in told.items():
        if len(events) < MIN_POSITIONS or all(event == events[0] for event in events):
            continue  # as long as it is told the same each time, all may know it
        assert (viewer, seat) in changed, (
            f"`resample_hidden` for seat {viewer} never changed what only seat {seat} is told when"
            f" a round begins, in {len(events)} positions; let it exchange what seat {seat} holds"
        )


def _list_first_private_events(
    snapshot: RoundSnapshot, position: Position
) -> dict[Seat | None, list[Any]]:
    """Return each seat's private events at the start of a round, if nothing is drawn for it."""
    start = VariedRoundPosition(position)
    told = _private_events_by_seat(Branch.begin(snapshot, start).heard)
    return {} if start.draws else told


@law()
def draws_do_not_depend_on_hidden_positions(game: Game, case: Case) -> None:
    """Given the same answers, a position and a resampled one draw alike, until a reveal."""
    for snapshot, seat, other in _alternative_positions(game, case):
        starts = [VariedRoundPosition(position) for position in (snapshot.position, other)]
        branches = [Branch.begin(snapshot, start) for start in starts]
        made, heard = 0, [0, 0]
        for _ in play_alike(branches, case.random("draws alike")):
            told = [
                _count_before_reveal(branch.heard[count:], game.secrecy.reveals)
                for branch, count in zip(branches, heard, strict=True)
            ]
            draws = [
                [draw for draw in start.draws[made:] if count is None or draw.told <= count]
                for start, count in zip(starts, told, strict=True)
            ]
            assert draws[0] == draws[1], (
                f"in {snapshot.name}, the draws depend on what seat {seat} may not"
                f" know: {_describe_last(draws[0])}, but from another position"
                f" {_describe_last(draws[1])}; shuffle in the deal, and keep the order in the"
                " position"
            )
            if told != [None, None]:
                break
            made, heard = len(starts[0].draws), [len(branch.heard) for branch in branches]


def _count_before_reveal(messages: Sequence[Message], reveals: tuple[type, ...]) -> int | None:
    """Return how many events were told before a reveal, if there is one."""
    events = (message for message in messages if message.kind == "tell")
    return next((at for at, event in enumerate(events) if event.tells(*reveals)), None)


def _describe_last(draws: list[RecordedDraw]) -> str:
    """Describe the last draw."""
    return f"{len(draws)} draws, the last one {draws[-1]}" if draws else "no draw"


MAX_MATCHES = 16
MAX_MESSAGES = 4000  # of all matches, after which no further match is played
MIN_EVENTS = 10  # that every other seat is told


@law(cases=cases_by_seats)
def private_events_are_told_to_every_seat(game: Game, case: Case) -> None:
    """A kind of event that each other seat is told alone ten times is told to every seat.

    `Secrecy.one_sided` lists the exceptions.
    """
    counts: dict[type, Counter[Seat]] = {}
    total = 0
    for number in range(MAX_MATCHES if case.seats > 1 else 0):
        messages = play_messages(game, evolve(case, seed=f"{case.seed}{number}"))
        for heard in messages:
            if heard.kind == "tell" and heard.seat is not None:
                counts.setdefault(type(heard.content), Counter())[heard.seat] += 1
        total += len(messages)
        if total > MAX_MESSAGES:
            break
    for kind, told in counts.items():
        never = {*range(case.seats)} - {*told}
        often = min(told.values()) >= MIN_EVENTS
        if len(never) == 1 and often and kind not in game.secrecy.one_sided:
            raise AssertionError(
                f"seat {never.pop()} is never told {kind.__name__}, but each other seat was told it"
                f" at least {min(told.values())} times in matches with {case.seats} seats; if the"
                f" rules say so, list {kind.__name__} in Secrecy.one_sided"
            )


MAX_CASES = 50  # cases in which something hidden is looked for


def check_hidden_information(game: Game, drawn: SearchStrategy[Case], seconds: float) -> None:
    """Raise AssertionError unless some position or draw is hidden from some seat."""
    alone: list[Message] = []

    def hides(case: Case) -> bool:
        with cpu_limit(seconds):
            alone.extend(list_private_events(game, case)[:1])
            return has_alternative_position(game, case) or has_private_draws(game, case)

    quiet = settings(
        max_examples=MAX_CASES, database=None, deadline=None, suppress_health_check=[*HealthCheck],
        phases=[Phase.generate],
    )  # fmt: skip
    try:
        find(drawn, hides, settings=quiet, random=Random(0))
    except NoSuchExample:
        raise AssertionError(
            f"`resample_hidden` never returned another position: {_describe_lack(alone)}"
        ) from None


def _describe_lack(alone: list[Message]) -> str:
    """Describe what is wrong or missing where nothing seems hidden."""
    if not alone:
        return "nothing seems to be hidden; if that is right, set `nothing_hidden = True`"
    return (
        f"nothing seems to be hidden, but only seat {alone[0].seat} is told {alone[0].content};"
        " let `resample_hidden` exchange what others hold, or `announce` what all may know"
    )


def has_alternative_position(game: Game, case: Case) -> bool:
    """Whether some seat cannot distinguish some position from another one."""
    return any(
        snapshot.find_alternative(seat)
        for snapshot in take_snapshots(game, case)
        for seat in snapshot.seats
    )


def has_private_draws(game: Game, case: Case) -> bool:
    """Whether a seat is told alone what a round has drawn."""
    reveals = game.secrecy.reveals
    return any(
        _private_events_by_seat(here.heard, reveals)
        != _private_events_by_seat(there.heard, reveals)
        for snapshot in take_snapshots(game, case)
        for at in _sample_draws(snapshot)
        for (here, there), _ in (_exchange_draw(snapshot, at),)
    )


def list_private_events(game: Game, case: Case) -> list[Message]:
    """Return the messages that are told to one seat alone."""
    return [heard for heard in list_messages(game, case) if heard.is_private and case.seats > 1]


def check_perfect_information(game: Game, case: Case) -> None:
    """Raise AssertionError if something is hidden from a seat, or told to one seat alone."""
    for snapshot in take_snapshots(game, case):
        for seat in range(case.seats):
            assert snapshot.find_alternative(seat) is None, (
                f"`nothing_hidden = True` is set, but for seat {seat} there is another position"
            )
    for heard in list_private_events(game, case):
        raise AssertionError(
            f"`nothing_hidden = True` is set, but only seat {heard.seat} is told {heard.content};"
            " `announce` what all may know, or do not set it"
        )
