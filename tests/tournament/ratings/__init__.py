"""Tests of arena.tournament.ratings."""
