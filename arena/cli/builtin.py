"""The arena's own commands: where each of them is, and what it is for."""

from __future__ import annotations

from arena.cli.lazy import Place

BUILTIN = {
    "bots": Place("arena.cli.games:bots", "List a game's bundled bots."),
    "check": Place("arena.cli.check:check_bot", "Say what a bot does wrong, and where."),
    "demo": Place("arena.cli.demo:demo", "Watch a match of each game."),
    "doctor": Place("arena.cli.doctor:doctor", "Say which sandboxes hold on this machine."),
    "duel": Place("arena.cli.duel:duel", "Find out which of two bots is better."),
    "export": Place("arena.cli.results:export", "Write a tournament's results for other programs."),
    "fuzz": Place("arena.cli.golden:fuzz", "Try to break a game's rules, wires and views."),
    "games": Place("arena.cli.games:games", "List the games."),
    "golden": Place("arena.cli.golden:golden", "Write golden playthroughs of a game."),
    "match": Place("arena.cli.match:match", "Host games between bots."),
    "matches": Place("arena.cli.results:matches", "List matches of a tournament."),
    "new-bot": Place(
        "arena.cli.scaffold:write_bot", "Write a bot that already plays, to begin with."
    ),
    "new-game": Place(
        "arena.cli.scaffold:write_game", "Write a small game that works, to begin with."
    ),
    "play": Place("arena.cli.play:play", "Play against bots at the terminal."),
    "replay": Place("arena.cli.transcripts:replay", "Show a recorded match."),
    "standings": Place("arena.cli.standings:standings", "Rank the entrants of a tournament."),
    "tournament": Place(
        "arena.cli.tournament:tournament",
        "Hold a tournament: many bots, many matches, a ranking.",
    ),
    "transcript": Place("arena.cli.results:transcript", "Give a match's transcript."),
    "verify": Place("arena.cli.transcripts:verify", "Play recorded matches again by the rules."),
}
"""The short helps are the commands' own, which a test compares."""
