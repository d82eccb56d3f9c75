"""The table of attacks in the documentation: a row for all attacks that had the same outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from arena.host import Result
from arena.sandbox import TIERS
from tests.sandbox.attacks.programs.attack import Attack
from tests.support.checkout import ROOT
from tests.support.refresh import explain_refresh, is_refreshing

PAGE = ROOT / "docs" / "reference" / "sandboxes.md"
BEGIN, END = "<!-- attacks: begin -->", "<!-- attacks: end -->"
UNTRIED = "-"
HEAD = (*TIERS, "attacks")


def outcome(result: Result) -> str:
    """Say what came of an attack, by the host's verdict and by the attacker's own words."""
    if verdict := result.verdicts[0]:
        return str(verdict.kind)
    return "succeeds" if "GOT" in result.errors[0] else "fails"


def compare(attack: Attack, tier: str, found: str) -> None:
    """See that the book says this; or write it there."""
    rows = read()
    kind = rows[attack.name][tier]
    if is_refreshing() and kind != found:
        rows[attack.name][tier] = found
        write(rows)
    else:
        assert kind == found, (
            f"{PAGE.name} says of {attack.name}: {kind}; {explain_refresh('tests/sandbox/attacks')}"
        )


def prepare(attacks: Sequence[Attack]) -> None:
    """Have a row for each attack, in this order."""
    rows = read()
    nothing = dict.fromkeys(TIERS, UNTRIED)
    write({attack.name: rows.get(attack.name, nothing) for attack in attacks})


def read() -> dict[str, dict[str, str]]:
    """Return what the book says of each attack in each tier."""
    lines = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0].strip().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {
        name: dict(zip(TIERS, outcomes, strict=True))
        for *outcomes, names in cells
        for name in names.split("; ")
    }


def write(rows: dict[str, dict[str, str]]) -> None:
    """Put the table in its place."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, outcomes in rows.items():
        groups.setdefault(tuple(outcomes.values()), []).append(name)
    same = [(*outcomes, "; ".join(names)) for outcomes, names in groups.items()]
    cells = [HEAD, ("---",) * len(HEAD), *same]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    PAGE.write_text(f"{before}{BEGIN}\n\n{lines}\n\n{END}{rest.partition(END)[2]}", "utf-8")
