"""Matches as pages show them: their ends, steps and rounds, and what is public of them."""
