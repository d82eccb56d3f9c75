"""The check of scripts' types, for each folder of scripts that pages load."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.requirements import require


def check_script_types(folder: Path) -> None:
    """Have `tsc` check the scripts of a folder by its `jsconfig.json`; it finds no error."""
    require("tsc")
    command = ["tsc", "--project", str(folder / "jsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
