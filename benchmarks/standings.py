"""What `arena standings` costs by the number of entrants, beside a bare interpreter.

It is processor time, from a command's start to its end, so that other work on the machine matters
less. Each entrant has played forty matches.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.million import fill_database
from benchmarks.ratios import ARENA, BARE, Ratio, measure_command, print_medians

ENTRANTS = (2, 100, 200, 400)
MATCHES = 40  # of each entrant
FORMS = (
    (), ("--head-to-head",), ("--head-to-head", "--format", "html"),
    ("--head-to-head", "--format", "csv"), ("--format", "csv"),
)  # fmt: skip


def measure(folder: Path) -> list[Ratio]:
    """Return the ratios of one run; a bare interpreter is started just before each command."""
    found = []
    for entrants in ENTRANTS:
        for form in FORMS:
            line = (ARENA, "standings", str(folder / f"{entrants}.db"), *form)
            name = f"{entrants} entrants: standings {' '.join(form)}".strip()
            found.append(Ratio(name, measure_command(*line) / measure_command(*BARE)))
    return found


def main(runs: int) -> None:
    """Print the medians of this many runs, at 80 characters a line."""
    os.environ["COLUMNS"] = "80"
    with TemporaryDirectory() as folder:
        for entrants in ENTRANTS:
            matches = entrants * MATCHES // 2
            fill_database(Path(folder) / f"{entrants}.db", matches, entrants)
        print_medians([measure(Path(folder)) for _ in range(runs)])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
