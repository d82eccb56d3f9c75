"""Tests of arena.tournament.store."""
