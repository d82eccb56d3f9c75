"""The interface to tournaments from Python, defined by a file or by arguments.

Everything is stored in the database, so that a tournament continues where it stopped, and its
results can be read during the run, also from the command line.
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

from arena.host import PASSABLE_MODE, AnyBot, Limits, Progress
from arena.records import Transcript, parse_text
from arena.rules import Seed, UserError, read_seed
from arena.tournament.file import TournamentSpec, build_file_values, load, parse_tournament

if TYPE_CHECKING:
    from arena.tournament.insights import PlayingStyles
    from arena.tournament.models import CommandQueue
    from arena.tournament.monitor import Monitor
    from arena.tournament.result_tables import Matches, Standings
    from arena.tournament.run import Ending
    from arena.tournament.store import Key, Store


def _is_imported_by_worker() -> bool:
    """Whether the main script is being imported by a process that `multiprocessing` has started.

    Meanwhile it has this name, which it shares with `__main__` before and after.
    """
    return sys.modules.get("__mp_main__") not in {None, sys.modules["__main__"]}


def _parse_key(match: str) -> Key:
    """Return the deal and the rotation of a match; raise UserError."""
    deal, _, rotation = match.partition(".")
    if not (deal.isdecimal() and rotation.isdecimal()):
        raise UserError(f"{match!r} is not the key of a match, such as 17.0")
    return int(deal), int(rotation)


class Tournament:
    """A tournament of bots: call `run()`, then `standings()`.

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
        table: the seats of a match; None: the fewest that the game allows.
        matches: the number of matches to play; None: the format decides.
        stop: `matches`, or `resolved` to stop as soon as the ranking is certain.
        level: the confidence level of intervals, and of a certain ranking.
        anchor: an entrant with a fixed rating, such as `random = 0`; None: the mean is 0.
        partners: in a game of teams, `own` where a bot plays all seats of a team, or `drawn`.
        duplicate: whether each deal is played in every rotation of its seats; None: the game's
            default.
        rating: the rating model; None: the one that suits the table.
        seed: the seed of the draw and of all deals; None: a random one.
        executor: the executor that plays matches, such as `local`.
        workers: the number of matches at once; None: as many as leave a core for each program.
        transcripts: the transcripts to store: `all`, `verdicts`, `sample` or `none`.
        live: how much of a live match is shown: `announced` or `all`.
        check: whether each bot plays a trial match before the start.
        unfit: whether bots that fail the trial are left out (`leave-out`) or stop the run (`stop`).
        sandbox: the sandbox of programs, such as `auto`; None: only for untrusted ones.
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
        format: str = "round-robin",  # noqa: A002  # the key of the file
        table: int | None = None,
        matches: int | None = None,
        stop: str = "matches",
        level: float = 0.95,
        anchor: str | None = None,
        partners: str = "own",
        duplicate: bool | None = None,
        rating: str | None = None,
        seed: Seed | None = None,
        executor: str = "local",
        workers: int | None = None,
        transcripts: str = "all",
        live: str = "announced",
        check: bool = True,
        unfit: str = "leave-out",
        sandbox: str | None = None,
        resources: Mapping[str, Any] | None = None,
    ) -> None:
        settings = {
            "format": format, "table": table, "matches": matches, "stop": stop, "level": level,
            "anchor": anchor, "partners": partners, "duplicate": duplicate, "rating": rating,
            "seed": None if seed is None else read_seed(seed), "executor": executor,
            "workers": workers, "transcripts": transcripts, "live": live, "check": check,
            "unfit": unfit, "sandbox": sandbox, "resources": dict(resources or {}),
        }  # fmt: skip
        values = build_file_values(game, bots, options, limits, settings)
        self.spec = self._parse(values, database)

    def _parse(self, values: Mapping[str, Any], database: str | Path | None) -> TournamentSpec:
        if database is None:
            folder = Path(mkdtemp(prefix="arena-"))
            folder.chmod(PASSABLE_MODE)
            finalize(self, rmtree, folder, ignore_errors=True)
            values = {**values, "database": str(folder / "tournament.db")}
            spec = parse_tournament(values, Path("tournament.toml"))
            return evolve(spec, data_folder=folder / "tournament.arena")
        is_address = "://" in str(database)
        where = Path("tournament" if is_address else database)
        values = {**values, "database": str(database) if is_address else where.name}
        return parse_tournament(values, where.with_suffix(".toml"))

    @classmethod
    def load(cls, path: str | Path) -> Tournament:
        """Load a tournament file, such as `arena tournament new` writes.

        Raises:
            UserError: with a line for each mistake in it.
        """
        loaded = cls.__new__(cls)
        loaded.spec = load(Path(path))
        return loaded

    def run(
        self,
        progress: Progress | Monitor | None = None,
        *,
        commands: CommandQueue | None = None,
        trust_everybody: bool = False,
        replay_void: bool = False,
        rerun: Sequence[str] = (),
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
            rerun: the keys of matches to play again, such as `17.0`; only the new results count.

        Returns whether all matches were played, or the run was interrupted.

        Raises:
            UserError: if an entrant cannot take part, if the database belongs to another
                tournament, if a match cannot be played again, if the machine lacks resources, or
                if workers do not start.
        """
        if _is_imported_by_worker():
            raise UserError(
                'put run() below `if __name__ == "__main__":`, because each worker of a tournament'
                " imports the script"
            )
        from arena.tournament.monitor import Monitor, ProgressMonitor
        from arena.tournament.run import run

        if not isinstance(progress, Monitor):
            progress = ProgressMonitor(progress, self.spec.file.matches)
        return run(
            self.spec, progress, commands=commands, trust_everybody=trust_everybody,
            replay_void=replay_void, rerun=[_parse_key(match) for match in rerun],
        )  # fmt: skip

    def standings(self) -> Standings:
        """Return the standings from all stored matches, the best entrant first.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.result_tables import Standings
        from arena.tournament.standings import Summary

        with self._open_store() as store:
            summary = Summary.of(store)
        return Standings(
            summary.standings, summary.game, summary.matches, summary.level, summary.unit
        )

    def insights(self) -> PlayingStyles:
        """Return the playing styles of all entrants, as observed in the deals that are over.

        What was observed before is kept in a file beside the database, so that only new matches
        are read.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.insights import PlayingStyles

        with self._open_store() as store:
            return PlayingStyles.of(store)

    def matches(
        self,
        *,
        bot: str | None = None,
        verdict: str | None = None,
        outcome: str | None = None,
        stage: str | None = None,
        limit: int | None = None,
    ) -> Matches:
        """Return stored matches, the newest first.

        Args:
            bot: only those of this bot, by its name (`NAME@VERSION` for one version).
            verdict: only those with a verdict of this kind, against `bot` if it is given.
            outcome: only those with this end: `finished`, `forfeited` or `void`.
            stage: only those of this stage, such as `final`.
            limit: the maximum number of matches.

        Raises:
            UserError: if nothing was run yet, or there is no such bot.
        """
        from arena.tournament.result_tables import Matches, StoredMatch
        from arena.tournament.store import MatchFilter

        which = MatchFilter(bot, verdict, outcome, stage, limit, newest=True)
        with self._open_store() as store:
            return Matches([StoredMatch.of(match) for match in store.find_matches(which)])

    def transcript(self, match: str) -> Transcript:
        """Return the transcript of a match, given its key, such as `17.0`.

        Raises:
            UserError: if there is no such match, or its transcript was not stored.
        """
        key = _parse_key(match)
        with self._open_store() as store:
            store.find_match(*key)
            text = store.load_transcript(*key)
        if text is None:
            raise UserError(
                f"match {match} has no transcript: the tournament does not keep every transcript"
            )
        return parse_text(text.decode())

    def _open_store(self) -> Store:
        from arena.tournament.store import Store

        return Store.open(self.spec.database, write=False)
