"""The games of a visitor, known by a cookie: what is shown of each, and the export."""

from __future__ import annotations

import hmac
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hmac import compare_digest
from secrets import token_urlsafe
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from attrs import field, frozen
from starlette.requests import Request
from starlette.responses import Response

from arena.records import SUFFIX
from arena_web.play.table_setup import PERSON
from arena_web.play.table_store import OwnGame, TableStore
from arena_web.player_names import describe_players

COOKIE = "arena-games"
HOST_PREFIX = "__Host-"  # of a cookie that only this host can set, and only by https
TICKET_BYTES = 24
SIGNATURE_LENGTH = 65  # characters: a dot, and SHA-256 in hexadecimal digits
MAX_AGE = 400 * 86_400  # seconds: as long as browsers keep a cookie


@frozen
class TicketOffice:
    """Gives browsers tickets: random texts in a cookie, by which a server knows their games.

    They are signed. So a browser has no ticket that somebody else has thought up, and then knows.
    """

    key: bytes = field(repr=False)

    def read(self, request: Request) -> str:
        """Return the ticket of a request's browser; empty where it has none of this server."""
        ticket = request.cookies.get(_get_cookie_name(request), "")
        signature = self._sign(ticket[:-SIGNATURE_LENGTH])
        return ticket if compare_digest(ticket.encode(), signature.encode()) else ""

    def give(self, response: Response, request: Request) -> Response:
        """Return the response; it gives the browser a ticket, or has it keep its own for longer."""
        ticket = self.read(request) or self._sign(token_urlsafe(TICKET_BYTES))
        response.set_cookie(
            _get_cookie_name(request), ticket, MAX_AGE,
            secure=request.url.scheme == "https", httponly=True, samesite="lax",
        )  # fmt: skip
        return response

    def _sign(self, text: str) -> str:
        return f"{text}.{hmac.digest(self.key, text.encode(), 'sha256').hex()}"


def _get_cookie_name(request: Request) -> str:
    return HOST_PREFIX * (request.url.scheme == "https") + COOKIE


MAX_NUMBERED_LENGTH = 28  # characters of a name to which a number was added
PAIR = 2  # players
MAX_SHOWN = 100  # finished games on the page, some 30 kB; the export has all


def unnumber_names(names: Sequence[str]) -> list[str]:
    """Return the names at a table without the numbers that tell equal ones apart.

    >>> unnumber_names(["Ada_Lovelace", "low", "low_2"])
    ['Ada_Lovelace', 'low', 'low']
    """
    short = {name[:MAX_NUMBERED_LENGTH] for name in names}
    stems = [(name, re.fullmatch(r"(.+)_\d+", name)) for name in names]
    return [match[1] if match and match[1] in short else name for name, match in stems]


@frozen
class GameRow:
    """A game as the page of a visitor's games shows it."""

    own: OwnGame

    @property
    def game(self) -> str:
        """The name of the game."""
        return str(self.own.setup["game"])

    @property
    def seat(self) -> int:
        """The visitor's seat."""
        return int(self.own.setup["seating"].index(self.own.person))

    @property
    def bots(self) -> Sequence[str]:
        """The bot in each seat, or `PERSON` where a person sits."""
        setup, bots = self.own.setup, dict([*self.own.setup["others"], *self.own.setup["partners"]])
        return [
            bots.get(short, PERSON) if player >= len(setup["persons"]) else PERSON
            for short, player in zip(unnumber_names(setup["names"]), setup["seating"], strict=True)
        ]

    @property
    def others(self) -> str:
        """All other players, as people read them."""
        players = zip(self.own.setup["names"], self.bots, strict=True)
        others = [player for seat, player in enumerate(players) if seat != self.seat]
        return describe_players(self.game, [name for name, _ in others], [bot for _, bot in others])

    @property
    def when(self) -> str:
        """When the last answer was given, as it is stored elsewhere."""
        return datetime.fromtimestamp(self.own.changed, UTC).isoformat()

    @property
    def said(self) -> str:
        """How it came out; empty while it is played."""
        return str(self._outcome["said"]) if self._outcome else ""

    @property
    def won(self) -> int | None:
        """1 for a win, 0 for a tie, -1 for a loss; None where it does not count."""
        won: int | None = self._outcome["won"] if self._outcome and not self.own.hints else None
        return won

    @property
    def against(self) -> Mapping[str, int]:
        """The results against each opponent, without partners; a bot in several seats once."""
        return {**self._outcome["against"]} if self._outcome else {}

    @property
    def is_pair(self) -> bool:
        """Whether there was a single other player."""
        return len(self.own.setup["seating"]) == PAIR

    @property
    def _outcome(self) -> dict[str, Any] | None:
        result = self.own.result
        return result["persons"][self.own.person] if result else None


def list_rows(store: TableStore, ticket: str) -> list[GameRow]:
    """Return the games of a browser, the latest first."""
    return [GameRow(game) for game in store.list_games(ticket)] if ticket else []


def build_export(store: TableStore, rows: Iterable[GameRow]) -> bytes:
    """Return a zip file with a list of the games that are over, and their transcripts."""
    file = io.BytesIO()
    over = [row for row in rows if row.own.result]
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        games = [
            {
                "key": row.own.key, "game": row.game, "time": row.when,
                "players": row.own.setup["names"],
                "seat": row.seat,
                "result": row.said, "hints": row.own.hints,
            }
            for row in over
        ]  # fmt: skip
        archive.writestr("games.json", json.dumps(games, indent=2))
        for key in dict.fromkeys(row.own.key for row in over):
            if text := store.read_transcript(key):
                archive.writestr(f"{key}{SUFFIX}", text)
    return file.getvalue()
