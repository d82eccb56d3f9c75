"""Who answers for a seat: a bot in this process, a program behind pipes, a person."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
