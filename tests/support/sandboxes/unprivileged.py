"""Commands run by somebody who is not root, where root would know no limits and no refusals."""

from __future__ import annotations

import os

NOBODY = "54321"  # a user who has no process
READS = ("dac_read_search",)  # what lets it read our files
WRITES = (*READS, "dac_override")  # what lets it write them, too; limits hold all the same


def build_user_prefix(*may: str) -> list[str]:
    """Return what begins a command that is not to run as root, who may so much beside that."""
    if os.geteuid() != 0:
        return []
    kept = ",".join(["-all", *(f"+{capability}" for capability in may)])
    caps = [f"--inh-caps={kept}", f"--ambient-caps={kept}"]
    return ["setpriv", f"--reuid={NOBODY}", "--clear-groups", *caps]
