"""Tests of arena.tournament.formats."""
