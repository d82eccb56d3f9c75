"""The tournament file: its settings, and the location of its data."""
