"""The index of a static site: by it, a later run knows which replays are there."""

from __future__ import annotations

import json
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Self

from attrs import define, field

from arena import UserError
from arena.tournament.deals import Key
from arena.wires import describe_unknown_format, dump
from arena_web.site.files import write_file
from arena_web.site.lists import DEALS_PER_LIST

INDEX = "site.json"
FORMAT = 1


@define
class ReplayIndex:
    """The matches in each shard of a site, and whose names were hidden when they were written."""

    name: str  #: of the tournament
    transcripts: bool  #: whether they are written, too
    aliases: list[str] = field(factory=list)  #: of hidden names, in order
    shards: list[tuple[Key, ...]] = field(factory=list)

    @classmethod
    def read(cls, out: Path, name: str, public: AbstractSet[Key], *, transcripts: bool) -> Self:
        """Return the index of the site of a tournament that may have been written to a folder.

        It has no shards where these would have to be written with `transcripts`.

        Raises:
            UserError: if the folder holds something else.
        """
        index = read_index(out)
        new = cls(name, transcripts, index.get("aliases", []))
        if not index:
            return new
        shards = [tuple((deal, turn) for deal, turn in keys) for keys in index["shards"]]
        old = cls(name, transcripts, new.aliases, shards)
        if index["name"] != name or not public >= old.shard_numbers.keys():
            raise UserError(
                "the folder contains the site of another tournament; name another folder"
            )
        return old if index["transcripts"] or not transcripts else new

    @property
    def shard_numbers(self) -> dict[Key, int]:
        """The shard numbers by match."""
        return {key: number for number, keys in enumerate(self.shards) for key in keys}

    def write(self, out: Path) -> None:
        """Write the index for the next run."""
        index = {
            "format": FORMAT,
            "name": self.name,
            "deals": DEALS_PER_LIST,
            "transcripts": self.transcripts,
            "aliases": self.aliases,
            "shards": self.shards,
        }
        write_file(out / INDEX, (dump(index) + "\n").encode())


def read_index(out: Path) -> dict[str, Any]:
    """Return the index that an earlier run wrote; an empty dict if there is none.

    Raises:
        UserError: if the folder holds something else.
    """
    try:
        if not out.exists() or not any(out.iterdir()):
            return {}
        index = json.loads((out / INDEX).read_text(encoding="utf-8"))
        if index["format"] == FORMAT:
            return dict(index)
        if type(index["format"]) is int:
            reason = describe_unknown_format(index["format"], FORMAT)
            raise UserError(f"{out / INDEX}: {reason}")
    except (ValueError, KeyError, TypeError):
        pass
    except OSError as problem:
        if not isinstance(problem, FileNotFoundError):
            raise UserError(f"{out} cannot be written: {problem.strerror}") from None
    raise UserError(f"{out} is not empty and was not written by `arena site`; name another folder")
