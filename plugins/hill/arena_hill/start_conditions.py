"""What has to hold before a hill starts, and what a start takes from its authors.

A hill starts if this machine confines untrusted programs, nobody else runs it, its databases belong
together, and its host wants what changed settings take away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from arena import UserError
from arena.sandbox import AUTO, find_sandbox, find_shortcomings
from arena.tournament.file.contents import SourceReaders
from arena.tournament.run.entrant_sandboxes import check_folders
from arena.tournament.run.tournament_run import TournamentRun
from arena.tournament.store import Store
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Submission
from arena_hill.file_locks import hold_free_file
from arena_hill.hill import Hill
from arena_hill.submission_status import StatusReading


def check_host(hill: Hill, *, trust_everybody: bool, share_user: bool) -> None:
    """Raise UserError unless this machine confines untrusted programs, as far as its host wants.

    A hill that trusts everybody needs no sandbox, and one that shares its user no users for bots.
    """
    if find_sandbox(AUTO):
        check_folders(hill.spec)
    elif not trust_everybody:
        raise UserError(
            "no sandbox works here, and a hill runs untrusted programs: run `arena doctor` to see"
            " what is missing, or use --trust-everybody"
        )
    if not (trust_everybody or share_user) and (cause := find_shortcomings()["users"]):
        raise UserError(
            f"untrusted programs would run as your own user and could disturb each other:"
            f" {cause}; or use --share-user"
        )


@contextmanager
def hold_hill(hill: Hill) -> Iterator[None]:
    """Hold a hill for a block, so that nobody else runs it; the lock ends with the process.

    Raises:
        UserError: if somebody holds it, before anything has changed.
    """
    hill.spec.make_data_folder()
    message = f"{hill.spec.file_name}: another `arena hill run` runs this hill; stop that one first"
    with hold_free_file(hill.lock_file, message):
        yield


def prepare_tournament(hill: Hill, store: HillStore) -> list[str]:
    """Prepare the tournament of a hill for a start; return what authors lose by it.

    The first start creates its database. Each line is about a setting that has changed since the
    last start.

    Raises:
        UserError: if the hill cannot start: somebody else plays its tournament, other settings have
            changed, or its two databases do not belong together.
    """
    spec = hill.spec
    database = store.transactions.address.shown
    if (last := store.commands.get_last_number()) and not hill.has_tournament():
        raise UserError(
            f"{hill.tournament_address.shown}: no such database, but"
            f" {database} has {last} commands for it; restore it from a backup, or"
            " move that one away, too, to begin anew"
        )
    with TournamentRun.claim(spec) as run:
        tournament = run.store
        _check_same_hill(hill, tournament, store)
        return [*_list_losses(hill, tournament, store)]


def _check_same_hill(hill: Hill, tournament: Store, store: HillStore) -> None:
    """Raise UserError if the tournament has carried out commands that the database does not have.

    New commands would get numbers of old ones and never be carried out, and the uploads that the
    database does not list would be deleted.
    """
    last_done, last_written = tournament.facts.last_command, store.commands.get_last_number()
    if last_done > last_written:
        raise UserError(
            f"{store.transactions.address.shown}: not the database of authors and submissions of"
            f" {hill.spec.file_name}, or an older copy: it has {last_written} commands, and"
            f" {last_done} were carried out; restore it, or restore both databases from one backup"
        )


def _list_losses(hill: Hill, tournament: Store, store: HillStore) -> Iterator[str]:
    config, previous = hill.config, tournament.facts.hill
    if previous is None:
        return
    present = len(tournament.entries.list_active())
    if config.size < min(previous.size, present):
        yield (
            f"size was {previous.size}, now {config.size}: {present - config.size} of {present}"
            " bots lose their places, and wait until there is room again"
        )
    if config.sources is SourceReaders.ALL and previous.sources != SourceReaders.ALL:
        current = StatusReading.of(hill, store).current
        opened = store.submissions.select_public(current, everybody=True)
        before = store.submissions.select_public(current, everybody=False)
        if more := _name_bots(opened) - _name_bots(before):
            yield (
                'sources was "author", now "all": everybody can read the sources of'
                f" {len(more)} more bot{'s' if len(more) > 1 else ''}"
            )


def _name_bots(submissions: Iterable[Submission]) -> set[str]:
    return {submission.bot.name for submission in submissions}
