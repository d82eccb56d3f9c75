"""Laws for the lines of every game: wires, JSON, narrators and boards; and for machine learning.

Whether a seat can tell from the zones of a board what it may not know is checked with the lines: to
the laws of `arena.testing.laws.noninterference` a board is one more codec, whose lines are the
zones that changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from random import Random
from typing import Any

from attrs import evolve, fields, frozen

from arena.players import MAX_LINE_BYTES, FloodError, LineBuffer
from arena.plugins import Game
from arena.records import MatchStep, Perspective, Spectator, Viewer
from arena.rules import (
    IllegalAnswerError,
    Play,
    Question,
    Seat,
    Text,
    is_same,
    locate_definition,
)
from arena.testing.harness.cases import (
    MANY_SEATS,
    Case,
    Options,
    choose_answer,
    choose_legal_answer,
    iterate_plays,
    sample_asked_seats,
    sample_plays,
)
from arena.testing.harness.hypothesis_strategies import BAD_LINES, cases_by_option_value
from arena.testing.harness.messages import (
    NARRATOR_KIND,
    Message,
    answering_kinds,
    build_codec,
    build_codecs,
    build_greeting,
    check_lines,
    collect_lines,
    describe_reading,
)
from arena.testing.harness.snapshots import NO_CLOSED_ASK, list_messages, sample_seats
from arena.testing.law import law
from arena.testing.laws.rules import sample_options
from arena.wires import (
    Board,
    Codec,
    MalformedLineError,
    Mark,
    Zone,
    Zones,
    decode_answer,
    dump,
    encode_answer,
    encode_event,
    encode_question,
    encode_withdrawal,
    holds_seats,
    read_zones,
)

OpenQuestion = tuple[Codec, Seat, Question[Any]]


@law()
def messages_survive_a_round_trip(game: Game, case: Case) -> None:
    """Each event and question is in the vocabulary, and is read from its JSON as it was."""
    said: list[tuple[Any, Any]] = []
    for play in iterate_plays(game, case):
        messages = [event for _, event in play.drain()]
        for message in (*messages, *play.pending.values()):
            packed = json.loads(json.dumps(game.vocabulary.pack(message)))
            said.append((message, packed))
            _check_unpacking(game, message, packed)
    for message, packed in said:
        now = json.loads(json.dumps(game.vocabulary.pack(message)))
        assert now == packed, f"{message} was changed after it was told: it was {packed}"


def _check_unpacking(game: Game, message: Any, packed: Any) -> None:
    try:
        again = game.vocabulary.unpack(packed)
    except MalformedLineError as problem:
        raise AssertionError(f"{message} cannot be read from its JSON: {problem}") from None
    assert again == message, f"{message} is read as {again}"


def sample_questions(game: Game, case: Case, kind: str) -> Iterator[OpenQuestion]:
    """Play a case with codecs, and yield some of its open questions."""
    speaking, before = build_codecs(game, case, kind), NO_CLOSED_ASK
    for look, play in zip(case.sampling_decisions(), iterate_plays(game, case), strict=False):
        _tell_codecs(play, speaking, new=play.closed != before)
        for seat in sorted(play.pending) if play.closed != before else ():
            check_lines(encode_question(speaking[seat], play.pending[seat]))
        for seat in sample_asked_seats(case, play) if look else ():
            yield speaking[seat], seat, play.pending[seat]
        before = play.closed


def _tell_codecs(play: Play, speaking: list[Codec], *, new: bool) -> None:
    """Pass the new events to the codecs, and withdrawn questions after an ask."""
    for seat, question in sorted(play.withdrawn.items()) if new else ():
        check_lines(encode_withdrawal(speaking[seat], question))
    for to, event in play.drain():
        _encode_event(speaking, to, event)


def _encode_event(speaking: Sequence[Codec], to: Seat | None, event: Any) -> list[list[str]]:
    """Return the lines that each seat is sent for an event."""
    return [
        check_lines(encode_event(codec, event)) if to in (None, seat) else []
        for seat, codec in enumerate(speaking)
    ]


@law()
def answers_survive_a_round_trip(game: Game, case: Case) -> None:
    """A codec reads the line that it writes for an answer as that answer."""
    for kind in answering_kinds(game):
        for codec, _, question in sample_questions(game, case, kind):
            for number in range(4):
                _check_round_trip(kind, codec, question, choose_legal_answer(question, number))


def _check_round_trip(kind: str, codec: Codec, question: Question[Any], answer: object) -> None:
    if kind == NARRATOR_KIND and isinstance(question.options, Text):
        return  # what a person types has no blanks around it
    (line,) = check_lines([encode_answer(codec, question, answer)])
    try:
        read = question.options.read(decode_answer(codec, question, line))
    except (MalformedLineError, IllegalAnswerError) as problem:
        raise AssertionError(
            f"{kind}: {answer!r} is written as {line!r}, which is refused: {problem}"
        ) from None
    assert is_same(read, answer), f"{kind}: {answer!r} is written as {line!r} and read as {read!r}"
    assert len(line.encode()) <= MAX_LINE_BYTES, f"{kind}: the line for {answer!r} is too long"


@law()
def garbage_is_malformed_or_illegal(game: Game, case: Case) -> None:
    """Any line is an answer, or malformed or illegal with a reason, and nothing else."""
    for kind in answering_kinds(game):
        for number, (codec, _, question) in enumerate(sample_questions(game, case, kind)):
            good = codec.say(question, choose_legal_answer(question, 1))
            for line in select_share((*BAD_LINES, *damage_line(good)), number):
                describe_reading(codec, question, line)


SHARE_COUNT = 3  # bad lines are split into so many shares; each question tries one


def select_share(lines: Sequence[str], number: int) -> Sequence[str]:
    """Return the first line and one share of the others, which depends on the number."""
    return (*lines[:1], *lines[1 + number % SHARE_COUNT :: SHARE_COUNT])


def damage_line(line: str) -> Iterator[str]:
    """Yield a line with a piece missing, doubled or changed, at some places."""
    for at in range(0, len(line) + 1, max(1, len(line) // 8)):
        yield line[:at]
        yield line[:at] + line[at + 1 :]
        yield f"{line[:at]}x{line[at:]}"
        yield f"{line[:at]} {line[at:]}"
    yield f"{line}{line}"
    yield f" {line.lower()} "


@law()
def lines_survive_any_chunking(game: Game, case: Case) -> None:
    """Answers that arrive byte by byte are read like answers that arrive whole."""
    for kind in game.protocols:
        for codec, _, question in sample_questions(game, case, kind):
            said = codec.say(question, choose_legal_answer(question, 1)).encode() + b"\n"
            for stream in (said, said.replace(b"\n", b"\r\n"), b"\xff\xfe" + said, said + said):
                whole, pieces = (
                    _receive_lines([stream]),
                    _receive_lines([bytes([b]) for b in stream]),
                )
                assert whole == pieces, f"{kind}: {stream!r} is read differently in pieces"
                for line in whole:
                    describe_reading(codec, question, line.decode(errors="replace"))


def _receive_lines(chunks: Iterable[bytes]) -> list[bytes]:
    """Return the lines that these chunks of bytes add up to."""
    lines, taken = LineBuffer(), list[bytes]()
    for chunk in chunks:
        lines.feed(chunk)
        try:
            while (line := lines.take()) is not None:
                taken.append(line)
        except FloodError:
            return [*taken, b"flood"]
    return taken


@law()
def descriptions_are_in_words(game: Game, case: Case) -> None:
    """A narrator has words for each question, no empty sentence, and shows no object's address."""
    for message, lines in _narrate(game, case):
        sentences = select_sentences(lines)
        assert sentences or not isinstance(message, Question), f"{message} is asked without a word"
        for line in sentences:
            assert line.strip(), f"{message} has an empty description"
        for line in lines:
            assert " object at 0x" not in line, f"{line!r} shows an object's address"


def _narrate(game: Game, case: Case) -> Iterator[tuple[Any, list[str]]]:
    """Play a case, and yield each message with the lines of all seats that are told of it."""
    speaking, before = build_codecs(game, case, NARRATOR_KIND), NO_CLOSED_ASK
    for play in iterate_plays(game, case):
        for to, event in play.drain():
            yield event, [line for lines in _encode_event(speaking, to, event) for line in lines]
        for seat, question in sorted(play.pending.items()) if play.closed != before else ():
            yield question, check_lines(encode_question(speaking[seat], question))
        before = play.closed


def select_sentences(lines: Iterable[str]) -> list[str]:
    """Return a narrator's sentences, without how things stand and what may be typed."""
    return [line for line in lines if getattr(line, "mark", None) not in (Mark.STATE, Mark.HINT)]


STRANGE_TEXTS = ("Zyxwvut", "zyxwvut", "ZYXWVUT", "Zyxwvut zyxwvut", "98765432")
"""Texts of which the first that a question allows is typed: they stand in no other words."""


@law()
def free_texts_are_marked(game: Game, case: Case) -> None:
    """What another player has typed stands in lines with a mark alone: no prompt may quote it."""
    asked = (message.content for message in list_messages(game, case) if message.kind == "ask")
    if not any(isinstance(question.options, Text) for question in asked):
        return
    speaking, play, texts = build_codecs(game, case, NARRATOR_KIND), case.deal(game), set[str]()
    for move in case.move_stream():
        for to, event in play.drain():
            for line in chain.from_iterable(_encode_event(speaking, to, event)):
                is_marked = getattr(line, "mark", None) in (Mark.FREE_TEXT, Mark.HINT)
                is_quote = any(text.casefold() in line.casefold() for text in texts)
                assert is_marked or not is_quote, (
                    f"{line!r} quotes what a player typed, which may be an order to a language"
                    " model; mark it: MarkedLine(line, Mark.FREE_TEXT)"
                )
        if play.over:
            return
        seat, answer = choose_answer(play, move)
        options = play.pending[seat].options
        if isinstance(options, Text):
            legal = (text for text in STRANGE_TEXTS if re.fullmatch(options.pattern, text))
            answer = next(legal, answer)
            texts |= {answer} & {*STRANGE_TEXTS}
        play.answer(seat, answer)


NUMBER = re.compile(r"-?\d+(?:\.\d+|/\d+| \d+/\d+)?")
"""A score as it is written: `3`, `-3`, `0.5`, `1/2` or `3 1/2`."""


@law()
def told_scores_are_the_scores(game: Game, case: Case) -> None:
    """A line with the mark `SCORES` tells everybody's score, as the game counts it."""
    speaking = {seat: build_codec(game, case, NARRATOR_KIND, seat) for seat in sample_seats(case)}
    before = NO_CLOSED_ASK
    for play in iterate_plays(game, case):
        sent = list[tuple[Seat, str]]()
        for to, event in play.drain():
            for seat in sorted(speaking) if to is None else {to} & speaking.keys():
                sent += ((seat, line) for line in check_lines(encode_event(speaking[seat], event)))
        for seat in sorted(play.pending.keys() & speaking) if play.closed != before else ():
            asked = encode_question(speaking[seat], play.pending[seat])
            sent += ((seat, line) for line in check_lines(asked))
        before = play.closed
        # of several the last one: rules may play rounds in which they ask nobody
        told = {seat: line for seat, line in sent if getattr(line, "mark", None) is Mark.SCORES}
        for seat, line in told.items():
            _check_told_scores(game, play, seat, line)


def _check_told_scores(game: Game, play: Play, reader: Seat, line: str) -> None:
    count = game.presentation.count
    for seat, score in enumerate(play.scores):
        name = "you" if seat == reader else f"player_{seat}"
        behind = re.split(rf"\b{name}\b", line, maxsplit=1, flags=re.IGNORECASE)[1:]
        number = behind and NUMBER.search(re.sub(r"player_\d+", "", behind[0]))
        assert number, f"{line!r}, marked SCORES, has no number behind {name!r}"
        assert is_written_so(number[0], count.of(float(score))), (
            f"{line!r}, marked SCORES, is told when {name!r} has {count.describe(float(score))}"
            " in the position, which a round changes at its end"
        )


def is_written_so(text: str, number: float) -> bool:
    """Whether a text is a number, perhaps rounded to as many decimals as the text has.

    >>> is_written_so("3 1/2", 3.5), is_written_so("-0.33", -1 / 3), is_written_so("3", 3.4)
    (True, True, False)
    """
    size = float(sum(map(Fraction, text.removeprefix("-").split())))
    decimals = len(text.partition(".")[2])
    error = abs((-size if text.startswith("-") else size) - number)
    return error <= (0.5 * 10**-decimals if decimals else 0) + 1e-9


@law()
def every_event_has_a_line(game: Game, case: Case) -> None:
    """On each wire, someone who hears of an event is sent a line, or it is declared silent."""
    for wire in game.wires:
        speaking, silent = build_codecs(game, case, wire), game.wires[wire].silent
        before = NO_CLOSED_ASK
        for play in iterate_plays(game, case):
            for to, event in play.drain():
                lines = _encode_event(speaking, to, event)
                assert any(lines) or isinstance(event, silent), (
                    f"{wire}: nobody is sent a line for {event}; write one in `tell`, or declare"
                    f" it: Wire(..., silent=({type(event).__name__},))"
                )
            for seat in play.pending if play.closed != before else ():
                check_lines(encode_question(speaking[seat], play.pending[seat]))
            before = play.closed


@law()
def every_question_follows_a_line(game: Game, case: Case) -> None:
    """On each wire, a seat is sent a line between its last answer and the next question."""
    for kind in game.protocols:
        speaking, before = build_codecs(game, case, kind), NO_CLOSED_ASK
        sent = [0] * case.seats
        for play in iterate_plays(game, case):
            for to, event in play.drain():
                for seat, lines in enumerate(_encode_event(speaking, to, event)):
                    sent[seat] += len(lines)
            for seat in sorted(play.pending) if play.closed != before else ():
                question = play.pending[seat]
                sent[seat] += len(check_lines(encode_question(speaking[seat], question)))
                assert sent[seat], (
                    f"{kind}: seat {seat} must answer {type(question).__name__}, but is sent no"
                    " line before: its bot and the host would wait for each other for ever"
                )
                sent[seat] = 0
            before = play.closed


@law()
def events_and_questions_have_different_descriptions(game: Game, case: Case) -> None:
    """No event has the description of a question."""
    events, questions = dict[str, Any](), dict[str, Any]()
    for message, lines in _narrate(game, case):
        described = questions if isinstance(message, Question) else events
        described.update(dict.fromkeys(select_sentences(lines), message))
    for words in sorted(events.keys() & questions.keys()):
        raise AssertionError(
            f"{events[words]} has the same description as a question, {words!r}: does `describe`"
            f" have a case for {type(events[words]).__name__}?"
        )


NARRATED_GAMES = 8  # for each of two numbers of seats


def check_narration(game: Game, options: Options) -> None:
    """Raise AssertionError if no seat ever reads a word of an event that is not declared silent.

    Once is enough: how much is worth telling depends on who reads, and on what was told before.
    """
    narrator = game.build_narrator(None, [f"player_{seat}" for seat in range(game.seats[0])])
    read, unread = set[type](), dict[type, Any]()
    for case in _list_narrated_cases(game, options):
        for message, lines in _narrate(game, case):
            if any(lines):
                read.add(type(message))
            elif not isinstance(message, narrator.silent):
                unread.setdefault(type(message), message)
    for kind, event in unread.items():
        assert kind in read, (
            f"no player ever reads a word of {event}; write a sentence for {kind.__name__} in"
            f" `describe` of {locate_definition(type(narrator))}, or declare there that none is"
            f" needed: silent = ({kind.__name__},)"
        )


def _list_narrated_cases(game: Game, options: Options) -> Iterator[Case]:
    """Yield some games of the fewest players and of many, and one for each value of an option."""
    fewest = game.seats[0]
    most = max((seats for seats in game.seats if seats <= MANY_SEATS), default=fewest)
    for number in range(NARRATED_GAMES):
        yield from (Case(options, seats, str(number)) for seats in sorted({fewest, most}))
    yield from (case for case in cases_by_option_value(game, options) if case.seats == fewest)


MAX_REPLAYED = 400  # messages of a game, that are replayed with another event among them
MAX_PAIRS = 8  # announcements of a game that are exchanged
MAX_OTHERS = 6  # events that stand in the place of one


@law()
def wires_know_no_other_match(game: Game, case: Case) -> None:
    """A wire says the same of a match, whatever it says of another one meanwhile."""
    heard, elsewhere = (
        list_messages(game, evolve(case, seed=f"{case.seed}{more}"))[:MAX_REPLAYED]
        for more in ("", " of another match")
    )
    for kind in game.wires:
        seat = sample_seats(case)[0]
        alone, beside, other = ({seat: build_codec(game, case, kind, seat)} for _ in range(3))
        first = [collect_lines(alone, seat, [message]) for message in heard]
        for at, message in enumerate(heard):
            collect_lines(other, seat, elsewhere[at : at + 1])
            again = collect_lines(beside, seat, [message])
            assert again == first[at], (
                f"{kind}: seat {seat} is sent {again} while another match is played, but"
                f" {first[at]} otherwise; keep what a wire remembers in an object for each seat"
            )


@law(seldom=True)
def what_wires_say_again_is_up_to_date(game: Game, case: Case) -> None:
    """What a wire says again of an event is what was announced last, not what was before."""
    heard = list_messages(game, case)[:MAX_REPLAYED]
    pairs = _list_announcements(heard)
    random = case.random("said again")
    for kind, wire in game.wires.items():
        seat = random.choice(sample_seats(case))
        replay = partial(_replay_with, partial(build_codec, game, case, kind, seat), seat, heard)
        for pair in random.sample(pairs, min(MAX_PAIRS, len(pairs))):
            old, new = (heard[at].content for at in (pair.old, pair.new))
            if isinstance(old, wire.keeps):
                continue
            others = random.sample(pair.others, min(MAX_OTHERS, len(pair.others)))
            if line := _find_repetition(replay, pair, old, new, others):
                raise AssertionError(
                    f"{kind}: seat {seat} is sent {line!r} after {new}, but what it says of it"
                    f" follows from {old}, whatever is announced since; where `tell` keeps"
                    f" something of {type(old).__name__}, keep it each time. If the older one is"
                    f" meant, say so: Wire(..., keeps=({type(old).__name__},))"
                )


@frozen
class _Announcement:
    """The places of two announcements of one kind among the messages of a game."""

    old: int
    new: int
    end: int  # the place of the next one, or the number of messages
    others: tuple[Any, ...]  # events that could have been announced instead


def _list_announcements(heard: Sequence[Message]) -> list[_Announcement]:
    """List pairs of public events that differ and follow each other: a class, about one seat."""
    places = dict[tuple[Any, ...], list[int]]()
    for at, message in enumerate(heard):
        if message.kind == "tell" and message.seat is None:
            event = message.content
            places.setdefault((type(event), *_list_seats(event).values()), []).append(at)
    found = list[_Announcement]()
    for (kind, *_), all_ in places.items():
        model = heard[all_[0]].content
        others = {
            repr(other): other
            for message in heard
            if type(message.content) is kind
            for other in (evolve(message.content, **_list_seats(model)),)
        }
        for old, new, end in zip(all_, all_[1:], [*all_[2:], len(heard)], strict=False):
            said = {repr(heard[at].content) for at in (old, new)}
            some = tuple(other for name, other in others.items() if name not in said)
            if len(said) > 1 and some:
                found.append(_Announcement(old, new, end, some))
    return found


def _list_seats(event: Any) -> dict[str, Any]:
    """Return the fields of an event that say whom it is about, if it says anything else."""
    known = [attribute for attribute in fields(type(event)) if attribute.init]
    seats = [attribute.name for attribute in known if holds_seats(attribute)]
    return {name: getattr(event, name) for name in seats} if len(seats) < len(known) else {}


Replay = Callable[[Mapping[int, Any]], list[list[str]] | None]


def _replay_with(
    build: Callable[[], Codec], seat: Seat, heard: Sequence[Message], instead: Mapping[int, Any]
) -> list[list[str]] | None:
    """Return a seat's lines for each message, with some events exchanged.

    Return None if the codec fails, as the exchanged events may contradict others.
    """
    codec, lines = build(), list[list[str]]()
    try:
        for at, message in enumerate(heard):
            changed = evolve(message, content=instead[at]) if at in instead else message
            lines.append(collect_lines({seat: codec}, seat, [changed]))
    except Exception:  # noqa: BLE001  # whatever a codec raises
        return None
    return lines


def _find_repetition(
    replay: Replay, pair: _Announcement, old: Any, new: Any, others: Sequence[Any]
) -> str | None:
    """Return a line behind both events that depends on the old one, and not on the new one."""
    asis, exchanged = replay({}), replay({pair.old: others[0]})
    swapped = replay({pair.old: new, pair.new: old})
    if asis is None or exchanged is None or swapped is None:
        return None
    found = [
        at for at in range(pair.new, pair.end) if asis[at] not in (exchanged[at], swapped[at], [])
    ]
    tried = [lines for other in others if found and (lines := replay({pair.new: other}))]
    return next(
        (asis[at][0] for at in found if tried and all(asis[at] == lines[at] for lines in tried)),
        None,
    )


MAX_MOMENTS = 120  # of a game that are examined


@law()
def zones_serialize_to_json(game: Game, case: Case) -> None:
    """Each zone can be written as JSON, and names who laid all of its cards or none."""
    for _, _, _, zones in _replay_boards(game, case):
        for key, zone in zones.items():
            _check_zone(key, zone, case.seats)


def _check_zone(key: str, zone: Zone, seats: int) -> None:
    try:
        dump(zone.json)
    except (TypeError, ValueError) as problem:
        raise AssertionError(f"{key}: {zone} cannot be written as JSON: {problem}") from None
    assert zone.hidden >= 0, f"{key}: hidden is {zone.hidden}, which is negative"
    _check_cards(key, zone, seats)


def _check_cards(key: str, zone: Zone, seats: int) -> None:
    for card in zone.cards:
        assert type(card) in (str, int), f"{key}: {card!r} is not a card (cards are str or int)"
    laid_by = zone.seats or ()
    assert len(laid_by) in (0, len(zone.cards)), (
        f"{key}: {len(zone.cards)} cards, but {len(laid_by)} seats"
    )
    for seat in (*laid_by, *(() if zone.of is None else (zone.of,))):
        assert seat in range(seats), f"{key}: there is no seat {seat}"


@law()
def boards_change_only_by_their_own_events(game: Game, case: Case) -> None:
    """A viewer's zones do not change when only others are told something, or answer."""
    for perspective, heard, before, after in _replay_boards(game, case):
        sees = perspective.viewer is Spectator.ALL or heard.seat in (None, perspective.viewer)
        assert sees or before == after, (
            f"the zones of {_describe_viewer(perspective.viewer)} changed at {heard.content},"
            " which it was not told"
        )


def _describe_viewer(viewer: Viewer) -> str:
    return f"the spectator {viewer}" if isinstance(viewer, Spectator) else f"seat {viewer}"


def _replay_boards(game: Game, case: Case) -> Iterator[tuple[Perspective, Message, Zones, Zones]]:
    """Yield some perspectives at each moment, with the message and the zones before and after."""
    if game.presentation.board is None:
        return
    names = [f"player_{seat}" for seat in range(case.seats)]
    variant = game.read_variant(case.options)
    perspectives = [
        Perspective(game, variant, names, viewer, page=True)
        for viewer in (*sample_seats(case), *Spectator)
    ]
    for perspective in perspectives:
        perspective.begin()
    after: list[Zones] = [read_zones(_board(perspective)) for perspective in perspectives]
    for heard in list_messages(game, case)[:MAX_MOMENTS]:
        before = after
        for perspective in perspectives:
            _apply_message(perspective, heard)
        after = [read_zones(_board(perspective)) for perspective in perspectives]
        for at, perspective in enumerate(perspectives):
            yield perspective, heard, before[at], after[at]


def _board(perspective: Perspective) -> Board:
    assert perspective.board is not None
    return perspective.board


def _apply_message(perspective: Perspective, heard: Message) -> MatchStep:
    """Pass a message to a perspective, and return its step."""
    match heard.kind:
        case "tell":
            return perspective.see_event(heard.seat, heard.content)
        case "say":
            assert heard.seat is not None
            return perspective.see_answer(heard.seat, *heard.content)
    return MatchStep()


MAX_ANSWERS = 200  # of a question, that are looked up
MAX_ACTIONS = 50_000  # of a game, that are examined


@law()
def actions_include_every_answer(game: Game, case: Case) -> None:
    """The list of actions has every possible answer exactly once, and is always the same."""
    if game.learning.actions is None:
        return
    variant = game.read_variant(case.options)
    actions, again = (game.learning.actions(variant, case.seats) for _ in range(2))
    some = [*sample_options(actions, MAX_ACTIONS)]
    assert some == [*sample_options(again, MAX_ACTIONS)], "the list of actions differs each time"
    known = {repr(action) for action in some}
    assert len(known) == len(some), "an action is listed twice"
    for play in sample_plays(game, case):
        for question in play.pending.values():
            for answer in _sample_answers(question):
                found = repr(answer) in known or answer in actions
                assert found, f"{answer!r} is a possible answer, but not an action"


def _sample_answers(question: Question[Any]) -> Iterable[Any]:
    """Return some possible answers, cards in the order in which they are listed."""
    if isinstance(question.options, Sequence):
        return sample_options(question.options, MAX_ANSWERS)
    return [question.options.draw(Random(number)) for number in range(5)]


@law()
def encoders_rename_each_answer_to_another(game: Game, case: Case) -> None:
    """What an encoder calls answers are the actions again, each once, whatever it was told."""
    if game.learning.encoder is None or game.learning.actions is None:
        return
    encoders = [game.learning.encoder(build_greeting(game, case, at)) for at in range(case.seats)]
    actions = game.learning.actions(game.read_variant(case.options), case.seats)
    if not hasattr(encoders[0], "rename") or len(actions) > MAX_ACTIONS:
        return
    known = sorted(map(repr, actions))
    for play in iterate_plays(game, case):
        for to, event in play.drain():
            for seat in range(case.seats) if to is None else (to,):
                encoders[seat].tell(event)
        for seat in play.pending:
            rename = getattr(encoders[seat], "rename")  # noqa: B009  # few encoders have it
            named = sorted(repr(rename(action)) for action in actions)
            assert named == known, "the encoder gives two answers one name, or one no action has"


@law()
def observations_range_from_0_to_1(game: Game, case: Case) -> None:
    """An observation is a vector of numbers from 0 to 1, of the same length each time.

    An encoder that was read in between gives the same at the end as one that was not.
    """
    if game.learning.encoder is None:
        return
    heard: dict[Seat, list[Any]] = {seat: [] for seat in range(case.seats)}
    for play in iterate_plays(game, case):
        for to, event in play.drain():
            for seat in range(case.seats) if to is None else (to,):
                heard[seat].append(event)
    first = game.learning.encoder(build_greeting(game, case, 0)).observation()
    for seat, events in heard.items():
        asked, unasked = (game.learning.encoder(build_greeting(game, case, seat)) for _ in range(2))
        _check_observation(asked.observation(), len(first))
        for count, event in enumerate(events, 1):
            asked.tell(event)
            unasked.tell(event)
            if count in {1, 2, len(events) // 2, len(events)}:
                _check_observation(asked.observation(), len(first))
        assert [*asked.observation()] == [*unasked.observation()], (
            "reading an observation changes later ones"
        )


def _check_observation(figures: Sequence[float], size: int) -> None:
    assert len(figures) == size, f"{len(figures)} numbers, but {size} in the first observation"
    outside = [figure for figure in figures if not 0 <= figure <= 1]
    assert not outside, f"{outside[0]} is not between 0 and 1"
