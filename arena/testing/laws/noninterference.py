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

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from random import Random
from typing import Any

from attrs import evolve, frozen
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.rules import Play, Position, Question, Seat
from arena.testing.harness.branches import (
    MAX_SEATS,
    Branch,
    Message,
    MessageLines,
    RecordedDraw,
    RoundSnapshot,
    SingleRoundPosition,
    VariedRoundPosition,
    codec_kinds,
    codecs_at,
    collect_messages_with_lines,
    comparable_messages,
    describe_reading,
    describe_ruling,
    find_common_answer,
    find_different_messages,
    find_first_difference,
    has_public_options,
    list_messages,
    name_round,
    play_messages,
    sample_seats,
    take_snapshots,
    tells_by_itself,
)
from arena.testing.harness.cases import (
    MOVE_RANGE,
    Case,
    apply_move,
    choose_legal_answer,
    cpu_limit,
    sample_plays,
)
from arena.testing.harness.hypothesis_strategies import (
    BAD_LINES,
    cases_by_seats,
    generate_wrong_answers,
)
from arena.testing.law import law
from arena.testing.laws.wires import select_share


@law()
def deals_tell_nothing(game: Game, case: Case) -> None:
    """If something is hidden, nobody is told anything before the first round.

    `resample_hidden` changes positions, so it cannot find what leaks during the deal.
    """
    found = [*take_snapshots(game, case)]
    hidden = any(
        alternative_position(snapshot, seat) for snapshot in found for seat in sample_seats(case)
    )
    for snapshot in found[:2] if hidden else ():
        told = [heard.content for heard in snapshot.history if heard.kind == "tell"]
        assert not told, f"the deal tells {told[0]}; tell it in a round, where leaks can be found"


@law()
def hidden_positions_stay_secret_until_an_answer(game: Game, case: Case) -> None:
    """Up to a seat's next answer, what it is sent does not depend on what it may not know."""
    for snapshot, seat, other in alternative_positions(game, case):
        branches = [
            Branch.begin(game, case, (position, snapshot.number), seat)
            for position in (snapshot.position, other)
        ]
        secret = _Secret(f"from {name_round(snapshot.number)} on")
        bad_lines: Sequence[str] = ()
        if _play_until_asked(branches, case.random("others")):
            _check_same_question(branches, snapshot, secret)
            bad_lines = select_share(BAD_LINES, snapshot.number + seat)
        _check_same_lines(game, case, snapshot, branches, secret, bad_lines=bad_lines)


@law()
def hidden_positions_stay_secret_in_a_round(game: Game, case: Case) -> None:
    """Given the same answers of all, a seat is sent the same to the end of a round."""
    for snapshot, seat, other in alternative_positions(game, case):
        here, there = (
            Branch.begin(game, case, (SingleRoundPosition(position), snapshot.number), seat)
            for position in (snapshot.position, other)
        )
        random = case.random("all")
        while answer := find_common_answer(here.play, there.play, None, random):
            here.answer(*answer)
            there.answer(*answer)
        secret = _Secret(f"from {name_round(snapshot.number)} on")
        _check_same_lines(game, case, snapshot, [here, there], secret)


def alternative_positions(game: Game, case: Case) -> Iterator[tuple[RoundSnapshot, Seat, Position]]:
    """Yield positions of a game, each with a seat and an alternative position for it."""
    for number, snapshot in enumerate(take_snapshots(game, case)):
        for seat in _skip_in_turn(sample_seats(case), number):
            if other := alternative_position(snapshot, seat):
                yield snapshot, seat, other


def _skip_in_turn(seats: list[Seat], number: int) -> list[Seat]:
    """Leave out one of three seats, another one at the next position."""
    return [
        seat for at, seat in enumerate(seats) if at != number % MAX_SEATS or len(seats) < MAX_SEATS
    ]


def alternative_position(snapshot: RoundSnapshot, seat: Seat) -> Position | None:
    """Return another position that this seat may not distinguish from this one, or None."""
    if seat not in snapshot.others:
        snapshot.others[seat] = _find_alternative(snapshot, seat)
    return snapshot.others[seat]


MAX_POSITION_DRAWS = 5  # until `resample_hidden` has given a position that differs


def _find_alternative(snapshot: RoundSnapshot, seat: Seat) -> Position | None:
    drawn = (
        snapshot.position.resample_hidden(seat, Random(number))
        for number in range(MAX_POSITION_DRAWS)
    )
    return next((other for other in drawn if other != snapshot.position), None)


def _play_until_asked(branches: Sequence[Branch], random: Random) -> bool:
    """Answer alike for the others as long as possible; return whether the seat is asked then."""
    here, there = branches
    while not (here.question or there.question):
        answer = find_common_answer(here.play, there.play, here.seat, random)
        if answer is None:
            return False
        here.answer(*answer)
        there.answer(*answer)
        if any(branch.known_count_before_reveal is not None for branch in branches):
            return False
    for branch in branches:
        branch.catch_up(random)
    asked = {bool(branch.question) for branch in branches}
    assert asked == {True} or here.known_count != there.known_count, (
        f"seat {here.seat} is asked, but from another position the game ends without asking it."
        f" {BY_QUESTIONS}"
    )
    return asked == {True} and all(branch.known_count_before_reveal is None for branch in branches)


BY_EVENTS = (
    "Or may the seat learn this here? Then list the event that reveals it in Secrecy.reveals."
)
TOLD_BEFORE = "If the rules reveal it here, tell it before, in an event that Secrecy.reveals lists."
BY_SCORES = (
    "Everybody sees `scores` after each round, so count there only what all may know."
    f" {TOLD_BEFORE}"
)
BY_QUESTIONS = (
    f"Who is asked, and may answer what, has to follow from what that seat was told. {TOLD_BEFORE}"
)
BY_ERRORS = f"Refuse for reasons that follow from what the seat was told. {TOLD_BEFORE}"
BY_SEALED_ANSWERS = (
    "Seats that are asked at once may not learn what others have answered: let options and reasons"
    " be the same whatever it is, or ask them one after the other."
)
BY_CODECS = (
    "What the seat was told and asked is the same, so {kind} itself tells it. Let it write what"
    " stands in messages to its seat, and share nothing between seats."
)
"""What to do about a leak, by what it shows in."""


@frozen
class _Secret:
    """What a seat may not know, and how a leak of it is described."""

    where: str  # such as `in round 3`
    subject: str = "what it may not know"
    otherwise: str = "from another position"
    more_advice: str = ""

    def describe_leak(
        self, seat: Seat, source: str, first: object, other: object, *, advice: str, by: str = ""
    ) -> str:
        """Describe a leak: from which source a seat can tell the secret, and by which lines."""
        return (
            f"seat {seat} can tell, {by}{self.where}, {self.subject}, from {source}:\n{first}\n"
            f"and {self.otherwise}\n{other}\nIs this a leak? {advice}{self.more_advice}"
        )


def choose_advice(
    sent: Sequence[MessageLines], heard: Sequence[Sequence[Message]], seat: Seat, kind: str
) -> str:
    """Return what to do about a leak in the lines of a kind of codec to a seat, in two branches."""
    if tells_by_itself(sent, heard, seat):
        return BY_CODECS.format(kind=kind)
    kinds = {message.kind for message in find_different_messages(*sent) if message}
    if kinds == {"score"}:
        return BY_SCORES
    return BY_EVENTS if kinds <= {"tell", "score"} else BY_QUESTIONS


def _check_same_lines(
    game: Game,
    case: Case,
    snapshot: RoundSnapshot,
    branches: Sequence[Branch],
    secret: _Secret,
    *,
    bad_lines: Sequence[str] = (),
) -> None:
    """Compare what a seat is sent in both branches, and how bad lines are read at the end."""
    seat = branches[0].seat
    for kind in codec_kinds(game):
        speaking = [codecs_at(game, case, snapshot, kind) for _ in branches]
        heard = comparable_messages(branches)
        sent = [
            collect_messages_with_lines(codecs, seat, some)
            for codecs, some in zip(speaking, heard, strict=True)
        ]
        first, second = ([line for _, line in some] for some in sent)
        if first != second:
            here, there = find_first_difference(first, second)
            advice = choose_advice(sent, heard, seat, kind)
            raise AssertionError(
                secret.describe_leak(
                    seat, "its lines", here, there, advice=advice, by=f"by {kind}, "
                )
            )
        for line in bad_lines:
            said = [
                describe_reading(codecs[seat], branch.question, line)
                for codecs, branch in zip(speaking, branches, strict=True)
                if branch.question
            ]
            assert said[0] == said[1], secret.describe_leak(
                seat, f"the reply to the line {line!r}", *said, advice=BY_ERRORS, by=f"by {kind}, "
            )


def _check_same_question(
    branches: Sequence[Branch], snapshot: RoundSnapshot, secret: _Secret
) -> None:
    """Check that a question's options, and the reasons for refusing answers, are the same."""
    seat = branches[0].seat
    here, there = (branch.play.pending[seat] for branch in branches)
    assert repr(here) == repr(there), secret.describe_leak(
        seat, "its question", here, there, advice=BY_QUESTIONS
    )
    hidden = (answer for branch in branches for answer in _answers_of_others(branch.play, seat))
    _check_same_errors(seat, here, there, secret, pool=chain(snapshot.pool, hidden))


def _answers_of_others(play: Play, seat: Seat) -> list[Any]:
    """Return answers of the other asked seats, which may contain what they hold."""
    asked = [question for other, question in play.pending.items() if other != seat]
    return [choose_legal_answer(question, number) for question in asked for number in (1, 2)]


def _check_same_errors(
    seat: Seat,
    here: Question[Any],
    there: Question[Any],
    secret: _Secret,
    *,
    pool: Iterable[Any] = (),
    by: str = "",
) -> None:
    """Compare the reasons for refusing answers to two questions; `pool` has some to try."""
    if has_public_options(here) and has_public_options(there):
        return
    others = {repr(answer): answer for answer in pool}
    for answer in generate_wrong_answers(here, tuple(others.values())):
        said = [describe_ruling(question, answer) for question in (here, there)]
        assert said[0] == said[1], secret.describe_leak(
            seat, f"the reply to the answer {answer!r}", *said, advice=BY_ERRORS, by=by
        )


@law()
def simultaneous_answers_stay_secret(game: Game, case: Case) -> None:
    """While several seats are asked, none is sent anything that depends on the others' answers.

    Where one answer ends the ask (`Table.ask_first`), all others only pass before it.
    """
    for play in sample_plays(game, case):
        if len(play.pending) > 1 and play.passing is None:
            for seat in sorted(play.pending)[:MAX_SEATS]:
                _check_sealing(game, play, seat)


def _check_sealing(game: Game, play: Play, seat: Seat) -> None:
    seen = [_observe_others_answer(game, play.clone(), seat, number) for number in range(4)]
    for view in seen[1:]:
        secret = _Secret("before it has answered")
        assert view == seen[0], secret.describe_leak(
            seat, "what it is sent", seen[0], view, advice=BY_SEALED_ANSWERS
        )


def _observe_others_answer(game: Game, play: Play, seat: Seat, number: int) -> object:
    """Let all others answer; return a seat's events, its question, and its errors."""
    for other in sorted(play.pending.keys() - {seat}):
        play.answer(other, choose_legal_answer(play.pending[other], number * 7 + other))
    told = [game.vocabulary.pack(event) for to, event in play.drain() if to in (None, seat)]
    asked = play.pending[seat]
    wrong = [] if has_public_options(asked) else generate_wrong_answers(asked)
    return told, repr(asked), [describe_ruling(asked, answer) for answer in wrong]


MAX_DRAWS = 6  # draws of a round that are exchanged, one at a time


@law()
def draws_for_one_seat_stay_secret(game: Game, case: Case) -> None:
    """A seat that is not told of a draw in a round is sent the same, whatever is drawn."""
    for snapshot in take_snapshots(game, case):
        for at in _sample_draws(snapshot, case):
            branches, draw = _play_both(game, case, snapshot, at)
            for seat in sample_seats(case):
                seen = [
                    Branch(branch.play, seat, branch.reveals, branch.heard) for branch in branches
                ]
                if _is_secret(seen, draw):
                    secret = _describe_draw(snapshot, draw)
                    _check_same_lines(game, case, snapshot, seen, secret)
                    _check_same_first_errors(seen, secret)


@law()
def private_reveals_stay_secret_until_an_answer(game: Game, case: Case) -> None:
    """What `reveals` tells one seat alone, the others are not sent before the next answer."""
    for snapshot in take_snapshots(game, case):
        for at in _sample_draws(snapshot, case, game.secrecy.reveals):
            branches, draw = _play_both(game, case, snapshot, at)
            heard = _truncate_at_answer(*(branch.heard for branch in branches))
            for seat in sample_seats(case) if draw else ():
                told = [_filter_private_events(some, seat) for some in heard]
                if told[0] == told[1]:
                    seen = _truncate_at_reveal(branches, seat, heard)
                    secret = _describe_draw(snapshot, draw, " just before")
                    _check_same_lines(game, case, snapshot, seen, secret)


def _truncate_at_answer(first: Sequence[Message], second: Sequence[Message]) -> list[list[Message]]:
    """Return both up to the answer after the first private event that differs.

    If another seat is told it, that is no secret of the first seat: then return nothing.
    """
    ends = [
        [at for at, heard in enumerate(all_) if heard.kind == "say"] + [len(all_)]
        for all_ in (first, second)
    ]
    for here, there in zip(*ends, strict=False):
        told, other = _filter_private_events(first[:here]), _filter_private_events(second[:there])
        if [heard.seat for heard in told] != [heard.seat for heard in other]:
            break
        if told != other:
            return [[*first[:here]], [*second[:there]]]
    return [[], []]


def _filter_private_events(heard: Sequence[Message], seat: Seat | None = None) -> list[Message]:
    """Return the events that were told to one seat alone: to this one, or to any."""
    told = [event for event in heard if event.kind == "tell" and event.seat is not None]
    return [event for event in told if seat in (None, event.seat)]


def _truncate_at_reveal(
    branches: Sequence[Branch], seat: Seat, heard: Sequence[Sequence[Message]]
) -> list[Branch]:
    """Return a seat's messages in both branches, up to the first public reveal."""
    seen = [
        Branch(branch.play, seat, (), _list_before_reveal(branch, some))
        for branch, some in zip(branches, heard, strict=True)
    ]
    if any(len(side.heard) < len(some) for side, some in zip(seen, heard, strict=True)):
        least = min(side.known_count for side in seen)
        for side in seen:
            side.heard = side.truncate(least)
    return seen


def _list_before_reveal(branch: Branch, heard: Sequence[Message]) -> list[Message]:
    for at, event in enumerate(heard):
        if event.seat is None and isinstance(event.content, branch.reveals):
            return [*heard[:at]]
    return [*heard]


def _sample_draws(
    snapshot: RoundSnapshot, case: Case, kinds: tuple[type, ...] = (object,)
) -> list[int]:
    """Return the numbers of some draws of a round in which such an event is told to one seat."""
    if not kinds:
        return []
    random = case.random(f"draws/{snapshot.number}")
    rolling = VariedRoundPosition(snapshot.position)
    play, alone = Play(rolling, case.seats, case.seed, snapshot.number), False
    while True:
        alone |= any(to is not None and isinstance(told, kinds) for to, told in play.drain())
        if play.over:
            break
        apply_move(play, random.randrange(MOVE_RANGE))
    count = len(rolling.draws) if alone else 0
    return sorted(random.sample(range(count), min(MAX_DRAWS, count)))


def _play_both(
    game: Game, case: Case, snapshot: RoundSnapshot, at: int
) -> tuple[list[Branch], RecordedDraw | None]:
    """Play a round as it is and with one draw exchanged; return both, and the draw if reached."""
    random = case.random(f"exchanged/{snapshot.number}/{at}")
    by = random.randrange(MOVE_RANGE)
    starts = [
        VariedRoundPosition(snapshot.position),
        VariedRoundPosition(snapshot.position, exchanged=at, by=by),
    ]
    branches = [Branch.begin(game, case, (start, snapshot.number), 0) for start in starts]
    kept = [0, 0]
    while starts[0].draws == starts[1].draws:
        kept = [len(branch.heard) for branch in branches]
        answer = find_common_answer(branches[0].play, branches[1].play, None, random)
        if answer is None:
            break
        for branch in branches:
            branch.answer(*answer)
    for branch, count in zip(branches, kept, strict=True):
        del branch.heard[count:]
    return branches, next(iter(starts[0].draws[at : at + 1]), None)


def _is_secret(branches: Sequence[Branch], draw: RecordedDraw | None) -> bool:
    """Whether the exchanged draw is one of which the seat may know nothing."""
    seat = branches[0].seat
    first, second = (
        _private_events_by_seat(branches[0], heard) for heard in comparable_messages(branches)
    )
    own, other = first.pop(seat, []), second.pop(seat, [])
    return (
        draw is not None
        and first != second
        and _events_by_draw(own, draw) == _events_by_draw(other, draw)
    )


def _events_by_draw(told: Sequence[Any], draw: RecordedDraw) -> list[Any]:
    """Return the events of a seat that a draw may have decided."""
    if not draw.joint:
        return [*told[:1]]
    return [event for event in told if type(event) is type(told[0])]


def _private_events_by_seat(branch: Branch, heard: Sequence[Message]) -> dict[Seat, list[Any]]:
    """Return the private events of each seat, before something is revealed to it."""
    told: dict[Seat, list[Any]] = {}
    seeing = set[Seat | None]()
    for event in heard:
        if event.kind == "tell" and event.seat is not None:
            if isinstance(event.content, branch.reveals):
                seeing.add(event.seat)
            elif event.seat not in seeing:
                told.setdefault(event.seat, []).append(event.content)
    return told


def _check_same_first_errors(branches: Sequence[Branch], secret: _Secret) -> None:
    """Compare the reasons for refusing answers to the first question that a seat is asked."""
    seat = branches[0].seat
    asked = [
        [event.content for event in heard if (event.kind, event.seat) == ("ask", seat)][:1]
        for heard in comparable_messages(branches)
    ]
    for here, there in zip(*asked, strict=False):
        _check_same_errors(seat, here, there, secret, by="by an error, ")


def _describe_draw(snapshot: RoundSnapshot, draw: RecordedDraw | None, when: str = "") -> _Secret:
    return _Secret(
        f"in {name_round(snapshot.number)}",
        f"what only another seat was told of {draw}{when}",
        "with that draw exchanged",
        " If several seats are dealt cards from one pile, shuffle it before the round, keep it in"
        " the position, and mix it in `resample_hidden`.",
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
            first = _private_events(case, snapshot, snapshot.position)
            for viewer in seats if first else ():
                others = [
                    _private_events(
                        case, snapshot, snapshot.position.resample_hidden(viewer, Random(at))
                    )
                    for at in range(RESAMPLES)
                ]
                for seat in first.keys() & {*seats} - {viewer}:
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


def _private_events(
    case: Case, snapshot: RoundSnapshot, position: Position
) -> dict[Seat, list[object]]:
    """Return each seat's private events at the start of a round, if nothing is drawn for it."""
    start = VariedRoundPosition(position)
    play = Play(start, case.seats, case.seed, snapshot.number)
    told: dict[Seat, list[object]] = {}
    for to, event in play.drain():
        if to is not None:
            told.setdefault(to, []).append(event)
    return {} if start.draws else told


@law()
def draws_do_not_depend_on_hidden_positions(game: Game, case: Case) -> None:
    """Given the same answers, a position and a resampled one draw alike, until a reveal."""
    for snapshot, seat, other in alternative_positions(game, case):
        starts = [VariedRoundPosition(snapshot.position), VariedRoundPosition(other)]
        here, there = (Branch.begin(game, case, (start, snapshot.number), seat) for start in starts)
        random, made, heard = case.random("draws alike"), 0, [0, 0]
        while True:
            told = [*map(_count_before_reveal, (here, there), heard)]
            draws = [
                [draw for draw in start.draws[made:] if count is None or draw.told <= count]
                for start, count in zip(starts, told, strict=True)
            ]
            assert draws[0] == draws[1], (
                f"in {name_round(snapshot.number)}, the draws depend on what seat {seat} may not"
                f" know: {_describe_last(draws[0])}, but from another position"
                f" {_describe_last(draws[1])}; shuffle in the deal, and keep the order in the"
                " position"
            )
            made, heard = len(starts[0].draws), [len(here.heard), len(there.heard)]
            answer = find_common_answer(here.play, there.play, None, random)
            if answer is None or told != [None, None]:
                break
            here.answer(*answer)
            there.answer(*answer)


def _count_before_reveal(branch: Branch, heard: int) -> int | None:
    """Return how many events were told before a reveal, of the messages from `heard` on."""
    events = [message for message in branch.heard[heard:] if message.kind == "tell"]
    return next((at for at, event in enumerate(events) if branch.is_reveal(event)), None)


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
        alternative_position(snapshot, seat) is not None
        for snapshot in take_snapshots(game, case)
        for seat in sample_seats(case)
    )


def has_private_draws(game: Game, case: Case) -> bool:
    """Whether a seat is told alone what a round has drawn."""
    return any(
        _private_events_by_seat(branches[0], branches[0].heard)
        != _private_events_by_seat(branches[1], branches[1].heard)
        for snapshot in take_snapshots(game, case)
        for at in _sample_draws(snapshot, case)
        for branches, _ in (_play_both(game, case, snapshot, at),)
    )


def list_private_events(game: Game, case: Case) -> list[Message]:
    """Return the messages that are told to one seat alone."""
    told = (heard for heard in list_messages(game, case) if heard.kind == "tell")
    return [heard for heard in told if heard.seat is not None and case.seats > 1]


def check_perfect_information(game: Game, case: Case) -> None:
    """Raise AssertionError if something is hidden from a seat, or told to one seat alone."""
    for snapshot in take_snapshots(game, case):
        for seat in range(case.seats):
            assert alternative_position(snapshot, seat) is None, (
                f"`nothing_hidden = True` is set, but for seat {seat} there is another position"
            )
    for heard in list_private_events(game, case):
        raise AssertionError(
            f"`nothing_hidden = True` is set, but only seat {heard.seat} is told {heard.content};"
            " `announce` what all may know, or do not set it"
        )
