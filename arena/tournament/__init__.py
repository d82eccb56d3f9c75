"""Tournaments: a schedule of matches over entrants, run by an executor, kept in a store.

The pure part (`plan`, `formats`, `ratings`) knows no process and no database; `runner`
puts it together with `jobs`, which workers play, and `store`, which one coordinator writes.
"""
