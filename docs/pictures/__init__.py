"""Pictures of the book that are drawn from the code."""
