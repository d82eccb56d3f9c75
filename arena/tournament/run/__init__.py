"""The run of a tournament: scheduling, dispatching and admitting."""
