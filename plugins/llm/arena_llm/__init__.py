"""Language models as players: any model behind an OpenAI-compatible endpoint, hosted or local.

`ModelBot` reads what a person at its seat would read, and answers in the words of that text. The
command `arena-llm` is the same bot as a program.
"""

from arena_llm.bot import Attempt, Decision, ModelBot
from arena_llm.endpoint import EndpointError, Reply
from arena_llm.settings import (
    AnswerForm,
    Budget,
    Guidance,
    ModelSettings,
    OnFailure,
    Prices,
    TextForm,
    Usage,
)

__all__ = [
    "AnswerForm", "Attempt", "Budget", "Decision", "EndpointError", "Guidance", "ModelBot",
    "ModelSettings", "OnFailure", "Prices", "Reply", "TextForm", "Usage",
]  # fmt: skip
