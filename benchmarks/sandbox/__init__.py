"""Benchmarks of sandboxes."""
