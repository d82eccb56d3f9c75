"""Tests of arena.tournament.roster."""
