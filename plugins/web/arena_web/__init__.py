"""The arena in a browser: standings, replays, live matches, play, static sites."""
