"""What is read of a process in /proc."""

from __future__ import annotations

from pathlib import Path

from arena.sandbox.processes.process_tree import (
    KB,
    MemoryUsage,
    Thread,
    read_memory,
    read_shared_out_bytes,
)

STATUS = (
    "Name:\tbot\nVmPin:\t0 kB\nVmRSS:\t500 kB\nRssShmem:\t200 kB\nVmPTE:\t8 kB\nVmSwap:\t70 kB\n"
)
ROLLUP = (
    "0-f ---p 0 00:00 0 [rollup]\nRss: 500 kB\nPss: 400 kB\nPss_Shmem: 100 kB\nSwapPss: 35 kB\n"
)


def test_memory_that_is_swapped_out_counts(tmp_path: Path) -> None:
    """A program may ask for that (madvise(2)), where the machine has a swap."""
    (tmp_path / "status").write_text(STATUS)
    (tmp_path / "smaps_rollup").write_text(ROLLUP)
    thread = Thread(0, str(tmp_path))
    assert read_memory(thread) == MemoryUsage(570 * KB, 200 * KB, 8 * KB)
    assert read_shared_out_bytes(thread, 0, with_shared=True) == 435 * KB
    assert read_shared_out_bytes(thread, 0, with_shared=False) == 335 * KB
