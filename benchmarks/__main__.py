"""Measure everything in turns, and print the medians."""

from __future__ import annotations

import shutil
import sys

from benchmarks import in_process, lines, starting, whole_match
from benchmarks.ratios import print_medians

TURNS = 9


def main() -> None:
    """Run the benchmarks; without a C compiler, report that and leave out the one that needs it."""
    in_process.host_matches(500)  # warm
    print_medians([in_process.measure() for _ in range(TURNS)])
    if shutil.which("cc"):
        with lines.compile_programs() as folder:
            print_medians([lines.measure(folder) for _ in range(TURNS)])
    else:
        print("lines to two C bots: not measured, there is no C compiler (cc)", file=sys.stderr)
    print_medians([whole_match.measure() for _ in range(TURNS)])
    print_medians([starting.measure() for _ in range(TURNS)])


if __name__ == "__main__":
    main()
