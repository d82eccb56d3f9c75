"""The games that this repository brings, and the folder that each is in."""

from __future__ import annotations

GAMES = {
    "gops": "games",
    "bs": "games",
    "briscola": "games",
    "coup": "games",
    "hearts": "games",
    "kuhn": "games",
}
