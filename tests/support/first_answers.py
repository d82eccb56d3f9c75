"""Programs and bots that answer first or pass where the rules take the first answer."""

from __future__ import annotations

from arena import Bot, Question
from tests.support.programs import HostedMatch
from tests.support.toys import PICK, TOY, Answers, Note

WIRE = TOY.build_codec("json", 0)


PRELUDE = """
import json, sys
def say(value):
    print(json.dumps(value), flush=True)
def messages():
    for line in sys.stdin:
        yield json.loads(line)
said = 0
"""


ANSWERS = """
    elif message.get("ask") == "Say":
        said += 1
        say(f"word {said}")
"""


FIRST = (
    PRELUDE + "for message in messages():\n    if message.get('ask') == 'Pick': say(1)" + ANSWERS
)


PASSES = FIRST.replace("say(1)", "say(2)")


WAITS = PRELUDE + "for message in messages():\n    if 'withdraw' in message: say(2)" + ANSWERS


"""Never answers the question that may be passed, until it is told that the ask is over."""


OWES = (
    PRELUDE
    + """
owed = 0
for message in messages():
    if "withdraw" in message:
        owed += 1
    elif message.get("ask") == "Say":
        for _ in range(owed):
            say("late")
        owed = 0
        said += 1
        say(f"word {said}")
"""
)


"""Says all that it owes only when it is asked for something else."""


class One(Bot):
    """Answers at once, and never passes."""

    def choose(self, question: Question[object]) -> object:
        return 1 if question.options == PICK.options else "mine"


class Two(Bot):
    """Always passes."""

    def choose(self, question: Question[object]) -> object:
        return 2 if question.options == PICK.options else "mine"


def list_first_seats(hosted: HostedMatch) -> list[int]:
    """Return who was first in each round in which somebody was."""
    asks = [event.pairs for _, event in hosted.seen.told_ if isinstance(event, Answers)]
    return [seat for pairs in asks for seat, _ in pairs]


def list_words(hosted: HostedMatch, seat: int) -> list[str]:
    """Return what a seat said where all had to say something."""
    notes = [event.text for _, event in hosted.seen.told_ if isinstance(event, Note)]
    return [note.removeprefix(f"{seat} said ") for note in notes if note.startswith(f"{seat} ")]


def check_finished(hosted: HostedMatch) -> None:
    """See that the match was finished, and nobody has a verdict."""
    assert hosted.outcome.end == "finished", hosted.outcome
    assert hosted.outcome.verdicts == {}
