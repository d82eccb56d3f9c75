"""A hill: a tournament to which authors submit bots, its settings, and where its files are."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar

from attrs import frozen

from arena import UserError
from arena.host import BOT_FILE, split_bot_name, split_folder_parameters
from arena.tournament import Tournament
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.bots.versions import comes_with_game
from arena.tournament.entries import Entry
from arena.tournament.file.contents import HillConfig
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.store import Store
from arena.tournament.store.connection import DatabaseAddress

T = TypeVar("T")


@frozen(eq=False)
class Hill:
    """A tournament with a table [hill] in its file."""

    spec: TournamentSpec
    config: HillConfig  #: the table [hill]

    @classmethod
    def of(cls, spec: TournamentSpec) -> Self:
        """Return the hill of a tournament; raise UserError if it is not a hill."""
        if spec.file.hill is None:
            raise UserError(f"{spec.file_name}: not a hill (it has no table [hill])")
        return cls(spec, spec.file.hill)

    @classmethod
    def load(cls, file: str | Path) -> Self:
        """Load the hill of a tournament's file; raise UserError if it is not a hill."""
        return cls.of(Tournament.load(file).spec)

    @property
    def name(self) -> str:
        """The hill's name in addresses."""
        return self.spec.stem

    def has_tournament(self) -> bool:
        """Whether the tournament's database is there, which the first start creates."""
        return Store.exists(self.spec.database)

    def query_tournament(
        self, question: Callable[[Store], T], *, aliased: bool = False
    ) -> T | None:
        """Return the answer to a question about the tournament; None before the first start.

        The question reads one state of the database. With `aliased`, hidden names are read as their
        aliases. Raises StorageError.
        """
        if not self.has_tournament():
            return None
        with (
            Store.open(self.spec.database, write=False, aliased=aliased) as store,
            store.begin_read(),
        ):
            return question(store)

    def list_entries(self) -> tuple[Entry, ...]:
        """Return the tournament's entries, one per version; none before it starts."""
        return self.query_tournament(lambda store: store.entries.list_all()) or ()

    @property
    def tournament_address(self) -> DatabaseAddress:
        """The address of the tournament's database."""
        return DatabaseAddress.of(self.spec.database)

    @property
    def database_address(self) -> DatabaseAddress:
        """The address of its own database, of authors and submissions."""
        address = self.config.database or f"{self.spec.stem}.hill.db"
        return DatabaseAddress.of(address, self.spec.home)

    @property
    def uploads_folder(self) -> Path:
        """The folder of its uploads, each named by its SHA-256."""
        return self.spec.data_folder / "uploads"

    @property
    def copies(self) -> CopyFolder:
        """The folder of the bots' copies."""
        return CopyFolder(self.spec.data_folder / "bots")

    @property
    def tables_file(self) -> Path:
        """The file with the games of visitors."""
        return self.spec.data_folder / "tables.db"

    @property
    def lock_file(self) -> Path:
        """The file that is locked while it runs."""
        return self.spec.data_folder / "hill.lock"

    @property
    def deletion_lock_file(self) -> Path:
        """The file that is locked while uploads or copies are deleted, or while none may be."""
        return self.spec.data_folder / "deletions.lock"

    @property
    def heartbeat_folder(self) -> Path:
        """The folder of the heartbeat files of its processes."""
        return self.spec.data_folder / "alive"

    @property
    def site_file(self) -> Path:
        """The file with the address at which its web server listens."""
        return self.heartbeat_folder / "site"

    def list_named_files(self) -> list[Path]:
        """Return the files and folders that its settings name, and which it only reads.

        These are the host's own bots and the secret of the provider. A folder comes before what is
        in it. What does not exist is left out, such as a program that is looked for in the path.
        """
        home, oauth = self.spec.home, self.config.oauth
        paths = [home / oauth.secret_file] if oauth and oauth.secret_file else []
        for line in self.spec.file.entrant:
            if line.folder:
                bots = (home / line.folder).glob(f"*/{BOT_FILE}")
                paths += sorted(file.parent for file in bots)
            for bot in line.bots or (line.bot or "",):
                paths += [home / word for word in self._split_bot(bot)]
        return sorted({path for path in paths if path.exists()})

    def _split_bot(self, bot: str) -> Iterator[str]:
        """Yield the words of a bot's text that may be paths: a folder, a file, a command."""
        text = split_bot_name(bot)[1]
        if text and not comes_with_game(self.spec.game, text):
            yield split_folder_parameters(text)[0]
            with suppress(ValueError):  # it is no command line
                yield from shlex.split(text.removeprefix("json:"))

    def read_site(self) -> str:
        """Return the last address of its web server, without a slash at its end; "" if none."""
        try:
            return self.site_file.read_text()
        except OSError:
            return ""
