"""Tuning, compared with other methods in a simulation of GOPS."""
