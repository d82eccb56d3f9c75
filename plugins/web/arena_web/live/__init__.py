"""What is live in a tournament: its tables, the featured match, and that it has changed."""
