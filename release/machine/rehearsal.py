"""Steps that a host goes through with a hill, one after the other; each says what it saw."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import click
from attrs import define, field

from release.machine.guest import Guest

Step = Callable[["Rehearsal"], None]


@define
class Rehearsal:
    """A run through steps, and what has come of each, which is kept for the next run."""

    guest: Guest
    older: str  #: the revision that is installed first
    steps: Mapping[str, Step]
    _saw: list[str] = field(factory=list)

    def say(self, line: str) -> None:
        """Print what was seen."""
        self._saw.append(line)
        click.echo(f"   {line}")

    def run(self, names: Sequence[str]) -> bool:
        """Run these steps until one fails; print a table of all; return whether all passed."""
        results = self.results()
        for name in names:
            results[name] = self._run_step(name)
            self._file.write_text(json.dumps(results, indent=1))
            if not results[name]["passed"]:
                break
        _print_summary(self.steps, results)
        return all(results.get(name, {}).get("passed") for name in names)

    def results(self) -> dict[str, Any]:
        """Return what came of each step when it was last run."""
        return json.loads(self._file.read_text()) if self._file.exists() else {}

    @property
    def _file(self) -> Path:
        return self.guest.folder / "rehearsal.json"

    def _run_step(self, name: str) -> dict[str, Any]:
        step, self._saw, began = self.steps[name], [], monotonic()
        click.secho(f"== {name}: {step.__doc__}", bold=True)
        try:
            step(self)
        except Exception as problem:  # noqa: BLE001 -- it is reported, and the table still comes
            traceback.print_exc()
            self.say(f"FAILED: {problem}")
            passed = False
        else:
            passed = True
        return {"passed": passed, "seconds": round(monotonic() - began), "saw": self._saw}


def _print_summary(steps: Mapping[str, Step], results: Mapping[str, Any]) -> None:
    """Print a line for each step."""
    click.echo()
    for name in steps:
        result = results.get(name)
        if result is None:
            click.echo(f"{name:<12} not run")
            continue
        state = "passed" if result["passed"] else "FAILED"
        last = result["saw"][-1].splitlines()[0] if result["saw"] else ""
        click.echo(f"{name:<12} {state} {result['seconds']:>6} s  {last}")
