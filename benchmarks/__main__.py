"""Measure everything in turns, and print the medians."""

from __future__ import annotations

import shutil
import sys

from benchmarks import in_process, lines, starting, whole_match
from benchmarks.ratios import report

TURNS = 9


def main() -> None:
    """Measure; without a C compiler say so, and leave out what needs it."""
    in_process.hosted(500)  # warm
    report([in_process.measure() for _ in range(TURNS)])
    if shutil.which("cc"):
        with lines.compiled() as folder:
            report([lines.measure(folder) for _ in range(TURNS)])
    else:
        print("lines to two C bots: not measured, there is no C compiler (cc)", file=sys.stderr)
    report([whole_match.measure() for _ in range(TURNS)])
    report([starting.measure() for _ in range(TURNS)])


if __name__ == "__main__":
    main()
