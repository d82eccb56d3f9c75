"""The answers of a seat in a finished match, with what it knew and what it could not see."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

from attrs import frozen

from arena import (
    AnswerEvent,
    Between,
    Game,
    Greeting,
    Narrator,
    OneOf,
    Question,
    Seat,
    SomeOf,
    Text,
)
from arena.records import Perspective, Replayer, Transcript
from arena.search import rewind
from arena.wires import freeze
from arena_web.hints import KnownState
from arena_web.player_names import label_players
from arena_web.review.idle_answers import find_idle_answers


@frozen(eq=False)
class OwnAnswer:
    """An answer of a seat."""

    line: int  #: of its question
    state: KnownState  #: what the seat knew
    answer: Any
    say: Callable[[Any], str]  #: writes an answer in the words of the game
    truth: str  #: what the seat could not see
    is_choice: bool  #: whether the seat had others to choose from
    is_idle: bool = False  #: whether all of them would have led to the same position

    @property
    def is_decision(self) -> bool:
        """Whether another answer could have changed anything."""
        return self.is_choice and not self.is_idle


def find_own_answers(game: Game, transcript: Transcript, seat: Seat) -> list[OwnAnswer]:
    """Return the answers of a seat, with what is known of each by who has seen everything."""
    header = transcript.header
    variant = header.read_variant(game)
    names = label_players(header)
    narrator = game.build_narrator(seat, names)
    greeting = Greeting(game.name, seat, transcript.seats, variant, header.match)
    narrator.tell(greeting)
    watching = Perspective(game, variant, names)
    replayer = Replayer([watching])
    replayer.begin()
    events: list[Any] = []
    ask: tuple[int, Question[Any]] | None = None
    junctures = dict(rewind(game, transcript, seat))
    idle = {*find_idle_answers(game, transcript, seat)}
    own_answers: list[OwnAnswer] = []
    for line in transcript.lines:
        match line.value:
            case {"to": None | int() as to, "event": packed} if to in {None, seat}:
                event = game.vocabulary.unpack(packed)
                narrator.tell(event)
                events.append(event)
            case {"to": int(to), "question": packed} if to == seat:
                ask = line.number, game.vocabulary.unpack(packed)
            case {"from": int(who), "answer": answer, "fallback": fallback} if who == seat and ask:
                number, question = ask
                value = question.options.read(freeze(answer))
                if not fallback:
                    state = KnownState(greeting, tuple(events), question, junctures[line.number])
                    # what an answer is called may depend on what was told so far, as in poker
                    say = partial(deepcopy(narrator).say, question)
                    truth = watching.narrator.reveal(seat, question, value)
                    is_choice = has_choice(narrator, question)
                    own_answers.append(
                        OwnAnswer(number, state, value, say, truth, is_choice, line.number in idle)
                    )
                narrator.tell(AnswerEvent(seat, question, value))
        replayer.take(line)
    return own_answers


def has_choice(narrator: Narrator, question: Question[Any]) -> bool:
    """Return whether there are several answers, to a question that is about the game."""
    match question.options:
        case Text():
            return False
        case OneOf() | Between() as options if len(options) == 1:
            return False
        case SomeOf() as options if options.total == 1:
            return False
    return narrator.find_forced_answer(question) is None
