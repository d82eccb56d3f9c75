"""The part of a tournament that runs in worker processes."""
