"""`replay`: all of it for who watches, and through one seat's eyes nothing that it was not shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records import (
    UnreadableTranscriptError,
    parse_lines,
    replay_for_seat,
    replay_for_spectator,
)
from arena.rules import UserError
from arena.wires import AnswerEvent, Greeting, freeze, separate_headings
from tests.support.transcripts import GAMES, MATCHES, change_line, load_recorded_match

SHOWN = [match for match in MATCHES if not match.startswith("toy")]


def allowed(match: str, seat: int) -> list[str]:
    """Return what a seat's own narrator says of what it was told, asked and said by the transcript."""
    game, lines = load_recorded_match(match)
    header, *rest = map(json.loads, lines)
    names = [f"seat {number}" for number in range(len(header["seats"]))]
    narrator = game.build_narrator(seat, names)
    variant = game.read_variant(header["variant"])
    shown = [*narrator.tell(Greeting(game.name, seat, len(names), variant, ""))]
    question: Any = None
    for value in rest:
        if "event" in value and value["to"] in (None, seat):
            shown += narrator.tell(game.vocabulary.unpack(value["event"]))
        elif "question" in value and value["to"] == seat:
            question = game.vocabulary.unpack(value["question"])
            shown += narrator.ask(question)
        elif "withdrawn" in value and value["to"] == seat:
            shown += narrator.withdraw(question)
        elif value.get("from") == seat:
            answer = freeze(value["answer"])
            shown.append(f"> {narrator.say(question, answer)}")
            narrator.tell(AnswerEvent(seat, question, answer))
    return [*separate_headings(shown)]


@pytest.mark.parametrize("match", SHOWN)
def test_through_a_seats_eyes(match: str) -> None:
    """Exactly what that seat was told and asked, and what it answered."""
    game, lines = load_recorded_match(match)
    transcript = parse_lines(lines)
    for seat in range(transcript.seats):
        assert [*replay_for_seat(game, transcript, seat)] == allowed(match, seat)


@pytest.mark.parametrize("match", SHOWN)
def test_nothing_that_others_were_told_changes_what_a_seat_sees(match: str) -> None:
    """Not a byte: other seats' private events, questions, answers, names, verdicts, the seed."""
    game, lines = load_recorded_match(match)
    for seat in range(parse_lines(lines).seats):
        before = [*replay_for_seat(game, parse_lines(lines), seat)]
        kept = []
        for line in lines:
            value = json.loads(line)
            if "seed" in value:
                value["seed"], value["match"] = "another", "another"
                value["seats"] = [{"name": "x", "bot": "y"} for _ in value["seats"]]
            elif (
                value.get("to", seat) not in (None, seat)
                or value.get("from", seat) != seat
                or "verdict" in value
            ):
                continue
            elif "outcome" in value:
                value["outcome"].update(scores=None, places=None, end="void", detail="secret")
            kept.append(json.dumps(value))
        assert [*replay_for_seat(game, parse_lines(kept), seat)] == before


def test_verdicts_are_shown() -> None:
    """With the name of who failed, why, what it said, and the last of its standard error."""
    game, lines = load_recorded_match("gops-verdicts")
    values = [json.loads(line) for line in lines]
    for value in values:
        if value.get("verdict", {}).get("kind") == "malformed":
            value["verdict"]["stderr"] = "\n".join(f"step {step} \x1b[31m" for step in range(40))
    shown = [*replay_for_spectator(game, parse_lines([json.dumps(value) for value in values]))]
    heads = [line for line in shown if line.startswith("***")]
    assert any(line.startswith("*** Player_1: crashed, closed its output") for line in heads)
    (at,) = [at for at, line in enumerate(shown) if line.startswith("*** Player_2: malformed, a ")]
    assert shown[at].endswith(" (asked Bid)")
    assert shown[at + 1] == "    it said 'ten'"
    assert shown[at + 2 : at + 7] == [f"    stderr: step {step} ?[31m" for step in range(35, 40)]
    assert not shown[at + 7].startswith("    stderr")


@pytest.mark.parametrize("match", SHOWN)
@given(random=st.randoms(use_true_random=False))
def test_a_transcript_with_anything_in_it_is_shown_or_unreadable(match: str, random: Any) -> None:
    """The line that cannot be shown is named, and there is never a traceback."""
    game, lines = load_recorded_match(match)
    some = [*lines]
    at = random.randrange(len(some))
    _, some[at] = change_line(some[at], random)
    try:
        transcript = parse_lines(some)
        shown = [*replay_for_spectator(game, transcript), *replay_for_seat(game, transcript, 0)]
        assert all(isinstance(line, str) for line in shown)
    except UserError as problem:
        assert isinstance(problem, UnreadableTranscriptError)  # noqa: PT017  # either will do
        assert str(problem).startswith("line ")  # noqa: PT017


def test_every_game_is_among_the_recorded() -> None:
    """A game that is installed is tested here, too."""
    assert {*GAMES} == {match.partition("-")[0] for match in MATCHES}
