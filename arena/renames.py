"""Names of the faces that were renamed in the last release, each with its new name.

Whoever imports one is told the new name, for one release; a test holds the table against the
CHANGELOG, which has it too. It is read only when a name is not found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

RENAMED: Mapping[str, Mapping[str, str]] = {
    "arena": {
        "Illegal": "IllegalAnswerError",
        "Malformed": "MalformedLineError",
        "Answered": "AcceptedAnswer",
        "Private": "PrivateEvent",
        "Said": "AnswerEvent",
        "Encoder": "ObservationEncoder",
        "Situation": "Scenario",
        "Kind": "ZoneKind",
        "Line": "MarkedLine",
        "Note": "Annotation",
        "Walk": "Explorer",
        "Study": "ExplorerPage",
        "Bar": "ChoiceShare",
        "Chart": "ShareChart",
        "spoken_list": "join_words",
    },
    "arena.cards": {
        "deck": "build_deck",
        "shuffled": "shuffle",
        "in_order": "sort_cards",
        "without": "remove_cards",
        "of_suit": "filter_suit",
        "following": "follow_suit",
        "trick_winner": "find_trick_winner",
        "mixed": "redistribute",
        "format_cards": "show_cards",
    },
    "arena.testing": {"hold": "check_law", "Secret": "SecretAlternatives"},
    "arena.host": {
        "BadBot": "BotError",
        "Shortage": "ShortageError",
        "entrant": "parse_entrant",
        "in_folder": "build_folder_entrant",
        "configured": "configure",
        "distinct": "make_names_unique",
        "Standing": "SeriesStanding",
        "Standings": "SeriesStandings",
        "Tally": "SeriesTally",
        "Bundled": "BotClassFactory",
        "look_through": "walk_folder",
        "remove": "remove_folder",
    },
    "arena.tournament": {"Curves": "RatingHistory", "Figures": "Summary"},
}


def explain_renames(
    module: str, find: Callable[[str], object] | None = None
) -> Callable[[str], object]:
    """Return a `__getattr__` of a module that finds names, and tells the new ones of old ones."""

    def __getattr__(name: str) -> object:  # noqa: N807  # what Python calls
        if new := RENAMED[module].get(name):
            raise ImportError(f"{module}.{name} is now called {new}", name=module)
        if find is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return find(name)

    return __getattr__
