"""The client of `arena submit`, which needs no server."""
