"""A bot for GOPS with a parameter of each type, in the files of a test."""

from __future__ import annotations

from pathlib import Path

LINE_BOT = '''
from attrs import define, field

from arena_gops.bots import PrizeBidder, find_nearest


@define(eq=False, slots=False)
class Line(PrizeBidder):
    """Bids a line of the prize."""

    slope: float = field(default=0.6, metadata={"min": 0.0, "max": 1.0})
    more: int = field(default=0, metadata={"min": 0, "max": 6})
    ends: bool = False
    style: str = field(default="near", metadata={"choices": ["near", "low"]})
    idle: float = field(default=0.5, metadata={"min": 0.0, "max": 1.0})
    fixed: int = 3

    def bid(self, hand):
        """Bid the card nearest to the line, or at the end of the hand."""
        if self.ends and self.prize > 11:
            return max(hand)
        if self.style == "low":
            return min(hand)
        return find_nearest(hand, self.slope * self.prize + self.more)
'''

TUNE_FILE = """
game = "gops"
bot = "line.py:Line"
opponents = ["match", "random"]
held_out = ["medium"]
matches = 400
gate = { gain = 0.06, pairs = 200 }
"""


def write_line_bot(folder: Path, more: str = "") -> Path:
    """Write the bot and a tune file for it; return the file."""
    (folder / "line.py").write_text(LINE_BOT)
    file = folder / "line.toml"
    file.write_text(f"{more}\n{TUNE_FILE}")
    return file
