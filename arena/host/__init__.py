"""Hosting matches: who is seated, by which clocks, from which seeds, and what came out.

This is the face for who hosts from Python: what `__all__` lists. The stub has more, from which
the rooms above make commands, checks and tournaments.
"""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "AnyBot",
    "BotClassFactory",
    "BotError",
    "Entrant",
    "HostConfig",
    "Limits",
    "Match",
    "PlayerFactory",
    "Result",
    "Series",
    "SeriesResult",
    "SeriesStanding",
    "SeriesStandings",
    "SeriesTally",
    "ShortageError",
    "build_folder_entrant",
    "configure",
    "host",
    "make_names_unique",
    "parse_entrant",
    "parse_entrants",
    "play_match",
    "play_series",
    "remove_folder",
    "walk_folder",
]
