"""The interface to tournaments from Python, defined by a file or by arguments.

Everything is stored in the database, so that a tournament continues where it stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from weakref import finalize

from attrs import evolve

from arena.host import PASSABLE_MODE, AnyBot, Limits, Progress, format_bot
from arena.rules import Seed, UserError, read_seed
from arena.tournament.deals import parse_match_key
from arena.tournament.file.reader import build_file_values, load, parse_tournament
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.results.stored_results import TournamentResults

if TYPE_CHECKING:
    from arena.tournament.commands import CommandQueue
    from arena.tournament.deals import Key
    from arena.tournament.entries import Entry
    from arena.tournament.run.coordinator import Ending
    from arena.tournament.run.monitor import Monitor


def _is_imported_by_worker() -> bool:
    """Whether the main script is being imported by a process that `multiprocessing` has started.

    Meanwhile it has this name, which it shares with `__main__` before and after.
    """
    return sys.modules.get("__mp_main__") not in {None, sys.modules["__main__"]}


class Tournament(TournamentResults):
    """A tournament of bots: call `run()`, then `standings()`.

    Arguments from `options` on are keys of a tournament file; None stands for the file's default.

    Args:
        game: the name of the game.
        bots: the entrants: texts as on the command line, bot classes defined in a file, or results
            of `configure`.
        database: the path of a file, next to which the bots are copied, or the address of a
            server's database. An existing tournament continues. None: a temporary database, which
            is deleted with this object.
        options: parameters of the game.
        limits: the time limits of players, in seconds.
        format: the format, optionally with parameters, such as `swiss:rounds=7`.
        table: the seats of a match.
        matches: the number of matches to play.
        stop: `matches`, or `resolved` to stop as soon as the ranking is certain.
        level: the confidence level of intervals, and of a certain ranking.
        anchor: an entrant with a fixed rating, such as `random = 0`.
        partners: in a game of teams, `own` where a bot plays all seats of a team, or `drawn`.
        duplicate: whether each deal is played in every rotation of its seats.
        rating: the rating model.
        seed: the seed of the draw and of all deals.
        executor: the executor that plays matches, such as `local`.
        workers: the number of matches at once.
        transcripts: the transcripts to store: `all`, `verdicts`, `sample` or `none`.
        live: how much of a live match is shown: `announced` or `all`.
        check: whether each bot plays a trial match before the start.
        unfit: whether bots that fail the trial are left out (`leave-out`) or stop the run (`stop`).
        sandbox: the sandbox of programs, such as `auto`.
        resources: the limits of each program in a sandbox, such as `{"memory_mb": 2048}`.

    Raises:
        UserError: with a line for each mistake.

    Attributes:
        spec: the settings, with all defaults filled in.
    """

    spec: TournamentSpec

    def __init__(
        self,
        game: str,
        bots: Sequence[AnyBot],
        *,
        database: str | Path | None = None,
        options: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        format: str | None = None,  # noqa: A002  # the key of the file
        table: int | None = None,
        matches: int | None = None,
        stop: str | None = None,
        level: float | None = None,
        anchor: str | None = None,
        partners: str | None = None,
        duplicate: bool | None = None,
        rating: str | None = None,
        seed: Seed | None = None,
        executor: str | None = None,
        workers: int | None = None,
        transcripts: str | None = None,
        live: str | None = None,
        check: bool | None = None,
        unfit: str | None = None,
        sandbox: str | None = None,
        resources: Mapping[str, Any] | None = None,
    ) -> None:
        settings = {
            "format": format, "table": table, "matches": matches, "stop": stop, "level": level,
            "anchor": anchor, "partners": partners, "duplicate": duplicate, "rating": rating,
            "seed": None if seed is None else read_seed(seed), "executor": executor,
            "workers": workers, "transcripts": transcripts, "live": live, "check": check,
            "unfit": unfit, "sandbox": sandbox, "resources": resources and dict(resources),
        }  # fmt: skip
        values = build_file_values(game, bots, options, limits, settings)
        self.spec = self._parse(values, database)
        super().__init__(self.spec.database)

    def _parse(self, values: Mapping[str, Any], database: str | Path | None) -> TournamentSpec:
        if database is None:
            folder = Path(mkdtemp(prefix="arena-"))
            folder.chmod(PASSABLE_MODE)
            finalize(self, rmtree, folder, ignore_errors=True)
            values = {**values, "database": str(folder / "tournament.db")}
            spec = parse_tournament(values, Path(), "tournament")
            return evolve(spec, data_folder=folder / "tournament.arena")
        is_address = "://" in str(database)
        where = Path("tournament" if is_address else database)
        values = {**values, "database": str(database) if is_address else where.name}
        return parse_tournament(values, where.parent, where.stem)

    @classmethod
    def load(cls, path: str | Path) -> Tournament:
        """Load a tournament file, such as `arena tournament new` writes.

        Raises:
            UserError: with a line for each mistake in it.
        """
        tournament = cls.__new__(cls)  # whose own arguments are in the file
        tournament.spec = load(Path(path))
        TournamentResults.__init__(tournament, tournament.spec.database)
        return tournament

    def run(
        self,
        progress: Progress | Monitor | None = None,
        *,
        commands: CommandQueue | None = None,
        trust_everybody: bool = False,
        replay_void: bool = False,
    ) -> Ending:
        """Play all remaining matches; continue where an earlier run stopped.

        Void matches are played again if the host may have been to blame.

        Workers are newly started Python processes, so a script must run a tournament below
        `if __name__ == "__main__":`, as with `multiprocessing`.

        Args:
            progress: called after each match with the numbers of finished and of all matches (None
                if unknown); or a `Monitor` for all events.
            commands: the queue of entrants that join and leave; the tournament is then a hill, and
                ends when it is interrupted.
            trust_everybody: play untrusted entrants even if no sandbox works.
            replay_void: play all void matches again, also those whose game or plugins failed.

        Returns whether all matches were played, or the run was interrupted.

        Raises:
            UserError: if an entrant cannot take part, if the database belongs to another
                tournament, if the machine lacks resources, or if workers do not start.
        """
        return self._play(
            progress, commands=commands, trust_everybody=trust_everybody, replay_void=replay_void
        )

    def rerun(
        self,
        *matches: str,
        progress: Progress | Monitor | None = None,
        trust_everybody: bool = False,
    ) -> Ending:
        """Play matches again, given their keys, such as `17.0`, and then whatever else is missing.

        Only the new results count. The other arguments, the return value and the errors are those
        of `run`; a match that cannot be played again is a UserError, too.
        """
        keys = [*map(parse_match_key, matches)]
        return self._play(progress, trust_everybody=trust_everybody, rerun=keys)

    def _play(
        self,
        progress: Progress | Monitor | None,
        *,
        commands: CommandQueue | None = None,
        trust_everybody: bool = False,
        replay_void: bool = False,
        rerun: Sequence[Key] = (),
    ) -> Ending:
        if _is_imported_by_worker():
            raise UserError(
                'put run() below `if __name__ == "__main__":`, because each worker of a tournament'
                " imports the script"
            )
        from arena.tournament.run.monitor import Monitor, ProgressMonitor
        from arena.tournament.run.tournament_run import run

        if not isinstance(progress, Monitor):
            progress = ProgressMonitor(progress, self.spec.file.matches)
        return run(
            self.spec, progress, commands=commands, trust_everybody=trust_everybody,
            replay_void=replay_void, rerun=rerun,
        )  # fmt: skip

    def add(self, bot: AnyBot, *, keeps: bool = False, untrusted: bool = False) -> Entry:
        """Add an entrant to a tournament that has begun; the next run lets it catch up.

        Args:
            bot: as for a new tournament; its paths are relative to the current folder.
            keeps: whether its working folder stays between its matches.
            untrusted: whether it only runs in a sandbox.

        Returns the entrant, with its name and version.

        Raises:
            UserError: where nothing was run yet, or the bot cannot take part.
        """
        from arena.tournament.entries import Containment
        from arena.tournament.run.changes import EntrantChanges

        containment = Containment(untrusted)
        changes = EntrantChanges(self.spec)
        return changes.enter(format_bot(bot), keeps=keeps, containment=containment)

    def replace(self, name: str, bot: AnyBot | None = None) -> tuple[Entry, Entry]:
        """Enter a new version of an entrant; the old one keeps its matches.

        Args:
            name: the name of the entrant.
            bot: the new version; None: the same bot as it is now.

        Returns the old and the new version, which are equal where a bot takes part again.

        Raises:
            UserError: where nothing was run yet, nobody has this name, or nothing has changed.
        """
        from arena.tournament.run.changes import EntrantChanges

        return EntrantChanges(self.spec).replace(name, None if bot is None else format_bot(bot))

    def withdraw(self, name: str) -> Entry:
        """Withdraw an entrant, whose matches stay, and return it.

        Raises:
            UserError: where nothing was run yet, or nobody has this name.
        """
        from arena.tournament.run.changes import EntrantChanges

        return EntrantChanges(self.spec).withdraw(name)
