"""Language models as players: any model behind an OpenAI-compatible endpoint, hosted or local.

`ModelBot` reads what a person at its seat would read, and answers in the words of that text. The
command `arena-llm` is the same bot as a program.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
