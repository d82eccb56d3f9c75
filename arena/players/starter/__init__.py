"""The starter: a small process that starts trusted programs for a host, which may be large.

`run.py` is its script. It may be run by an interpreter that does not know the arena, so the
modules here import nothing else of it, and next to nothing at all.
"""
