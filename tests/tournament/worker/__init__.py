"""Tests of arena.tournament.worker."""
