"""The state of a tournament at one time: its results, and how far it has come."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from attrs import evolve, frozen

from arena.plugins import format_pairs, get_plugins
from arena.tournament import Summary
from arena.tournament.store import Store, StoredSettings
from arena.wires import to_printable


@frozen(eq=False, kw_only=True)
class TournamentSnapshot:
    """The summary of a tournament, and its progress at that time."""

    summary: Summary
    stored: int  #: matches, whatever came of them
    planned: int
    span: tuple[str, str] | None  #: when the first and the last match were over, in UTC
    authors: Mapping[str, str]  #: who agreed to be shown, by the names of their bots
    #: what is shown, in all of this, in place of the names that are hidden
    aliases: Mapping[str, str]
    played: Hashable  #: is the same where the figures and the names are the same
    terms: str = ""  #: what is played, in words
    over: bool = False  #: whether all is played that was planned
    replaced: int = 0  #: results, by playing a match again

    @property
    def cache_key(self) -> Hashable:
        """A key that is equal if nothing has changed."""
        return self.played, tuple(sorted(self.authors.items()))


def take_snapshot(
    store: Store, before: TournamentSnapshot | None, authors: Mapping[str, str]
) -> TournamentSnapshot:
    """Take a snapshot of a tournament, or return the current one if nothing has changed."""
    counts = store.progress.count_matches()
    states = tuple((entry.id, entry.title, str(entry.state)) for entry in store.entries.list_all())
    replaced = store.progress.count_replaced_results()
    over, aliases = store.facts.is_over, store.entrant_directory.aliases
    names = tuple(sorted(aliases.items()))
    played = (counts, states, over, store.facts.level, store.facts.anchor, replaced, names)
    if before is not None and before.played == played:
        return before if before.authors == authors else evolve(before, authors=authors)
    return TournamentSnapshot(
        summary=Summary.of(store),
        stored=counts.stored,
        planned=counts.planned,
        span=store.progress.find_first_and_last(),
        authors=authors,
        aliases=aliases,
        played=played,
        terms=describe_terms(store.settings),
        over=over,
        replaced=replaced,
    )


def describe_terms(settings: StoredSettings) -> str:
    """Describe the format, the seats, and the options of the game that are not the usual ones.

    >>> values = {"game": "gops", "format": "swiss:rounds=7", "table": 2}
    >>> options = {"cards": 5, "ties": "discard"}
    >>> describe_terms(StoredSettings.parse({**values, "options": options}))
    'swiss, 2 players a match, cards=5'
    """
    game = get_plugins().games.get(settings.game)
    usual = game.default_options if game else {}
    unusual = {
        name: value
        for name, value in settings.options.items()
        if usual.get(name) != value and isinstance(value, str | int | float)
    }
    form = settings.format.partition(":")[0]
    options = map(to_printable, format_pairs(unusual))
    return ", ".join([form, f"{settings.table} players a match", *options])
