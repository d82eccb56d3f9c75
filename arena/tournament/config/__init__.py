"""The file of a tournament: its settings, and where its data is."""
