"""Seeds: one secret, from which all others are derived by hashing.

A seed that leaks tells nothing of those beside it, so a bot that is given its own cannot
search out the deal. Seeds are texts. A whole number means its digits, in files and in Python, so
that `seed = 42` plays what `--seed 42` plays.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from hashlib import blake2b
from operator import index
from typing import NewType, SupportsIndex, TypeAlias

from arena.rules.errors import UserError

Seed: TypeAlias = str | int
"""A seed as Python takes it: 42 is the seed "42" of a command line."""

SeedText = NewType("SeedText", str)
"""A seed as a file has it: the type of a field that `read_seed` reads."""


def read_seed(seed: object) -> SeedText:
    """Return a seed as a text.

    Raises:
        UserError: unless it is a text or a whole number.

    >>> read_seed(42), read_seed("42")
    ('42', '42')
    """
    if isinstance(seed, str):
        return SeedText(seed)
    if isinstance(seed, SupportsIndex) and not isinstance(seed, bool):
        with suppress(ValueError):  # of one with more digits than Python writes
            return SeedText(str(index(seed)))
    from arena.rules.options import abbreviate  # with attrs, which most commands start without

    raise UserError(f"seed: {abbreviate(seed)} is not a text or a whole number")


def generate_seed() -> str:
    """Return a seed of 128 random bits; with a short one a bot could find out all hands."""
    return secrets.token_hex(16)


def derive_seed(seed: str, *purpose: object) -> str:
    """Derive the seed for a purpose.

    >>> derive_seed("42", "bot", 0) == derive_seed("42", "bot", 1)
    False
    """
    text = "\0".join([seed, *map(str, purpose)])
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
