"""The sandboxes of entrants: which one contains each, and what their programs must not read."""

from __future__ import annotations

from pathlib import Path

from attrs import asdict, define, field

from arena.rules import HostError
from arena.sandbox import TRUSTED, Resources, Sandbox, check_unreadable, find_sandbox
from arena.tournament.bots.versions import comes_with_game
from arena.tournament.entries import Entry
from arena.tournament.file.spec import TournamentSpec
from arena.wires import read

MOVE_ADVICE = "move it to a folder elsewhere"
SANDBOX_ADVICE = (
    "run `arena doctor` to see what is missing, or use --trust-everybody, which lets its"
    " program do anything that you can do"
)


class UntrustedEntrantError(HostError):
    """An untrusted entrant for which there is no sandbox."""


@define
class SandboxResolver:
    """Finds the sandbox of each entrant; each choice is tested once on this machine."""

    tournament: TournamentSpec  #: the tournament of the entrants
    trust_everybody: bool = False  #: whether the host has confirmed this explicitly
    _tiers: dict[str, str] = field(factory=dict, init=False)  # choice -> tier

    def resolve(self, entry: Entry) -> Sandbox | None:
        """Return the sandbox of an entrant, or None if it is trusted; raise UserError."""
        if all(comes_with_game(self.tournament.game, member.bot) for member in entry.members):
            return None
        file, containment = self.tournament.file, entry.containment
        tier = self._resolve_tier(containment.choose_sandbox(file.sandbox))
        if tier == TRUSTED:
            if containment.untrusted and not self.trust_everybody:
                raise UntrustedEntrantError(
                    f"{entry.name} is untrusted, and no sandbox contains it: {SANDBOX_ADVICE}"
                )
            return None
        check_folders(self.tournament)
        return Sandbox(tier, read({**asdict(file.resources), **containment.resources}, Resources))

    def _resolve_tier(self, choice: str) -> str:
        if choice not in self._tiers:
            sandbox = find_sandbox(choice)
            self._tiers[choice] = sandbox.tier if sandbox else TRUSTED
        return self._tiers[choice]


def check_folders(tournament: TournamentSpec) -> None:
    """Raise NoSandboxError if programs in sandboxes could read a tournament's files."""
    check_unreadable(tournament.home, "the tournament's folder", MOVE_ADVICE)
    check_unreadable(tournament.data_folder, "the tournament's data folder", MOVE_ADVICE)
    if "://" not in tournament.database:
        check_unreadable(Path(tournament.database), "the tournament's database", MOVE_ADVICE)
