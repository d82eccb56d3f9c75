"""The games of a visitor: what is shown of each, and their export."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from zipfile import ZIP_DEFLATED, ZipFile

from attrs import frozen

from arena import join_words
from arena.records import SUFFIX
from arena_web.play.seat_secrets import Secret
from arena_web.play.sitting import Sitting
from arena_web.play.store.stored_tables import OwnGame, PersonResult
from arena_web.play.store.table_store import TableStore
from arena_web.player_names import join_players, present_players
from arena_web.protocol.messages import SeatOutcome
from arena_web.texts import find_count

PAIR = 2  # players
MAX_RUNNING = 4  # running games that are seen at once, where there are more
MAX_SHOWN = 100  # finished games on the page, some 30 kB; the export has all


@frozen
class GameRow:
    """A game as the page of a visitor's games shows it."""

    stored: OwnGame

    @property
    def key(self) -> str:
        """The key of the table."""
        return self.stored.key

    @property
    def secret(self) -> Secret:
        """The secret of the visitor's seat."""
        return self.stored.secret

    @property
    def hints(self) -> int:
        """How many hints the visitor took."""
        return self.stored.hints

    @property
    def daily(self) -> str:
        """The day whose deal it is, as ISO 8601 writes it; empty for other deals."""
        return self.stored.setup.terms.daily

    @property
    def sitting(self) -> Sitting:
        """The matches that these players had played before."""
        return self.stored.setup.terms.sitting

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.stored.setup.game

    @property
    def seat(self) -> int:
        """The visitor's seat."""
        return self.stored.setup.find_seat(self.stored.person)

    @property
    def bots(self) -> Sequence[str]:
        """The bot in each seat, or `PERSON` where a person sits."""
        return self.stored.setup.bots

    @property
    def others(self) -> str:
        """All other players, by the names that they have at the table."""
        return join_players([label for seat, label in enumerate(self._labels) if seat != self.seat])

    @property
    def _labels(self) -> Sequence[str]:
        """The players in seat order, by the names that they have at the table."""
        return present_players(self.game, self.stored.setup.names, self.bots)

    @property
    def takes_friends(self) -> bool:
        """Whether the table waits for friends, who may still take the seats of its bots."""
        return self.stored.setup.terms.invites

    @property
    def total(self) -> str:
        """What the visitor has scored in this sitting so far, such as `+3 chips`."""
        scores = self.stored.result.scores if self.stored.result else None
        labels, sitting = self._labels, self.sitting
        if scores:
            sitting = sitting.add(dict(zip(labels, scores, strict=True)))
        return sitting.describe(find_count(self.game)).get(labels[self.seat], "")

    @property
    def when(self) -> str:
        """When the last answer was given, as it is stored elsewhere."""
        return datetime.fromtimestamp(self.stored.changed, UTC).isoformat()

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.stored.result is not None

    @property
    def is_void(self) -> bool:
        """Whether the match came to no end that counts."""
        return bool(self.stored.result and self.stored.result.places is None)

    @property
    def said(self) -> str:
        """How it came out; empty while it is played."""
        return self._result.said if self._result else ""

    @property
    def outcome(self) -> SeatOutcome | None:
        """How it came out for the visitor, with hints or without; None where it has no result."""
        return self._result.outcome if self._result else None

    @property
    def unaided(self) -> SeatOutcome | None:
        """How it came out, where the visitor took no hint: ratings and streaks count it."""
        return None if self.hints else self.outcome

    @property
    def tone(self) -> str:
        """Whether it is good or bad news: `lost` only for the last place, `between` for others."""
        result = self.stored.result
        if self.outcome is not SeatOutcome.LOST or result is None or result.places is None:
            return self.outcome or ""
        is_last = result.places[self.seat] == max(result.places)
        return SeatOutcome.LOST if is_last else "between"

    @property
    def against(self) -> Mapping[str, Sequence[int]]:
        """The results against each opponent, without partners, in each seat that it had."""
        return self._result.against if self._result else {}

    @property
    def is_pair(self) -> bool:
        """Whether there was a single other player."""
        return len(self.stored.setup.seating) == PAIR

    @property
    def gain(self) -> float | None:
        """What the visitor won from the only other player; None in a game in which none does."""
        scores = self.stored.result.scores if self.stored.result else None
        if not scores or not self.is_pair or find_count(self.game).fewest:
            return None
        own, other = scores[self.seat], scores[1 - self.seat]
        return own if own is not None and other is not None and own == -other else None

    @property
    def _result(self) -> PersonResult | None:
        result = self.stored.result
        return result.persons[self.stored.person] if result else None


FOLDED_MATCHES = 4  # of a sitting, from which on they are one entry of the list


@frozen
class SittingRows:
    """The finished matches of a sitting, the latest first, as one entry of the list."""

    rows: Sequence[GameRow]

    @property
    def latest(self) -> GameRow:
        """The last match that was played."""
        return self.rows[0]

    @property
    def is_folded(self) -> bool:
        """Whether the matches are shown only to who asks for them."""
        return len(self.rows) >= FOLDED_MATCHES

    @property
    def tone(self) -> str:
        """Whether more of them were won than lost, or fewer."""
        counts = Counter(row.outcome for row in self.rows)
        lead = counts[SeatOutcome.WON] - counts[SeatOutcome.LOST]
        return SeatOutcome.WON if lead > 0 else SeatOutcome.LOST if lead < 0 else SeatOutcome.TIED

    @property
    def said(self) -> str:
        """How they came out, in words."""
        counts = Counter(row.outcome for row in self.rows)
        parts = [f"{counts[outcome]} {outcome}" for outcome in SeatOutcome if counts[outcome]]
        return f"{join_words(parts)}, {self.latest.total} in all" if parts else self.latest.total


def group_sittings(rows: Iterable[GameRow]) -> list[SittingRows]:
    """Return finished games, the latest first, with those of one sitting together."""
    sittings = list[list[GameRow]]()
    following = dict[tuple[str, str], list[GameRow]]()  # a sitting, by its game and players
    for row in rows:
        players = row.game, row.others
        sitting = following.get(players)
        if sitting and 0 <= sitting[-1].sitting.matches - row.sitting.matches <= 1:  # 0: a void one
            sitting.append(row)
        else:
            sittings.append(sitting := [row])
        if row.sitting.matches:
            following[players] = sitting
        else:
            following.pop(players, None)
    return [*map(SittingRows, sittings)]


def list_rows(store: TableStore, ticket: str) -> list[GameRow]:
    """Return the games of a browser, the latest first."""
    return [GameRow(game) for game in store.browsers.list_games(ticket)] if ticket else []


def build_export(store: TableStore, rows: Iterable[GameRow]) -> bytes:
    """Return a zip file with a list of the games that are over, and their transcripts."""
    file = io.BytesIO()
    over = [row for row in rows if row.is_over]
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        games = [
            {
                "key": row.key, "game": row.game, "time": row.when,
                "players": row.stored.setup.names,
                "seat": row.seat,
                "result": row.said, "hints": row.hints,
            }
            for row in over
        ]  # fmt: skip
        archive.writestr("games.json", json.dumps(games, indent=2))
        for key in dict.fromkeys(row.key for row in over):
            if text := store.tables.read_transcript(key):
                archive.writestr(f"{key}{SUFFIX}", text)
    return file.getvalue()
