"""The key of a match as an argument of commands."""

from __future__ import annotations

import re
from typing import Any

import click

KEY_PATTERN = r"[0-9]{1,15}(\.[0-9]{0,15})?"


class MatchKeyType(click.ParamType[tuple[int, int]]):
    """The key of a match: the number of its deal, a full stop, its rotation."""

    name = "key"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Parse a key, or fail with a usage error."""
        deal, _, rotation = str(value).partition(".")
        if not re.fullmatch(KEY_PATTERN, str(value)):
            self.fail(f"{value!r} is not the key of a match, such as 17.0", param, ctx)
        return int(deal), int(rotation or 0)
