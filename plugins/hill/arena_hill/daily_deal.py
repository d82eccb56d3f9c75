"""The deal of the day on a hill: what its bots are to play, and how each did, in two files.

The web server, which draws the deals, says what it is, and the judge, which has the sandbox, has
each bot play it once. A file that is not there, or cannot be read, is no error: nobody has said
yet what it is, or nobody has played.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from arena import Seat
from arena.files import write_durably
from arena.wires import read


@frozen
class DailyDeal:
    """A match that is the same for all, but for who has one of its seats."""

    day: str  #: as ISO 8601 writes it
    game: str
    variant: Mapping[str, Any]  #: as JSON
    seed: str
    key: str  #: of the match
    names: tuple[str, ...]  #: of the players, in seat order
    bots: tuple[str, ...]  #: what they are
    seat: Seat  #: of whoever plays the deal


@frozen
class DailyScore:
    """How a bot did."""

    place: int
    players: int
    score: float
    is_shared: bool  #: whether others finished at the same place


@frozen
class DailyFolder:
    """The folder with both files."""

    path: Path

    @property
    def _deal_file(self) -> Path:
        return self.path / "daily-deal.json"

    @property
    def _scores_file(self) -> Path:
        return self.path / "daily-scores.json"

    def read_deal(self) -> DailyDeal | None:
        """Return the deal that is to be played."""
        with suppress(OSError, ValueError):
            return read(json.loads(self._deal_file.read_bytes()), DailyDeal)
        return None

    def write_deal(self, deal: DailyDeal) -> None:
        """Write the deal that is to be played; raise OSError where that fails."""
        self._write(self._deal_file, asdict(deal))

    def read_scores(self, day: str) -> dict[str, DailyScore | None]:
        """Return the scores of bots on a day, by their versions; None for one that failed."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            stored = json.loads(self._scores_file.read_bytes())
            if stored["day"] == day:
                rows = stored["scores"].items()
                return {version: row and read(row, DailyScore) for version, row in rows}
        return {}

    def write_score(self, day: str, version: str, score: DailyScore | None) -> None:
        """Add how a bot did; forget all other days. Raises OSError."""
        scores = {**self.read_scores(day), version: score}
        rows = {version: score and asdict(score) for version, score in scores.items()}
        self._write(self._scores_file, {"day": day, "scores": rows})

    def _write(self, file: Path, value: Mapping[str, Any]) -> None:
        with write_durably(file) as stream:
            stream.write(json.dumps(value).encode())
