"""The commands `arena hill` and `arena submit`."""
