"""The rounds of a finished match that changed much for a seat, by the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

from attrs import evolve, frozen

from arena import Game, Mark, MarkedLine, Part, Seat, begin_sentence
from arena.records import Replayer, Transcript
from arena.rules import Sides, find_sides
from arena.wires import find_part, find_title, is_marked, reword
from arena_web.matches.rounds import list_rounds
from arena_web.player_names import label_players
from arena_web.protocol.messages import SeatOutcome
from arena_web.review.own_answers import OwnAnswer, find_own_answers

T = TypeVar("T")
MAX_MOMENTS = 3  # beside the end
NEXT = MarkedLine("", Mark.HEADING)  # in place of a question or the outcome
LEAST_PART = 0.3  # of the largest loss by the score, below which another one is a trifle
MAX_WORDS = 7  # lines on what happened
SKIPPED = (Mark.STATE, Mark.HINT)


@frozen(eq=False)
class Moment:
    """A round of a match, as a seat saw it."""

    line: int  #: of the transcript, counted from 1, where it begins to show
    span: tuple[int, int]  #: the lines of the answers that completed the round before, and it
    title: str  #: its number in the game's words, such as "Turn 3", or "Deal 2, trick 5"
    words: Sequence[str]  #: what happened, as the narrator tells it
    change: float = 0.0  #: of the lead over the best of the others
    answers: Sequence[OwnAnswer] = ()  #: of the seat, in this round
    chapter: str = ""  #: the heading that it shares with other rounds, such as "Deal 2"
    unit: str = "round"  #: what the game calls it

    @property
    def choices(self) -> list[OwnAnswer]:
        """The answers for which the seat had a choice that mattered."""
        return [own for own in self.answers if own.is_decision]

    def find_truth(self, own: OwnAnswer) -> str:
        """Return what the seat could not see at an answer, unless the words tell it."""
        is_told = any(word and own.truth.startswith(word) for word in self.words)
        return "" if is_told else own.truth

    @property
    def is_bad(self) -> bool:
        """Whether it brought the seat bad news."""
        return any(is_marked(word, Mark.LOST) for word in self.words)

    @property
    def is_good(self) -> bool:
        """Whether it brought the seat good news."""
        return any(is_marked(word, Mark.WON) for word in self.words)

    @property
    def wrong(self) -> list[OwnAnswer]:
        """The answers that brought the seat bad news, as it turned out."""
        return [own for own in self.choices if self.is_bad and is_marked(own.truth, Mark.LOST)]


@frozen(eq=False)
class Choice:
    """An answer for which a seat had a choice, with its round."""

    moment: Moment
    own: OwnAnswer

    @property
    def truth(self) -> str:
        """What the seat could not see, unless the words of the round tell it."""
        return self.moment.find_truth(self.own)

    @property
    def is_wrong(self) -> bool:
        """Whether the answer brought the seat bad news, as it turned out."""
        return self.own in self.moment.wrong


@frozen
class Findings:
    """The rounds of a match as one seat sees them, by the score."""

    outcome: SeatOutcome
    moments: Sequence[Moment]  #: that changed the lead most, the weightiest first
    others: Sequence[Moment] = ()  #: the other rounds in which the seat had a choice
    turn: Moment | None = None  #: the round in which the seat took the lead for good, and needed it
    end: Moment | None = None  #: the round in which it ended for the seat, if that was bad news
    is_turned_by_end: bool = False  #: whether the seat fell behind only there
    is_single: bool = False  #: whether the match has one round, which decides it in any case
    unit: str = "round"  #: what the game calls most rounds

    @property
    def rounds(self) -> Sequence[Moment]:
        """The moments and all other rounds in which the seat had a choice."""
        return (*self.moments, *self.others)

    def is_weighty(self, moment: Moment) -> bool:
        """Whether a round in which the seat fell behind is no trifle beside the worst one."""
        worst = min((moment.change for moment in self.rounds), default=0.0)
        return moment.change >= 0 or moment.change <= LEAST_PART * worst

    @property
    def choices(self) -> list[Choice]:
        """The answers for which the seat had a choice, those first with which it fell behind most.

        They are of the rounds that can be told.
        """
        rounds = sorted(self.rounds, key=lambda moment: moment.change)
        return [Choice(moment, own) for moment in rounds for own in moment.choices]


def find_moments(game: Game, transcript: Transcript, seat: Seat) -> Findings:
    """Return the rounds of a finished match that changed the lead of a seat most.

    In a match of several chapters, such as deals, the first are of as many chapters as there are.
    """
    sides = find_sides(transcript.header.read_variant(game), transcript.seats)
    rounds = list_rounds(game, transcript)
    leads = [_compute_lead(sides, round_.scores, seat) for round_ in rounds]
    moments = _build_moments(game, transcript, seat, [round_.end for round_ in rounds], leads)
    if len(moments) == 1:  # and of a sitting maybe the third: it has no number
        moments = [evolve(moments[0], title=f"This {game.unit}")]
    outcome = find_outcome(leads[-1])
    decisive = _choose_decisive(moments, outcome)
    others = [moment for moment in moments if moment not in decisive and moment.choices]
    turn = _find_turn(moments, leads)
    is_turned = bool(moments and moments[-1].answers and leads[-2] >= 0)
    end = _find_end(moments, is_turn=is_turned) if outcome is SeatOutcome.LOST else None
    units = Counter(moment.unit for moment in moments).most_common(1)
    unit = units[0][0] if units else game.unit
    is_single = len(moments) == 1
    return Findings(outcome, decisive, others, turn, end, is_turned, is_single, unit)


def _build_moments(
    game: Game, transcript: Transcript, seat: Seat, ends: Sequence[int], leads: Sequence[float]
) -> list[Moment]:
    """Return all rounds of a match, given the line of the answer and the lead at the end of each.

    The first of these is what was before the first round.
    """
    account = _read_account(game, transcript, seat)
    answers = find_own_answers(game, transcript, seat)
    moments = list[Moment]()
    changes = [after - before for before, after in pairwise(leads)]
    headings = Counter[str]()
    for number, (span, change) in enumerate(zip(pairwise(ends), changes, strict=True), 1):
        own = [answer for answer in answers if span[0] < answer.line <= span[1]]
        named, words = account.find(span)
        part = named or Part(game.unit, number)
        title = part.title
        if not named and (heading := account.find_heading(span)):  # as the log names it
            headings[heading] += 1
            title = heading if headings[heading] == 1 else f"{heading} ({headings[heading]})"
        choices = [answer.line + 1 for answer in own if answer.is_choice]
        moments.append(
            Moment(
                choices[0] if choices else words[0][0] if words else span[1],
                span,
                title,
                [word for _, word in words][-MAX_WORDS:],
                change,
                own,
                unit=part.unit,
            )
        )
    return name_apart(moments)


def _find_turn(moments: Sequence[Moment], leads: Sequence[float]) -> Moment | None:
    """Return the round in which the winner took the lead from others for good; None without one.

    It answered there, and without what it gained it would not have won. The first of the leads is
    before the first round.
    """
    behind = [place for place, lead in enumerate(leads) if lead <= 0]
    if leads[-1] <= 0 or min(leads) >= 0:
        return None
    turn = moments[behind[-1]]
    is_own = any(not is_marked(own.truth, Mark.LOST) for own in turn.answers)
    return turn if is_own and turn.change >= leads[-1] else None


def _choose_decisive(moments: Sequence[Moment], outcome: SeatOutcome) -> list[Moment]:
    """Return the rounds that changed the lead most, in the direction of the outcome.

    Those go first in which the seat had a choice: who has lost, one that was not proved right; who
    has won, one that was not proved wrong. Who has won reads of good news, too.
    """
    contrary = {SeatOutcome.LOST: [Mark.WON], SeatOutcome.WON: [Mark.LOST]}.get(outcome, [])
    changes = [moment for moment in moments if _is_due_to(moment.change, outcome)]
    telling = [
        moment
        for moment in changes
        if any(not is_marked(own.truth, *contrary) for own in moment.choices)
        or (outcome is SeatOutcome.WON and moment.chapter and moment.is_good)
    ]
    latest_first = reversed(telling or changes)  # of equal changes the last one decided
    weightiest = sorted(latest_first, key=lambda moment: -abs(moment.change))
    return spread(weightiest, lambda moment: moment.chapter)[:MAX_MOMENTS]


def find_outcome(lead: float) -> SeatOutcome:
    """Return the outcome for a seat that is so far ahead of the best of the others."""
    if lead == 0:
        return SeatOutcome.TIED
    return SeatOutcome.WON if lead > 0 else SeatOutcome.LOST


def _is_due_to(change: float, outcome: SeatOutcome) -> bool:
    """Whether a change of the lead, if it is one, went with the outcome."""
    return change != 0 and (outcome is SeatOutcome.TIED or find_outcome(change) is outcome)


def spread(items: Iterable[T], find_chapter: Callable[[T], str]) -> list[T]:
    """Return items so that the first of each chapter come first, then the second of each.

    Items of no chapter stand by themselves.

    >>> spread(["a1", "a2", "b1", "a3"], lambda item: item[0])
    ['a1', 'b1', 'a2', 'a3']
    """
    listed = Counter[str]()
    places = list[tuple[int, T]]()
    for item in items:
        chapter = find_chapter(item)
        places.append((listed[chapter] if chapter else 0, item))
        listed[chapter] += 1
    return [item for _, item in sorted(places, key=itemgetter(0))]


def name_apart(moments: Sequence[Moment]) -> list[Moment]:
    """Return moments with a title each: those of one heading get the part that they begin with.

    Where none is told, they are numbered within their chapter.
    """
    sizes = Counter(moment.title for moment in moments)
    titles, places = set[str](), Counter[str]()
    named = list[Moment]()
    for moment in moments:
        if sizes[chapter := moment.title] > 1:
            places[chapter] += 1
            part, words = _split_part(moment.words)
            title = f"{chapter}, {part}" if part else chapter
            title = f"{chapter}, round {places[chapter]}" if title in titles else title
            unit = part.unit if part else moment.unit
            named.append(evolve(moment, title=title, words=words, chapter=chapter, unit=unit))
            titles.add(title)
        else:
            named.append(moment)
    return named


def _split_part(words: Sequence[str]) -> tuple[Part | None, Sequence[str]]:
    """Return the part that the first of these sentences begins, and them without its name."""
    part = find_part(words[0]) if words else None
    if part is None:
        return None, words
    first = reword(words[0], words[0].removeprefix(f"{part.title}: "))
    return part, [begin_sentence(first), *words[1:]]


def _find_end(moments: Sequence[Moment], *, is_turn: bool) -> Moment | None:
    """Return the last round in which a seat answered, if it was bad news.

    One in which the seat had nothing to decide is told if it turned the match.
    """
    own_rounds = [moment for moment in moments if moment.answers]
    if not own_rounds:
        return None
    last = own_rounds[-1]
    if not last.is_bad or not (is_turn or last.choices):
        return None
    return evolve(last, title=f"{last.title}, the end") if len(moments) > 1 else last


def _compute_lead(sides: Sides, scores: Sequence[float], seat: Seat) -> float:
    """Return how far a seat's side is ahead of the best of the others, below 0 if it is behind."""
    others = [scores[side[0]] for side in sides if seat not in side]
    return scores[seat] - max(others, default=0.0)


def _read_account(game: Game, transcript: Transcript, seat: Seat) -> _Account:
    """Return all that a seat reads of what is announced, with its lines."""
    header = transcript.header
    names = label_players(header)
    replayer = Replayer.of(game, header, [seat], names, page=True)
    replayer.begin()
    lines: list[tuple[int, str]] = []
    for line in transcript.lines:
        words = [word for step in replayer.take(line) for word in step.words]
        if "outcome" in line.value:
            words = [NEXT]
        elif "question" in line.value:  # after what happened since, as far as it was not told
            words = [NEXT, *_drop_question(words)]
        elif line.value.get("to") is not None:
            words = []
        lines += [(line.number, word) for word in words if not is_marked(word, *SKIPPED)]
    return _Account(lines)


def _drop_question(words: Sequence[str]) -> Sequence[str]:
    """Return the sentences before a question."""
    at = find_title(words)
    return () if at is None else words[:at]


@frozen
class _Account:
    """What a seat reads, with its lines; headings stand where something new begins."""

    lines: Sequence[tuple[int, str]]

    def find(self, span: tuple[int, int]) -> tuple[Part | None, list[tuple[int, str]]]:
        """Return the part of the match that a round is, if it has a number, and its sentences.

        What is told after the answer that completed a round, up to the next heading or question,
        belongs to that round.
        """
        begin, end = self._find_range(span)
        titles = [word for _, word in self.lines[:end] if is_marked(word, Mark.HEADING) and word]
        words = [pair for pair in self.lines[begin:end] if not is_marked(pair[1], Mark.HEADING)]
        return find_part(titles[-1]) if titles else None, words

    def find_heading(self, span: tuple[int, int]) -> str:
        """Return the heading that a round begins with, without its full stop; empty without one."""
        begin, end = self._find_range(span)
        words = [word for _, word in self.lines[begin:end] if is_marked(word, Mark.HEADING)]
        return next((word.removesuffix(".") for word in words if word), "")

    def _find_range(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return where what is told of a round begins, and where it ends."""
        new = [at for at, (_, word) in enumerate(self.lines) if is_marked(word, Mark.HEADING)]
        begin, end = (
            next((at for at in new if self.lines[at][0] > over), len(self.lines)) for over in span
        )
        return begin, end
