"""What an agent is shown of its seat: what was told, the open question, the end.

All of it is read from the events of the seat's feed, from which its page is drawn, too. So an agent
is shown nothing that a person there is not, and a call that is repeated shows the same again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import time
from typing import Any

from attrs import define, field

from arena.wires import Mark, build_answer_schema
from arena_web.http.sse import STEPS, EventBroadcast
from arena_web.play.seats import BrowserSeat, OpenQuestion

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
    def read(cls, chair: BrowserSeat, since: str = "") -> SeatState:
        """Return the state of a seat; an unknown `since` tells everything."""
        feed, start = chair.feed, find_place(chair.feed, since)
        state = cls(f"{feed.key}:{len(feed.events)}")
        for number, (name, data) in enumerate(feed.events):
            state._take(name, data, is_news=number >= start)
        open_question = chair.question
        asked = state.question
        if asked is None or open_question is None or open_question.number != asked["n"]:
            state.question, state.refused = None, ""
        else:
            state.question = describe_question(open_question)
        return state

    def _take(self, name: str, data: Any, *, is_news: bool) -> None:
        """Take the next event of the feed."""
        if name == STEPS:
            for step in data:
                if is_news:
                    self.told += list_lines(step)
                if "ask" in step:
                    self.question, self.refused = step["ask"], ""
                if "closed" in step or step.get("over"):
                    self.question = None
        elif name == "no" and self.question and data["n"] == self.question["n"]:
            self.refused = data["why"]
        elif name == "out" and is_news:
            self.told.append(f"{data['why']} {data['then']}".strip())
        elif name == "end":
            self.over = {"result": data["said"], "players": data["rows"]}

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
    labels, standing, allowed = form["options"].get("labels"), form["standing"], form["allowed"]
    return {
        "n": question.number,
        "title": form["title"],
        **({"labels": labels} if labels else {}),
        **({"standing_answers": standing} if standing else {}),
        "answer_schema": build_answer_schema(question.state.question.options),
        "default": form["default"],
        "seconds_left": allowed and round(max(0.0, form["at"] + allowed - time()), 1),
    }
