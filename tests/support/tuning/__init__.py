"""Bots and coins for the tests of tuning."""
