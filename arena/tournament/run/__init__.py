"""A run of a tournament: what is played, by whom, in which order, until nothing is left."""
