"""Tests of the core and of the whole; what they share stands in `programs` and `toys`."""
