"""What an agent is shown of its seat: what was told, the open question, the end.

All of it is read from the events of the seat's feed, from which its page is drawn, too. So an agent
is shown nothing that a person there is not, and a call that is repeated shows the same again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, starmap
from time import time
from typing import Any

from attrs import define, field

from arena.wires import Mark, build_answer_schema
from arena_web.http.sse import EventBroadcast
from arena_web.play.chairs import Chair, OpenQuestion
from arena_web.protocol.json_format import to_json
from arena_web.protocol.messages import MatchEnd, Refusal, SeatLost, Steps

MAX_DIGITS = 9  # of a place in a feed
HIDDEN_MARKS = (Mark.HINT.value, Mark.FREE_TEXT.value)
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
        events, start = chair.feed.events, find_place(chair.feed, since)
        told = chain.from_iterable(starmap(list_news, islice(events, start, None)))
        state = cls(f"{chair.feed.key}:{len(events)}", [*told])
        refusals: dict[int, str] = {}
        for name, data in reversed(events):  # a call costs what is new, not the whole match
            if name == MatchEnd.event:
                end = MatchEnd.read(data)
                state.over = {"result": end.said, "players": to_json(end.rows)}
            elif name == Refusal.event:
                refusals.setdefault(data["n"], data["why"])
            elif name == Steps.event and (number := find_last_question(data)) is not None:
                break
        else:
            number = 0
        question = chair.question
        if question is not None and question.number == number:
            state.question = describe_question(question)
            state.refused = refusals.get(number, "")
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
    """Return the number of events that an agent knows: none of those of another feed.

    After a restart of the server a seat has a new feed, in which it is told everything anew.
    """
    key, _, number = since.partition(":")
    is_known = (
        key == feed.key and number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
    )
    return int(number) if is_known else 0


def list_news(name: str, data: Any) -> Iterator[str]:
    """Yield the lines of an event of a feed."""
    if name == Steps.event:
        yield from chain.from_iterable(map(list_lines, data))
    elif name == SeatLost.event:
        lost = SeatLost.read(data)
        yield f"{lost.why} {lost.then}".strip()


def find_last_question(steps: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the question that is open after these steps; 0: none is; None: as it was before."""
    for step in reversed(steps):
        if "closed_question" in step or "left" in step:
            return 0
        if "ask" in step:
            return int(step["ask"]["n"])
    return None


def list_lines(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a step: what happened, and how things stand."""
    for line in step.get("t", ()):
        mark, text = line if isinstance(line, list) else ("", line)
        if text and mark not in HIDDEN_MARKS:
            yield text
    yield from step.get("s", ())


def describe_question(question: OpenQuestion) -> dict[str, Any]:
    """Return a question as JSON, from the form in which the page of the seat has it."""
    form = question.form
    labels, standing, allowed = form.options.get("labels"), form.standing_answers, form.allowed
    return {
        "n": question.number,
        "title": form.title,
        **({"labels": labels} if labels else {}),
        **({"standing_answers": standing} if standing else {}),
        "answer_schema": build_answer_schema(question.state.question.options),
        "default": form.default,
        "seconds_left": allowed and round(max(0.0, form.at + allowed - time()), 1),
    }
