"""A match with people: its table, who is at it, and what they are told."""
