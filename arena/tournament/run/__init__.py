"""The run of a tournament: its schedule, its dispatcher and the admission of entrants."""
