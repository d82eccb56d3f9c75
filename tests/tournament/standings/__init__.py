"""Tests of arena.tournament.standings."""
