"""The names and titles at a hill that no bot of somebody else may take, nor look like."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from arena import UserError
from arena.host import BOT_FILE, load_bot_file, split_bot_name, split_folder_parameters
from arena_hill.db.taken_names import ReservedText, ReservedTexts
from arena_hill.hill import Hill


def read_reserved_texts(hill: Hill) -> ReservedTexts:
    """Return the names and titles at a hill; of hidden bots only their aliases.

    They are those of the game's bots, of the bots in the hill's file, and of all that have entered.
    """
    entries, last = hill.query_tournament(
        lambda store: (store.entries.list_all(), store.facts.last_command), aliased=True
    ) or ((), 0)
    names = (*hill.spec.game.bots, *_list_entrant_names(hill), *(entry.name for entry in entries))
    texts = [ReservedText(name, name) for name in names]
    titles = [ReservedText(entry.name, entry.title) for entry in entries if entry.title]
    return ReservedTexts([*texts, *titles], last)


def _list_entrant_names(hill: Hill) -> Iterator[str]:
    """Return the names in a tournament's file, as far as they are known before a build."""
    spec = hill.spec
    for line in spec.file.entrant:
        homes = [spec.home / split_folder_parameters(line.bot)[0]] if line.bot else []
        if line.folder:
            homes = [path.parent for path in (spec.home / line.folder).glob(f"*/{BOT_FILE}")]
        if line.name:
            yield line.name
        for home in homes:
            with suppress(UserError):  # of a bot that cannot be read: the run will say it
                if (home / BOT_FILE).is_file():
                    yield load_bot_file(home).name
        with suppress(UserError):
            if line.bot and (name := split_bot_name(line.bot)[0]):
                yield name
