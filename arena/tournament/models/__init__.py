"""Data of tournaments: deals, entrants, matches, results."""
