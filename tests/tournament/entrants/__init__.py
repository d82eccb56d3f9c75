"""Tests of arena.tournament.entrants."""
