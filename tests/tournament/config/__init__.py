"""Tests of arena.tournament.config."""
