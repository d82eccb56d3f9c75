"""The results of a tournament from Python, also while others play it.

They are read from its database. Each method imports what it computes with, since reading a list of
matches takes less time than importing all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from arena.rules import UserError
from arena.tournament.deals import format_match_key, parse_match_key
from arena.tournament.file import FILE_SUFFIX

if TYPE_CHECKING:
    from arena.records import Transcript
    from arena.tournament.anchor import Anchor
    from arena.tournament.formats.evenness import Evenness
    from arena.tournament.insights.playing_styles import PlayingStyles
    from arena.tournament.match_record import StoredMatch
    from arena.tournament.results.bot_comparison import BotComparison
    from arena.tournament.results.match_table import Matches
    from arena.tournament.results.result_tables import HeadToHeadResults, Standings
    from arena.tournament.results.summary import Summary
    from arena.tournament.store import Store


class TournamentResults:
    """What a tournament came to, read from its database, also while it runs.

    Args:
        database: the path of the database's file, or the address of a server's database.

    Attributes:
        database: the same.
    """

    def __init__(self, database: str | Path) -> None:
        self.database = str(database)

    @classmethod
    def open(cls, tournament: str | Path) -> TournamentResults:
        """Return the results of a tournament, given its file or its database.

        Raises:
            UserError: with a line for each mistake in the file.
        """
        if not str(tournament).endswith(FILE_SUFFIX):
            return TournamentResults(tournament)
        from arena.tournament.file.reader import load

        return TournamentResults(load(Path(tournament)).database)

    def summary(self, anchor: str | Anchor | None = None) -> Summary:
        """Return all results, ratings and standings, with this anchor or that of the last run.

        Raises:
            UserError: where nothing was run yet, or no entrant has the name of the anchor.
        """
        from arena.tournament.anchor import Anchor
        from arena.tournament.results.summary import Summary

        with self.open_store() as store:
            return Summary.of(store, Anchor.parse(anchor) if isinstance(anchor, str) else anchor)

    def standings(self, anchor: str | None = None, *, everybody: bool = False) -> Standings:
        """Return the standings from all stored matches, the best entrant first.

        Args:
            anchor: an entrant with a fixed rating, such as `random = 0`; None: that of the last
                run, or else the mean is 0.
            everybody: whether to list versions that have left, too.

        Raises:
            UserError: where nothing was run yet, or no entrant has the name of the anchor.
        """
        from arena.tournament.results.result_tables import Standings

        summary = self.summary(anchor)
        return Standings(
            summary.standings if everybody else summary.present,
            summary.game,
            summary.matches,
            summary.level,
            summary.unit,
        )

    def head_to_head(self) -> HeadToHeadResults:
        """Return the results of each entrant against each other one, the best entrant's first.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.results.result_tables import HeadToHeadResults

        return HeadToHeadResults.of(self.summary())

    def evenness(self) -> Evenness:
        """Return the evenness of the active entrants' seats and opponents.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.results.stored_ratings import StoredRatings

        with self.open_store() as store:
            return StoredRatings(store).measure_evenness()

    def compare(self, first: str, second: str) -> BotComparison:
        """Return two entrants side by side: ratings, results and playing styles.

        Args:
            first: its name (`NAME@VERSION` for one version).
            second: likewise.

        Raises:
            UserError: where nothing was run yet, or an entrant is unknown.
        """
        from arena.tournament.insights.insights import InsightsCounter
        from arena.tournament.results.bot_comparison import compare_bots, load_styles
        from arena.tournament.results.summary import Summary

        with self.open_store() as store:
            comparison = compare_bots(Summary.of(store), first, second)
            counter = InsightsCounter.of(store)
            with counter.tallies:
                counter.count_all(store)
                return evolve(comparison, styles=load_styles(store, counter, comparison.standings))

    def insights(self) -> PlayingStyles:
        """Return the playing styles of all entrants, as observed in the deals that are over.

        What was observed before is kept in a file beside the database, so that only new matches
        are read.

        Raises:
            UserError: where nothing was run yet.
        """
        from arena.tournament.insights.playing_styles import PlayingStyles

        with self.open_store() as store:
            return PlayingStyles.of(store)

    def matches(
        self,
        *,
        bot: str | None = None,
        against: str | None = None,
        verdict: str | None = None,
        outcome: str | None = None,
        stage: str | None = None,
        limit: int | None = None,
    ) -> Matches:
        """Return stored matches, the newest first.

        Args:
            bot: only those of this bot, by its name (`NAME@VERSION` for one version).
            against: only those in which this bot sat, too.
            verdict: only those with a verdict of this kind, against `bot` if it is given.
            outcome: only those with this end: `finished`, `forfeited` or `void`.
            stage: only those of this stage, such as `final`.
            limit: the maximum number of matches.

        Raises:
            UserError: if nothing was run yet, or there is no such bot.
        """
        from arena.tournament.results.match_table import Matches

        return Matches([
            *self.iter_matches(
                bot=bot, against=against, verdict=verdict, outcome=outcome, stage=stage,
                limit=limit,
            )
        ])  # fmt: skip

    def iter_matches(
        self,
        *,
        bot: str | None = None,
        against: str | None = None,
        verdict: str | None = None,
        outcome: str | None = None,
        stage: str | None = None,
        limit: int | None = None,
    ) -> Iterator[StoredMatch]:
        """Yield stored matches like `matches`, one by one, so that millions need little memory."""
        from arena.tournament.store import MatchFilter

        which = MatchFilter(
            bot=bot, verdict=verdict, end=outcome, stage=stage, limit=limit, newest=True,
            against=against,
        )  # fmt: skip
        with self.open_store() as store:
            yield from store.matches.find_matches(which)

    def transcript(self, match: str) -> Transcript:
        """Return the transcript of a match, given its key, such as `17.0`.

        Raises:
            UserError: if there is no such match, or its transcript was not stored.
        """
        from arena.records import parse_text

        key = parse_match_key(match)
        with self.open_store() as store:
            store.matches.find_match(*key)
            text = store.transcripts.load(*key)
        if text is None:
            raise UserError(
                f"match {format_match_key(key)} has no transcript:"
                " the tournament does not keep every transcript"
            )
        return parse_text(text.decode())

    def export(self, path: str | Path | None = None, *, format: str = "csv") -> None:  # noqa: A002
        """Write a row for each seat of each match, for other programs.

        Args:
            path: of the file; None: standard output.
            format: `csv`, `jsonl` or `parquet`.

        Raises:
            UserError: where nothing was run yet, or the file cannot be written.
        """
        from arena.tournament.results.exported_results import write_results

        with self.open_store() as store:
            write_results(store, format, None if path is None else Path(path))

    def open_store(self) -> Store:
        """Open the database for reading."""
        from arena.tournament.store import Store

        return Store.open(self.database, write=False)
