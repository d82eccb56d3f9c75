"""The roster: the entrants that the file of a tournament names."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import Factory, frozen

from arena.host import (
    BOT_FILE,
    BotError,
    join_team,
    split_bot_name,
    split_folder_parameters,
)
from arena.rules import UnknownNameError, UserError, join_words
from arena.tournament.anchor import Anchor
from arena.tournament.bots.versions import BotVersions
from arena.tournament.entries import Entry
from arena.tournament.file.contents import EntrantConfig
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.titles import Titles
from arena.wires import to_printable

MAX_LINES = 20  # of items that do not take part


class EntrantsError(UserError):
    """Some entrants cannot take part; the message has a line for each."""


def open_versions(spec: TournamentSpec) -> BotVersions:
    """Return the versions of a tournament's bots, with the folder of their copies."""
    return BotVersions(spec.game, spec.home, spec.data_folder / "bots")


@frozen
class Roster:
    """Reads the entrants of a tournament's file, and compares them with those in its database."""

    spec: TournamentSpec
    #: of the bots, with the folder of their copies
    versions: BotVersions = Factory(lambda self: open_versions(self.spec), takes_self=True)

    def read(self) -> Sequence[Entry]:
        """Return the entrants of the file; raise EntrantsError with all mistakes in them."""
        entries: list[Entry] = []
        wrong: list[str] = []
        for number, line in enumerate(self.spec.file.entrant):
            try:
                bots = self._list_bots(line)
            except BotError as problem:
                wrong.append(f"entrant[{number}]: {problem}")
                continue
            for bot in bots:
                try:
                    entries.append(
                        self.versions.read_entry(
                            bot, line.name, keeps=line.keeps, containment=line.containment
                        )
                    )
                except UserError as problem:
                    wrong.append(f"entrant[{number}]: {problem}")
        own = {entry.name: entry.title for entry in entries if entry.title}
        wrong += [*_find_duplicates(entries), *self.read_titles(entries, own).describe_alike()]
        self._refuse(map(to_printable, wrong))
        return entries

    def read_titles(self, entries: Sequence[Entry], own: Mapping[str, str]) -> Titles:
        """Return the titles that the file gives, and `own`, those that entrants give themselves."""
        rows = [(line.title, line.name, *_split_bot(line)) for line in self.spec.file.entrant]
        names = {name or prefix for _, name, prefix, _ in rows}
        others = {entry.bot: entry.name for entry in entries if entry.name not in names}
        of_file = {
            name or prefix or others.get(bot, ""): title
            for title, name, prefix, bot in rows
            if title
        }
        return Titles(of_file, own, [entry.name for entry in entries])

    def _refuse(self, wrong: Iterable[str]) -> None:
        """Raise EntrantsError if there are mistakes in the file."""
        if lines := [f"{self.spec.file_name}: {line}" for line in wrong]:
            raise EntrantsError("\n".join(lines))

    def _list_bots(self, line: EntrantConfig) -> list[str]:
        """Return the bots of an entrant table, each as a table of its own would name it."""
        if line.bots:
            return [join_team(line.bots)]
        if line.folder is None:
            return [line.bot or ""]
        folders = sorted(
            path.parent for path in (self.spec.home / line.folder).glob(f"*/{BOT_FILE}")
        )
        folders = [path for path in folders if not _is_untrusted_link(path, line)]
        if not folders and (self.spec.home / line.folder / BOT_FILE).is_file():
            raise BotError(f'{line.folder} is itself a bot; write bot = "{line.folder}"')
        if not folders:
            raise BotError(f"{line.folder} contains no folder with a {BOT_FILE}")
        return [os.path.relpath(path, self.spec.home) for path in folders]

    def explain_absences(self, entries: Sequence[Entry]) -> Iterator[str]:
        """Yield a message for each item in the entrants' folders that does not take part."""
        bots = {
            self._normalize_path(split_folder_parameters(member.bot)[0])
            for entry in entries
            for member in entry.members
        }
        for line in self.spec.file.entrant:
            if line.folder is not None:
                lines = [*self._list_idle(line, line.folder, bots)]
                yield from lines[:MAX_LINES]
                if lines[MAX_LINES:]:
                    yield f"{len(lines[MAX_LINES:])} more in {line.folder} do not take part either"

    def _list_idle(self, line: EntrantConfig, folder: str, bots: Container[str]) -> Iterator[str]:
        """Yield a message for each item of a folder that is not a bot or has not entered."""
        home = self.spec.home / folder
        for path in sorted(home.iterdir()) if home.is_dir() else ():
            bot = os.path.relpath(path, self.spec.home)
            if not (path / BOT_FILE).exists():
                if not path.name.startswith("."):
                    yield f"{bot} does not take part: it is not a folder with a {BOT_FILE}"
            elif _is_untrusted_link(path, line):
                yield f"{bot} does not take part: an untrusted bot may not be a symbolic link"
            elif self._normalize_path(bot) not in bots:
                yield f"{bot} does not take part: it is new (`arena tournament add` enters it)"

    def _normalize_path(self, path: str) -> str:
        return os.path.normpath(self.spec.home / path)

    def check_anchor(self, entries: Iterable[Entry]) -> None:
        """Raise UserError if nobody has the name of the anchor; on a hill it may enter later."""
        if self.spec.file.anchor is None or self.spec.file.hill:
            return
        name = Anchor.parse(self.spec.file.anchor).name
        names = [entry.name for entry in entries]
        if name not in names:
            problem = UnknownNameError("entrant", name, dict.fromkeys(names))
            raise UserError(f"{self.spec.file_name}: anchor: {problem}")

    def check_titles(self, entries: Sequence[Entry], own: Mapping[str, str]) -> None:
        """Raise EntrantsError if titles, which may change, can be taken for somebody else.

        On a hill strangers give titles, which must not keep it from being opened: they are not
        shown.
        """
        own = {} if self.spec.file.hill else own
        self._refuse(self.read_titles(entries, own).describe_alike())

    def check_travel(self, entries: Iterable[Entry]) -> None:
        """Raise EntrantsError if workers are on other machines and an entrant cannot run there."""
        if not self.spec.executors.remote:
            return
        staying = [
            f"{entry.name}: {why}"
            for entry in entries
            if (why := self.versions.find_travel_obstacle(entry))
        ]
        if staying:
            raise EntrantsError("\n".join(staying))


def _find_duplicates(entries: Sequence[Entry]) -> Iterator[str]:
    alike: dict[str, list[Entry]] = {}
    for entry in entries:
        alike.setdefault(entry.name.casefold(), []).append(entry)
    for _, same in sorted(alike.items()):
        names = dict.fromkeys(entry.name for entry in same)
        bots = ", ".join(entry.bot for entry in same)
        if len(names) > 1:
            yield f"entrant: {join_words([*names], 'and')} differ in case only ({bots}); rename one"
        elif len(same) > 1:
            yield f"entrant: {len(same)} are called {same[0].name} ({bots}); give each its own name"


def _is_untrusted_link(path: Path, line: EntrantConfig) -> bool:
    """Return whether a bot is a symbolic link that someone untrusted may have made."""
    return line.untrusted and path.is_symlink()


def _split_bot(line: EntrantConfig) -> tuple[str | None, str]:
    """Return the name that is given with a bot, and the bot as its entrant has it."""
    if line.bots:
        return None, join_team(line.bots)
    try:
        return split_bot_name(line.bot or "")
    except BotError:  # reading the entrant reports it
        return None, ""
