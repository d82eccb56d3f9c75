"""Tournaments from Python: from a file, or from arguments.

Everything is kept in the database, so that a tournament goes on where it stopped, and what it
has come to can be asked for while it runs, and by the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from weakref import finalize

from attrs import evolve

from arena.host import PASSABLE_MODE, AnyBot, Limits, format_bot
from arena.records import Transcript, parse_text
from arena.rules import UserError
from arena.tournament.config.spec import TournamentSpec, load, parse_tournament
from arena.wires import converter

if TYPE_CHECKING:
    from arena.tournament.insights.playing_styles import PlayingStyles
    from arena.tournament.models.entrant_commands import CommandQueue
    from arena.tournament.monitor import Monitor
    from arena.tournament.run.coordinator import Ending
    from arena.tournament.standings.result_tables import Matches, Standings
    from arena.tournament.store import Store

Progress = Callable[[int, int | None], None]


class Tournament:
    """A tournament of bots: call `run()`, then `standings()`.

    Args:
        game: its name.
        bots: who takes part: what the command line takes, a class that stands in a file, or
            what `configure` makes of one.
        database: the path of a file, beside which the bots' copies are put, or the address of a
            server's database. A tournament that is there goes on. None: a temporary one, which
            goes with this object.
        options: parameters of the game.
        limits: how long players may take, in seconds.
        format: who meets whom, perhaps with parameters, such as `swiss:rounds=7`.
        table: seats of a match; None: the least that the game takes.
        matches: how many are played; None: as many as the format has.
        stop: `matches`, or `resolved`: earlier, when the order of places is certain.
        level: of intervals, and of what counts as certain.
        duplicate: whether each deal is played in every rotation of its seats; None: as the game
            has it.
        rating: the model of ratings; None: the one that suits the table.
        seed: of the draw and of all deals; None: one is drawn at the start.
        executor: where matches are played, such as `local`.
        workers: matches at once; None: as many as leave each program a core.
        transcripts: which are kept: `all`, `verdicts`, `sample` or `none`.
        live: what is shown of a match while it is played: `announced` or `all`.
        check: whether each bot is tried before the start.
        unfit: whether bots that fail that are left out (`leave-out`), or stop the run (`stop`).
        sandbox: where programs run, such as `auto`; None: untrusted ones in a sandbox.
        resources: limits of each program in a sandbox, such as `{"memory_mb": 2048}`.

    Raises:
        UserError: with a line for each mistake.

    Attributes:
        spec: what is played, with everything filled in that was left open.
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
        duplicate: bool | None = None,
        rating: str | None = None,
        seed: str | None = None,
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
            "duplicate": duplicate, "rating": rating, "seed": seed, "executor": executor,
            "workers": workers, "transcripts": transcripts, "live": live, "check": check,
            "unfit": unfit, "sandbox": sandbox, "resources": dict(resources or {}),
        }  # fmt: skip
        values = {
            "game": game,
            "entrant": [{"bot": format_bot(bot)} for bot in bots],
            "options": dict(options or {}),
            "time": converter.unstructure(limits) if limits else {},
            **{name: value for name, value in settings.items() if value is not None},
        }
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
    ) -> Ending:
        """Play all matches that are left; continue where an earlier run stopped.

        Workers are processes that begin anew. So a script that runs a tournament does it below
        `if __name__ == "__main__":`, as with all of Python's processes.

        Args:
            progress: called after each match with how many are over, and how many there are
                to be (None: nobody knows); or a `Monitor`, which hears of everything.
            commands: who enters and leaves; the tournament is a hill then, and ends when it is
                interrupted.
            trust_everybody: play untrusted entrants where no sandbox holds.

        Returns whether all was played, or the run was interrupted.

        Raises:
            UserError: where somebody cannot enter, where the database is another tournament's,
                or where the machine has no more of what it takes.
        """
        from arena.tournament.monitor import Monitor
        from arena.tournament.run.progress_monitor import ProgressMonitor
        from arena.tournament.run.tournament_run import run

        if not isinstance(progress, Monitor):
            progress = ProgressMonitor(progress, self.spec.file.matches)
        return run(self.spec, progress, commands=commands, trust_everybody=trust_everybody)

    def standings(self) -> Standings:
        """Return the standings from all stored matches, the best entrant first.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.standings.compute import build_standings, fit_ratings
        from arena.tournament.standings.result_tables import Standings

        with self._open_store() as store:
            results = store.load_results()
            fit = fit_ratings(store, results)
            found = build_standings(store, results, fit)
            return Standings(found, self.spec.game.name, len(results.deal), fit.level)

    def insights(self) -> PlayingStyles:
        """Return the playing styles of all entrants, as observed in the deals that are over.

        What was observed before is kept in a file beside the database, so that only new matches
        are read.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.insights.playing_styles import PlayingStyles

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
            bot: in which it sat, by its name (`NAME@VERSION` for one version).
            verdict: with a verdict of this kind, against that bot if one is named.
            outcome: that ended so: `finished`, `forfeited` or `void`.
            stage: of this stage, such as `final`.
            limit: at most so many.

        Raises:
            UserError: where nothing was run yet, or nobody is called so.
        """
        from arena.tournament.standings.result_tables import Matches, StoredMatch
        from arena.tournament.store import MatchFilter

        which = MatchFilter(bot, verdict, outcome, stage, limit, newest=True)
        with self._open_store() as store:
            return Matches([StoredMatch.of(match) for match in store.find_matches(which)])

    def transcript(self, match: str) -> Transcript:
        """Return the transcript of a match, given its key, such as `17.0`.

        Raises:
            UserError: where there is no such match, or its transcript was not kept.
        """
        deal, _, rotation = match.partition(".")
        if not (deal.isdecimal() and rotation.isdecimal()):
            raise UserError(f"{match!r} is not the key of a match, such as 17.0")
        with self._open_store() as store:
            store.find_match(int(deal), int(rotation))
            text = store.load_transcript(int(deal), int(rotation))
        if text is None:
            raise UserError(
                f"match {match} has no transcript: the tournament does not keep every transcript"
            )
        return parse_text(text.decode())

    def _open_store(self) -> Store:
        from arena.tournament.store import Store

        return Store.open(self.spec.database, write=False)
