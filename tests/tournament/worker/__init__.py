"""Tests of arena.tournament.workers."""
