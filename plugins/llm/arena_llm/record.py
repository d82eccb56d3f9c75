"""What a model was asked and said in a match: a file of JSON lines for each seat of each match.

It is named by the seat's seed and number. The first line has what holds for the whole
match; each other one has a question, all replies to it with what they took, and the answer. A line
holds what is new in its prompt: all `history` up to it, and its `question`, are the whole prompt.

A table that is resumed asks its programs again what they have answered. So a record is a cache,
too: the same question with the same prompt has the answer that stands here. It holds hidden cards,
as a transcript does, and only its owner may read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena import Seat, UserError
from arena.files import open_private
from arena.wires import describe_unknown_format, dump

FORMAT = 1
SUFFIX = ".jsonl"
RECORD_VARIABLE = "ARENA_LLM_RECORD"
"""Names the folder of records of which replays show the reasons, beside the answers."""


class MatchRecord:
    """The record of a seat in a match, with what it holds already."""

    def __init__(self, folder: Path, seed: str, seat: Seat, header: Mapping[str, Any]) -> None:
        self._path = folder / name_record(seed, seat)
        folder.mkdir(parents=True, exist_ok=True)
        self._answers = self._read()
        if self._path.stat().st_size == 0:
            self.write({"format": FORMAT, "seat": seat, **header})

    def find(self, number: int, prompt_hash: str) -> Mapping[str, Any] | None:
        """Return the line of a question that was answered before, with the same prompt."""
        return self._answers.get((number, prompt_hash))

    def write(self, line: Mapping[str, Any]) -> None:
        """Write a line."""
        with open(self._path, "a", encoding="ascii", opener=open_private) as file:
            file.write(f"{dump(line)}\n")

    def _check_header(self, text: bytes) -> None:
        """Raise UserError if another version wrote this first line; a damaged one is forgotten."""
        with suppress(ValueError, KeyError, TypeError):
            version = json.loads(text)["format"]
            if version != FORMAT:
                raise UserError(f"{self._path}: {describe_unknown_format(version, FORMAT)}")

    def _read(self) -> dict[tuple[int, str], Mapping[str, Any]]:
        """Read the lines; drop a last one that was cut off by a kill."""
        answers = {}
        with open(self._path, "a+b", opener=open_private) as file:
            file.seek(0)
            end = 0
            for text in file:
                if not text.endswith(b"\n"):
                    break
                if end == 0:
                    self._check_header(text)
                end += len(text)
                with suppress(ValueError, KeyError, TypeError):
                    line = json.loads(text)
                    if not line["forfeit"]:
                        answers[line["ask"], line["prompt"]] = line
            file.truncate(end)
        return answers


def name_record(seed: str, seat: Seat) -> str:
    """Return the name of the file for a seat with its seed; in a trial match all have one seed."""
    name = seed if seed.isalnum() and seed.isascii() else sha256(seed.encode()).hexdigest()
    return f"{name}-{seat}{SUFFIX}"
