"""A bot's folder with a parameter of each type, and a tune file for it."""

from __future__ import annotations

from pathlib import Path

FOLDER_FILE = """
game = "gops"
bot = "mine"
opponents = ["match"]
"""
BOT_FILE = """
name = "mine"
command = "true {w} {v} {quick} {mood} {free}"
[parameters.w]
type = "int"
min = 0
max = 9
default = 3
[parameters.v]
type = "float"
min = 0.0
max = 1.0
default = 0.5
[parameters.quick]
type = "bool"
default = true
[parameters.mood]
type = "str"
choices = ["bold", "calm"]
default = "calm"
[parameters.free]
type = "int"
default = 7
"""


def write_folder(folder: Path, text: str = FOLDER_FILE) -> Path:
    """Write a bot's folder and a tune file; return the file."""
    (folder / "mine").mkdir()
    (folder / "mine" / "bot.toml").write_text(BOT_FILE)
    (folder / "mine.toml").write_text(text)
    return folder / "mine.toml"
