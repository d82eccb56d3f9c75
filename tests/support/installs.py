"""Projects that are installed as `pip install -e` does it, without its network."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path


def install_editable(project: Path, site: Path) -> str:
    """Install a project into a folder; return the PYTHONPATH with which it is found.

    The folder has its name, version and entry points, as its own `pyproject.toml` gives them.
    """
    said = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    info = site / f"{said['name'].replace('-', '_')}-{said['version']}.dist-info"
    info.mkdir(parents=True)
    lines = [f"{name} = {place}" for name, place in said["entry-points"]["arena"].items()]
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {said['name']}\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[arena]", *lines]))
    return os.pathsep.join([str(site), str(project)])
