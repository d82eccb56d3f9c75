"""Tests of arena.tournament.run."""
