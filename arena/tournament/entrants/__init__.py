"""Entrants of a tournament: their versions, copies, sandboxes and checks."""
