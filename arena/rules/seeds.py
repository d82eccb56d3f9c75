"""Seeds: one secret, from which all others are derived by hashing.

A seed that leaks tells nothing of those beside it, so a bot that is given its own cannot
search out the deal. Seeds are texts; who calls from Python may write a whole number.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b
from operator import index
from typing import SupportsIndex, TypeAlias

from arena.rules.errors import UserError

Seed: TypeAlias = str | int
"""A seed as Python takes it: 42 is the seed "42" of a command line."""


def read_seed(seed: object) -> str:
    """Return a seed as a text.

    Raises:
        UserError: unless it is a text or a whole number.

    >>> read_seed(42), read_seed("42")
    ('42', '42')
    """
    if isinstance(seed, str):
        return seed
    if isinstance(seed, SupportsIndex) and not isinstance(seed, bool):
        return str(index(seed))
    raise UserError(f"seed: {seed!r} is neither a text nor a whole number")


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
