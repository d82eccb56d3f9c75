"""What self-play says of a game, such as what the first seat, skill and a secret are worth.

Bots play the game among themselves and against each other. Each figure is one of these bots, has an
interval by deal, and depends on nothing but the seed. The room knows no game: it needs the rules.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
