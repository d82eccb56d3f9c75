"""Tests of arena.tournament.bots."""
