"""Running scripts in Python in confined forks of an interpreter that has started already.

Everything here runs in the interpreter of a bot, before the bot does. That interpreter may have no
other part of the arena, nor anything that the arena uses: only `run.py` is started, by its path.
"""
