"""Pages about matches and tournaments."""
