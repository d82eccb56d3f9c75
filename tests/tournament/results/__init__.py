"""Tests of arena.tournament.results."""
