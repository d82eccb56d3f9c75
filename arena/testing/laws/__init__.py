"""The laws that every game holds to, by subject."""
