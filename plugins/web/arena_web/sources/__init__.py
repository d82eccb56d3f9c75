"""Sources of pages, and their visibility."""
