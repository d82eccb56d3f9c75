"""The attacks, the programs that make them, and the scene they are made in."""
