"""What the commands `arena gops` share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

OBJECTIVES = ("points", "win")
ROUNDING = 1e-7  # to which a worth is exact: strategies secure the value within 1e-9 of an entry

objective_option = click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    default="points",
    show_default=True,
    help="What is maximised: the expected difference of points, or the chance to win.",
)
table_option = click.option(
    "--table",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A table that was solved into a file; else it is looked for in the cache.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="For programs: JSON lines.")


class Cards(click.ParamType[tuple[int, ...]]):
    """Cards such as `1,3,5`, each once."""

    name = "cards"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Give them in ascending order."""
        try:
            cards = tuple(sorted(int(word) for word in str(value).split(",")))
        except ValueError:
            self.fail(f"{value!r} are no cards; write 1,3,5", param, ctx)
        if len(set(cards)) < len(cards) or cards[0] < 1:
            self.fail(f"{value!r}: each card once, and 1 at least", param, ctx)
        return cards


CARDS = Cards()


def exact(value: float) -> float:
    """Give a value without what rounding has left of a zero."""
    return 0.0 if abs(value) < ROUNDING else float(value)
