"""Standings, summaries and charts of stored results."""
