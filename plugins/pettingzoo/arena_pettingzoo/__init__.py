"""Games of the arena as PettingZoo environments, policies as bots, and bots that learn by play.

    env = arena_pettingzoo.env("gops", cards=5)

PettingZoo and Gymnasium are imported only when an environment is created, and numpy only when
something is used: both imports are slow.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
