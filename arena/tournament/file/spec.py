"""The spec of a tournament: the contents of its file, with all names and defaults resolved."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from attrs import Factory, field, frozen

from arena.plugins import Game
from arena.rules import (
    Sides,
    UserError,
    Variant,
)
from arena.tournament.entries import Entry, Id
from arena.tournament.file import FILE_SUFFIX
from arena.tournament.file.contents import LiveDetail, Partners, TournamentFile
from arena.tournament.format_protocol import Format, FormatTerms
from arena.tournament.workers.executors import ExecutorProvider
from arena.tournament.workers.match_batch import BatchSettings

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@frozen
class TournamentSpec:
    """A tournament file with its names resolved: the game, the format and the executors."""

    file: TournamentFile  #: the settings of the file
    home: Path  #: the folder of the file, to which its paths are relative
    stem: str  #: the file's name without its extension
    game: Game  #: the game to play
    variant: Variant  #: the variant of the game
    format: Format  #: the format, which pairs the entrants
    executors: ExecutorProvider  #: where the workers that play matches come from
    seats_per_match: int  #: the number of seats at a table
    teams: Sides  #: the seats of each side of a match, whose players play together
    sides: Sides  #: the seats of each entrant of a match: one, or those of a team
    duplicate: bool  #: whether each deal is played in every rotation of its seats
    data_folder: Path = field(
        default=Factory(lambda self: self.home / f"{self.stem}.arena", takes_self=True)
    )  #: for copies of bots and the files that they keep; usually next to the file

    @property
    def file_name(self) -> str:
        """The name of the file, for messages."""
        return f"{self.stem}{FILE_SUFFIX}"

    @property
    def database(self) -> str:
        """The database: an address, or a path."""
        address = self.file.database or f"{self.stem}.db"
        return address if "://" in address else str(self.home / address)

    @property
    def draws_partners(self) -> bool:
        """Whether partners are drawn, so that each entrant has one seat of a team."""
        return self.file.partners is Partners.DRAWN

    def build_terms(self, entries: Sequence[Entry], initial_entrants: int) -> FormatTerms:
        """Return the terms of the format, given the number of entrants before the first deal."""
        return FormatTerms(
            entrants_per_match=len(self.sides),
            matches=self.file.matches,
            initial_entrants=initial_entrants,
            duplicate=self.duplicate,
            folder_keepers=frozenset(entry.id for entry in entries if entry.keeps),
            matches_per_version=self.file.hill.share if self.file.hill else None,
        )

    def build_batch_settings(
        self, secret: str, bots: Path, kept_folders: Path, live: Path | None = None
    ) -> BatchSettings:
        """Return the settings that all batches of matches have in common.

        Args:
            secret: the source of all seeds.
            bots: the folder of copies of bots.
            kept_folders: the folder for bots that keep one.
            live: the folder of live transcripts.
        """
        return BatchSettings(
            game=self.game.name,
            variant=self.game.write_variant(self.variant),
            secret=secret,
            limits=self.file.time,
            transcripts=self.file.transcripts,
            home=self.home,
            bots=bots,
            kept_folders=kept_folders,
            live=live,
            shows_hands=self.file.live is LiveDetail.ALL,
            table=self.seats_per_match,
        )

    def check_field(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if the field cannot play, and say why a team's seats need so many."""
        try:
            self.format.check(field, terms)
        except UserError as problem:
            if not self.draws_partners or len(field) >= terms.entrants_per_match:
                raise
            raise UserError(f'{problem}; use partners = "own", or enter more bots') from None

    def make_data_folder(self) -> None:
        """Make the folder of the tournament's data, in which nobody else may rename anything.

        Raises:
            UserError: where it cannot be made.
        """
        folder = self.data_folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UserError(f"{folder} cannot be made: {problem.strerror}") from None
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & OTHERS_WRITE:
            with suppress(PermissionError):  # somebody else's, as the host has decided
                folder.chmod(mode & ~OTHERS_WRITE)
