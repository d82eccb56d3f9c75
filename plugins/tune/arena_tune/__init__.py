"""Tuning: a bot's parameters are searched by matches, and a sequential test decides.

`stages` is the pure part: what is played next, given what was played. It knows no process and no
database, so a simulation can play its matches. `run` lets worker processes play them and stores
every match; the state of a search is never stored, but computed again from the matches.
"""
