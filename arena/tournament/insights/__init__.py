"""Playing styles: what was observed in a tournament's matches, counted and kept."""
