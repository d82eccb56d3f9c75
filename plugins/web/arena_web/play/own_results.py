"""The results of a visitor's games against each opponent, and what is said after a match."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define

from arena import format_count
from arena_web.play.own_games import GameRow, list_rows
from arena_web.play.own_ratings import describe_rating
from arena_web.play.seat_secrets import Secret
from arena_web.play.table_store import TableStore
from arena_web.player_names import present_players
from arena_web.texts import present_name


@define
class OpponentRecord:
    """The results of a visitor against an opponent in a game."""

    game: str
    opponent: str  #: a bot, or the name of a person
    won: int = 0
    tied: int = 0
    lost: int = 0
    streak: int = 0  #: wins in a row, or losses as a negative number
    several: bool = False  #: whether others played, too: to win is to finish ahead of this one

    def count(self, won: int, *, several: bool = False) -> None:
        """Count a later match, of `several` opponents: 1 is a win, 0 a tie, -1 a loss."""
        self.several |= several
        self.won += won > 0
        self.tied += not won
        self.lost += won < 0
        self.streak = self.streak + won if won * self.streak > 0 else won

    @property
    def shown(self) -> str:
        """The opponent by the name that it has alone at a table."""
        (label,) = present_players(self.game, [self.opponent], [self.opponent])
        return label

    @property
    def bot(self) -> str:
        """Which bot of its level the opponent is; empty for others."""
        name = present_name(self.opponent)
        return "" if self.shown == name else name

    @property
    def streak_words(self) -> str:
        """The streak in words; empty where there is none.

        >>> OpponentRecord("gops", "easy", streak=2).streak_words
        '2 wins in a row'
        >>> OpponentRecord("gops", "easy", streak=-1).streak_words
        '1 loss in a row'
        """
        number = abs(self.streak)
        if self.several:
            where = "ahead" if self.streak > 0 else "behind"
            times = "last time" if number == 1 else f"{number} times in a row"
            return f"{where} {times}" if self.streak else ""
        one, several = ("win", "wins") if self.streak > 0 else ("loss", "losses")
        noun = one if number == 1 else several
        return f"{number} {noun} in a row" if self.streak else ""

    @property
    def words(self) -> str:
        """All of it in words.

        >>> OpponentRecord("gops", "easy", won=2, lost=1, streak=2).words
        '2 won, 1 lost; 2 wins in a row'
        >>> OpponentRecord("coup", "easy", won=2, lost=1, several=True).words
        'you finished ahead in 2 of 3'
        """
        if self.several:
            count = self.won + self.tied + self.lost
            ties = f", level in {self.tied}" if self.tied else ""
            return f"you finished ahead in {self.won} of {count}{ties}"
        ties = f", {self.tied} tied" if self.tied else ""
        streak = f"; {self.streak_words}" if self.streak else ""
        return f"{self.won} won, {self.lost} lost{ties}{streak}"


def collect_records(rows: Iterable[GameRow]) -> dict[tuple[str, str], OpponentRecord]:
    """Return the results by game and opponent, the one that was met last first."""
    records: dict[tuple[str, str], OpponentRecord] = {}
    for row in reversed([*rows]):
        if row.won is not None:
            for opponent, won in row.against.items():
                record = records.pop((row.game, opponent), OpponentRecord(row.game, opponent))
                record.count(won, several=not row.is_pair)
                records[row.game, opponent] = record
    return dict(reversed(records.items()))


def describe_results(store: TableStore, secret: Secret) -> str:
    """Return the results against the opponents of a seat's match, which is over, in words."""
    rows = list_rows(store, store.find_ticket(secret))
    row = next((row for row in rows if row.stored.secret == secret), None)
    if row is None:
        return ""
    if hints := row.stored.hints:
        return (
            f"You took {format_count(hints, 'hint')}, so this match does not count for your streak."
        )
    records = collect_records(rows)
    opponents = [
        records[key] for opponent in row.against if (key := (row.game, opponent)) in records
    ]
    sentences = [f"Against {record.shown}: {record.words}." for record in opponents]
    return " ".join([*sentences, describe_rating(rows, row)]).strip()
