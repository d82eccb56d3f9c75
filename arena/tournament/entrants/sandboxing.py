"""The sandbox of each entrant of a tournament; untrusted entrants always need one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from attrs import asdict, define, field

from arena.rules import UserError
from arena.sandbox import TRUSTED, Resources, Sandbox, find_sandbox
from arena.tournament.config.spec import TournamentSpec
from arena.tournament.models.records import Entry
from arena.tournament.worker.jobs import Contestant
from arena.wires import read

ADVICE = (
    "run `arena doctor` to see what is missing, or use --trust-everybody, which lets its"
    " program do anything that you can do"
)


class UntrustedEntrantError(UserError):
    """An untrusted entrant for which there is no sandbox."""


@define
class SandboxResolver:
    """Finds the sandbox of each entrant; each choice is tested once on this machine."""

    tournament: TournamentSpec  #: the tournament of the entrants
    trust_everybody: bool = False  #: whether the host has confirmed this explicitly
    _found: dict[str, str] = field(factory=dict, init=False)  # choice -> tier

    def resolve(self, entry: Entry) -> Sandbox | None:
        """Return the sandbox of an entrant, or None if it is trusted; raise UserError."""
        file, containment = self.tournament.file, entry.containment
        tier = self._resolve_tier(containment.choose_sandbox(file.sandbox))
        if tier == TRUSTED:
            if containment.untrusted and not self.trust_everybody:
                raise UntrustedEntrantError(
                    f"{entry.name} is untrusted, and no sandbox contains it: {ADVICE}"
                )
            return None
        return Sandbox(tier, read({**asdict(file.resources), **containment.resources}, Resources))

    def _resolve_tier(self, choice: str) -> str:
        if choice not in self._found:
            found = find_sandbox(choice)
            self._found[choice] = found.tier if found else TRUSTED
        return self._found[choice]


def summarize_sandboxes(contestants: list[Contestant]) -> Iterator[str]:
    """Yield a line for each kind of sandbox in use, with the number of its entrants."""
    counted = Counter(contestant.sandbox.tier for contestant in contestants if contestant.sandbox)
    for tier, number in sorted(counted.items()):
        yield f"sandbox {tier}: {number} of {len(contestants)} entrants"
