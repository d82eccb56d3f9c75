"""What models left in their records: tries, faults, tokens, cost, mixes and reasons."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import frozen

from arena import Annotation, Game, InformationState, Seat
from arena.plugins import AnswerShares
from arena.records import Transcript
from arena.rules import derive_seed
from arena.wires import to_printable
from arena_llm.conversation import Conversation
from arena_llm.record import RECORD_VARIABLE, name_record
from arena_llm.settings import AnswerForm, Guidance, Usage

MAX_REASON_LENGTH = 300  # characters of a reason that are shown


@frozen
class SeatDecisions:
    """What a model decided in a seat of a match."""

    header: Mapping[str, Any]  #: what holds for the whole match
    lines: Sequence[Mapping[str, Any]]  #: one for each question that the model was asked

    @property
    def usage(self) -> Usage:
        """What all questions took."""
        return sum((Usage(**line["usage"]) for line in self.lines), Usage())

    @property
    def way(self) -> str:
        """How the model was asked, such as `mix, list`; results of two ways differ."""
        shuffled = ["shuffled"] if self.header.get("shuffle") else []
        return ", ".join([self.header["form"], self.header["guidance"], *shuffled])

    def find_reason(self, number: int) -> str:
        """Return the reason for the answer to a question, counted from 1, or nothing."""
        reasons = (line["reasoning"] for line in self.lines if line["ask"] == number)
        reason = to_printable(next(reasons, ""))
        if len(reason) <= MAX_REASON_LENGTH:
            return reason
        return f"{reason[:MAX_REASON_LENGTH]}..."


@frozen
class RecordFolder:
    """A folder of records; where there is none, nobody left any."""

    path: Path | None = None

    def find(self, match: str, seat: Seat) -> SeatDecisions | None:
        """Return the record of a seat in a match, given the match's key, if there is one."""
        if self.path is None:
            return None
        path = self.path / name_record(derive_seed(match, "bot", seat), seat)
        with suppress(OSError, ValueError, KeyError):
            text = path.read_text("ascii")
            header, *lines = [json.loads(line) for line in text.splitlines(keepends=True)
                              if line.endswith("\n")]  # fmt: skip
            return SeatDecisions(header, lines)
        return None

    def find_mix(self, game: Game, state: InformationState, match: str) -> AnswerShares | None:
        """Return the mix of a model's answers in a state, or None where it gave one answer."""
        record = self.find(match, state.seat)
        mix = record.lines[-1]["mix"] if record and record.lines else None
        if not mix:
            return None
        talk = Conversation(game, state.greeting)
        for event in state.events:
            talk.hear(event)
        choices, _ = talk.ask(state.question, AnswerForm.MIX, Guidance.FREE)
        return choices.read_shares(mix)


def list_question_numbers(transcript: Transcript, seat: Seat) -> dict[int, int]:
    """Return the number of the question that each answer of a seat is to, by its line.

    Questions of a seat are counted from 1, as its record counts them.
    """
    numbers, asked = dict[int, int](), 0
    for line in transcript.lines:
        match line.value:
            case {"to": to, "question": _} if to == seat:
                asked += 1
            case {"from": by} if by == seat:
                numbers[line.number] = asked
    return numbers


def annotate_reasons(transcript: Transcript) -> list[Annotation]:
    """Return the reasons that models gave for their answers, if their records are named."""
    folder = os.environ.get(RECORD_VARIABLE)
    if not folder:
        return []
    notes = []
    for seat in range(transcript.seats):
        record = RecordFolder(Path(folder)).find(transcript.header.match, seat)
        for line, number in list_question_numbers(transcript, seat).items() if record else ():
            if record and (reason := record.find_reason(number)):
                notes.append(Annotation(line, f"{transcript.header.names[seat]}: {reason}", seat))
    return sorted(notes, key=lambda note: note.line)
