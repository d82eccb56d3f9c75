"""The distribution of the arena: its name, and the command that installs an extra."""

from __future__ import annotations

DISTRIBUTION = "cardbot-arena"


def format_install_command(extra: str) -> str:
    """Return the command that installs an extra.

    >>> format_install_command("parquet")
    "pip install 'cardbot-arena[parquet]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
