"""Tests of arena.tournament.file."""
