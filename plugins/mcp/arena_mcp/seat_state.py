"""What an agent is shown of its seat: what was told, the open question, the end.

All of it is read from the messages of the seat's feed, from which its page is drawn, too. So an
agent is shown nothing that a person there is not, and a call that is repeated shows the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from time import time
from typing import Any

from attrs import define, field

from arena.records import MatchStep
from arena.wires import Mark, build_answer_schema, is_marked
from arena_web.http.sse import EventBroadcast
from arena_web.play.chairs.chair import Chair, OpenQuestion
from arena_web.protocol.json_format import to_json
from arena_web.protocol.messages import MatchEnd, Message, Refusal, SeatLost, SeatStep, Steps

MAX_DIGITS = 9  # of a place in a feed
HIDDEN_MARKS = (Mark.HINT, Mark.FREE_TEXT)
"""The marks of lines for people: what may be typed, and what other players have typed."""


@define
class SeatState:
    """What a seat was told after `since`, and what it is asked; `json` is what an agent gets."""

    since: str  #: the place in the feed up to which this tells all
    told: list[str] = field(factory=list)  #: what happened, in the words of the game
    question: dict[str, Any] | None = None  #: that is open
    refused: str = ""  #: why the last answer to it was not taken
    over: dict[str, Any] | None = None  #: how the match came out
    note: str = ""  #: what else there is to say

    @classmethod
    def read(cls, chair: Chair, since: str = "") -> SeatState:
        """Return the state of a seat; an unknown `since` tells everything."""
        messages, start = chair.feed.messages, find_place(chair.feed, since)
        told = chain.from_iterable(map(list_news, islice(messages, start, None)))
        state = cls(f"{chair.feed.key}:{len(messages)}", [*told])
        refusals: dict[int, str] = {}
        number: int | None = None
        for message in reversed(messages):  # a call costs what is new, not the whole match
            match message:
                case MatchEnd():
                    state.over = {"result": message.said, "players": to_json(message.rows)}
                case Refusal(n, why):
                    refusals.setdefault(n, why)
                case Steps(steps):
                    number = find_last_question(steps)
            if number is not None:
                break
        question = chair.question
        if question is not None and question.number == number:
            state.question = describe_question(question)
            state.refused = refusals.get(question.number, "")
        return state

    @property
    def is_waiting(self) -> bool:
        """Whether there is nothing to do for the seat but to wait."""
        return not (self.question or self.over)

    @property
    def json(self) -> dict[str, Any]:
        """Return the state as JSON, without what is empty."""
        state = {
            "question": self.question, "refused": self.refused, "over": self.over,
            "note": self.note,
        }  # fmt: skip
        shown = {name: value for name, value in state.items() if value}
        return {"told": self.told, **shown, "waiting": self.is_waiting, "since": self.since}


def find_place(feed: EventBroadcast, since: str) -> int:
    """Return the number of messages that an agent knows: none of those of another feed.

    After a restart of the server a seat has a new feed, in which it is told everything anew.
    """
    key, _, number = since.partition(":")
    is_known = (
        key == feed.key and number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
    )
    return int(number) if is_known else 0


def list_news(message: Message) -> Iterator[str]:
    """Yield the lines of a message of a feed."""
    match message:
        case Steps(steps):
            yield from chain.from_iterable(map(list_lines, steps))
        case SeatLost():
            yield f"{message.why} {message.then}".strip()


def find_last_question(steps: Sequence[MatchStep | SeatStep]) -> int | None:
    """Return the question that is open after these steps; 0: none is; None: as it was before."""
    for step in reversed(steps):
        if isinstance(step, SeatStep):
            if step.closed_question is not None or step.left:
                return 0
            if step.ask:
                return step.ask.n
    return None


def list_lines(step: MatchStep | SeatStep) -> Iterator[str]:
    """Yield the lines of a step: what happened, and how things stand."""
    shown = step.shown if isinstance(step, SeatStep) else step
    if shown:
        words = (word for word in shown.words if word and not is_marked(word, *HIDDEN_MARKS))
        yield from map(str, (*words, *shown.state))


def describe_question(question: OpenQuestion) -> dict[str, Any]:
    """Return a question as JSON, from the form in which the page of the seat has it."""
    form = question.form
    labels = [choice.label for choice in form.choices]
    standing, allowed = form.standing_answers, form.allowed
    return {
        "n": question.number,
        "title": form.title,
        **({"labels": labels} if labels else {}),
        **({"standing_answers": standing} if standing else {}),
        "answer_schema": build_answer_schema(question.state.question.options),
        "default": form.default,
        "seconds_left": allowed and round(max(0.0, form.at + allowed - time()), 1),
    }
