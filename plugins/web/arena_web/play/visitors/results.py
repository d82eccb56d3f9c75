"""The results of a visitor's games against each opponent, and what is said after a match."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define

from arena import format_count
from arena_web.play.seat_secrets import Secret
from arena_web.play.store.table_store import TableStore
from arena_web.play.visitors.games import PAIR, GameRow, list_rows
from arena_web.play.visitors.ratings import describe_rating
from arena_web.player_names import present_players, title_bot
from arena_web.texts import find_count, present_name

LEAST_STREAK = 2  # matches


@define
class OpponentRecord:
    """The results of a visitor against an opponent in a game."""

    game: str
    opponent: str  #: a bot, or the name of a person
    matches: int = 0
    won: int = 0  #: matches, or in matches of several opponents: seats that finished behind
    tied: int = 0
    lost: int = 0
    streak: int = 0  #: matches won in a row, or lost as a negative number
    several: bool = False  #: whether there were matches of several opponents
    gain: float | None = 0  #: what was won from the opponent in all; None where nothing is

    def count(
        self,
        *results: int,
        several: bool = False,
        gain: float | None = None,
        unaided: bool = True,
    ) -> None:
        """Count a later match, of `several` opponents: for each seat 1 is a win, -1 a loss.

        The `gain` is what the visitor won from the opponent, in a game in which one does. Only a
        match without hints, which is `unaided`, continues or ends a streak.
        """
        self.several |= several
        self.gain = None if gain is None or self.gain is None else self.gain + gain
        self.matches += 1
        self.won += results.count(1)
        self.tied += results.count(0)
        self.lost += results.count(-1)
        if not unaided:
            return
        won = (sum(results) > 0) - (sum(results) < 0)
        self.streak = self.streak + won if won * self.streak > 0 else won

    @property
    def label(self) -> str:
        """The opponent by the name that it has alone at a table."""
        (label,) = present_players(self.game, [self.opponent], [self.opponent])
        return label

    @property
    def bot(self) -> str:
        """Which bot of its level the opponent is; empty for others."""
        return (
            "" if self.label == present_name(self.opponent) else title_bot(self.game, self.opponent)
        )

    @property
    def streak_words(self) -> str:
        """The streak in words; empty where there is none, or where some seats win and others lose.

        >>> OpponentRecord("gops", "easy", streak=2).streak_words
        '2 wins in a row'
        >>> OpponentRecord("gops", "easy", streak=-1).streak_words
        ''
        """
        number = abs(self.streak)
        if self.several or number < LEAST_STREAK:
            return ""
        return f"{number} {'wins' if self.streak > 0 else 'losses'} in a row"

    @property
    def gain_words(self) -> str:
        """What was won from the opponent in all, in words; empty where nothing is.

        >>> OpponentRecord("kuhn", "optimal", matches=2, gain=3).gain_words
        '+3 chips'
        """
        if self.gain is None or not self.matches:
            return ""
        return f"{'+' * (self.gain > 0)}{find_count(self.game).describe(self.gain)}"

    @property
    def words(self) -> str:
        """All of it in words.

        >>> OpponentRecord("gops", "easy", won=2, lost=1, streak=2).words
        '2 won, 1 lost; 2 wins in a row'
        >>> OpponentRecord("kuhn", "optimal", matches=3, won=2, lost=1, gain=-1).words
        '-1 chip in all, 2 won, 1 lost'
        >>> OpponentRecord("coup", "easy", matches=1, won=1, lost=2, several=True).words
        'you finished ahead of 1 of 3'
        >>> OpponentRecord("coup", "easy", matches=1, won=3, several=True).words
        'you finished ahead of all 3'
        >>> OpponentRecord("coup", "easy", matches=1, lost=1, several=True).words
        'you finished behind'
        >>> OpponentRecord("coup", "easy", matches=2, won=3, tied=1, lost=2, several=True).words
        'you finished ahead of 3 of 6 in 2 matches, level with 1'
        """
        if self.several:
            return f"you finished {self._describe_seats()}"
        ties = f", {self.tied} tied" if self.tied else ""
        streak = f"; {self.streak_words}" if self.streak_words else ""
        gain = f"{self.gain_words} in all, " if self.gain_words else ""
        return f"{gain}{self.won} won, {self.lost} lost{ties}{streak}"

    def _describe_seats(self) -> str:
        """Return how many of the other seats the visitor beat, in matches of several opponents."""
        count = self.won + self.tied + self.lost
        if count == 1:
            return "ahead" if self.won else "level" if self.tied else "behind"
        everybody = "both" if count == PAIR else f"all {count}"
        ahead = everybody if self.won == count else f"{self.won or 'none'} of {count}"
        matches = f" in {self.matches} matches" if self.matches > 1 else ""
        return f"ahead of {ahead}{matches}{f', level with {self.tied}' if self.tied else ''}"


def collect_records(rows: Iterable[GameRow]) -> dict[tuple[str, str], OpponentRecord]:
    """Return the results by game and opponent, the one that was met last first."""
    records: dict[tuple[str, str], OpponentRecord] = {}
    for row in reversed([*rows]):
        if row.outcome is not None:
            for opponent, results in row.against.items():
                record = records.pop((row.game, opponent), OpponentRecord(row.game, opponent))
                record.count(
                    *results,
                    several=not row.is_pair,
                    gain=row.gain,
                    unaided=row.unaided is not None,
                )
                records[row.game, opponent] = record
    return dict(reversed(records.items()))


def describe_results(store: TableStore, secret: Secret) -> str:
    """Return the results against the opponents of a seat's match, which is over, in words."""
    rows = list_rows(store, store.browsers.find_ticket(secret))
    row = next((row for row in rows if row.secret == secret), None)
    if row is None:
        return ""
    records = collect_records(rows)
    opponents = [
        records[key] for opponent in row.against if (key := (row.game, opponent)) in records
    ]
    sentences = [f"Against {record.label}: {record.words}." for record in opponents]
    if hints := row.hints:
        taken = format_count(hints, "hint")
        sentences.insert(0, f"You took {taken}, so this match does not count for your streak.")
    else:
        sentences.append(describe_rating(rows, row))
    return " ".join(sentences).strip()
