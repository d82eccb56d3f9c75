"""Seeds: one secret, from which all others are derived by hashing.

A seed that leaks tells nothing of those beside it, so a bot that is given its own cannot
search out the deal. Seeds are texts.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b


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
