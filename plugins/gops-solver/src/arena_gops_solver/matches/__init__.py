"""Recorded matches, explained by the solution."""
