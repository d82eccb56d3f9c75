"""What was observed in a tournament's matches, and the playing styles that it shows."""
