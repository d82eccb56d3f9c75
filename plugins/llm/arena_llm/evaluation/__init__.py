"""Evaluation of bots by versioned suites: what they play, how reliable they are, how strong.

Any bot can be evaluated. A language model is a bot that leaves a record, which says what its
answers took and why it gave them.
"""
