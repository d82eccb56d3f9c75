"""How the arena is installed: what its distribution is called, and how to get its extras."""

from __future__ import annotations

DISTRIBUTION = "cardbot-arena"


def format_install_command(extra: str) -> str:
    """Return the command that installs what an extra brings.

    >>> format_install_command("parquet")
    "pip install 'cardbot-arena[parquet]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
