"""Benchmarks of the GOPS solver: solving, playing with its tables, and other methods."""
