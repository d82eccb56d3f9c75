"""The visitors of a server: which browser has which games, and what came of these."""
