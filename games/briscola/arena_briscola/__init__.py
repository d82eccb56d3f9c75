"""Briscola for the arena: rules, lines for programs, words for people, bots."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
