"""The arena in a browser: standings, replays, live tables, a seat for a person, a site of files."""
