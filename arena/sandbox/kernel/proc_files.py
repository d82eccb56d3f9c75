"""The files in /proc that a program behind Landlock may read.

Of itself: what runtimes look for. `net`, `mountinfo`, `mounts` and `cgroup` are not among it:
behind Landlock they are those of the host, with the paths of its sockets and its disks. They
are below `task`, too, of which names may be listed and nothing read. A child has another folder
in /proc, and reads nothing there.
"""

from __future__ import annotations

OWN_FILES = (
    "auxv", "cmdline", "comm", "coredump_filter", "environ", "limits", "maps", "oom_score",
    "oom_score_adj", "smaps", "smaps_rollup", "stat", "statm", "status", "wchan",
)  # fmt: skip
READABLE = (
    *(f"/proc/self/{name}" for name in OWN_FILES),
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version",
    "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/ostype",
)  # fmt: skip
LISTABLE = ("/proc/self/fd", "/proc/self/task")
