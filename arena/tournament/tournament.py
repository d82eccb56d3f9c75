"""A tournament from Python: from its file, or from what a program says.

Everything is kept in the database, so that a tournament goes on where it stopped, and what it
has come to can be asked for while it runs, and by the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.host import AnyBot, Limits, as_text
from arena.records import Transcript, parse_text
from arena.rules import UserError
from arena.tournament.file import TournamentSpec, load, understood
from arena.wires import converter

if TYPE_CHECKING:
    from arena.tournament.hill import Gate
    from arena.tournament.runner import Ending, Monitor
    from arena.tournament.store import Store
    from arena.tournament.tables import Matches, Standings

Progress = Callable[[int, int | None], None]


class Tournament:
    """Many bots, many matches, a ranking: `run()` it, then ask for `standings()`.

    Args:
        game: its name.
        bots: who takes part: what the command line takes, a class that stands in a file, or
            what `configured` makes of one.
        database: where all is kept: the path of a file beside which the bots' copies are put,
            or the address of a database of a server. What is there goes on.
        options: parameters of the game.
        limits: how long players may take, in seconds.
        **settings: what a tournament's file may say besides, by the same names: `format`,
            `table`, `matches`, `stop`, `level`, `duplicate`, `rating`, `seed`, `workers`, ...

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
        database: str | Path,
        options: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        **settings: Any,
    ) -> None:
        where = Path("tournament" if "://" in str(database) else database)
        values = {
            "game": game,
            "entrant": [{"bot": as_text(bot)} for bot in bots],
            "database": str(database) if "://" in str(database) else where.name,
            "options": dict(options or {}),
            "time": converter.unstructure(limits) if limits else {},
            **settings,
        }
        self.spec = understood(values, where.with_suffix(".toml"))

    @classmethod
    def load(cls, path: str | Path) -> Tournament:
        """Return the tournament of a file, such as `arena tournament new` writes.

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
        gate: Gate | None = None,
        trust_everybody: bool = False,
    ) -> Ending:
        """Play what there is to play; go on where an earlier run has stopped.

        Workers are processes that begin anew. So a script that runs a tournament does it below
        `if __name__ == "__main__":`, as with all of Python's processes.

        Args:
            progress: called after each match with how many are over, and how many there are
                to be (None: nobody knows); or a `Monitor`, which hears of everything.
            gate: says who comes and goes; the tournament is a hill then, and ends when it is
                interrupted.
            trust_everybody: play untrusted entrants where no sandbox holds.

        Returns whether all was played, or the run was interrupted.

        Raises:
            UserError: where somebody cannot enter, where the database is another tournament's,
                or where the machine has no more of what it takes.
        """
        from arena.tournament.monitors import Calling
        from arena.tournament.opening import run
        from arena.tournament.runner import Monitor

        if not isinstance(progress, Monitor):
            progress = Calling(progress, self.spec.file.matches)
        return run(self.spec, progress, gate=gate, trust_everybody=trust_everybody)

    def standings(self) -> Standings:
        """Return how everybody stands, the best first, from all matches that are stored.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.standings import ranked, rated
        from arena.tournament.tables import Standings

        with self._store() as store:
            results = store.results()
            fit = rated(store, results)
            found = ranked(store, results, fit)
            return Standings(found, self.spec.game.name, len(results.deal), fit.level)

    def matches(
        self,
        *,
        bot: str | None = None,
        verdict: str | None = None,
        outcome: str | None = None,
        stage: str | None = None,
        limit: int | None = None,
    ) -> Matches:
        """Return matches that are stored, the newest first.

        Args:
            bot: in which it sat, by its name (`NAME@VERSION` for one version).
            verdict: with a verdict of this kind, against that bot if one is named.
            outcome: that ended so: `finished`, `forfeited` or `void`.
            stage: of this stage, such as `final`.
            limit: at most so many.

        Raises:
            UserError: where nothing was run yet, or nobody is called so.
        """
        from arena.tournament.store import Filter
        from arena.tournament.tables import Matches, StoredMatch

        which = Filter(bot, verdict, outcome, stage, limit, newest=True)
        with self._store() as store:
            return Matches([StoredMatch.of(one) for one in store.matches(which)])

    def transcript(self, match: str) -> Transcript:
        """Return the transcript of a match, which is named by its key, such as `17.0`.

        Raises:
            UserError: where there is no such match, or its transcript was not kept.
        """
        deal, _, rotation = match.partition(".")
        if not (deal.isdecimal() and rotation.isdecimal()):
            raise UserError(f"{match!r} is no key of a match, such as 17.0")
        with self._store() as store:
            store.match(int(deal), int(rotation))
            text = store.transcript(int(deal), int(rotation))
        if text is None:
            raise UserError(f"match {match} has no transcript: the tournament does not keep all")
        return parse_text(text.decode())

    def _store(self) -> Store:
        from arena.tournament.store import Store

        return Store.open(self.spec.database, write=False)
