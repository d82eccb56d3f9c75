"""Tests of arena.tournament.insights."""
