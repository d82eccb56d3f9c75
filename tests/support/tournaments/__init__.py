"""Helpers of the tests of tournaments: folders, databases, results, kills."""
