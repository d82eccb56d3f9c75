"""Seeds: one secret, and everything else derived from it by hashing.

A seed that leaks tells nothing of those beside it, so a bot that is given its own cannot
search out the deal. Seeds are texts.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b


def generate_seed() -> str:
    """Return 128 random bits: from a small seed a bot could search out everybody's hands."""
    return secrets.token_hex(16)


def derive_seed(seed: str, *purpose: object) -> str:
    """Return the seed for this purpose.

    >>> derive_seed("42", "bot", 0) == derive_seed("42", "bot", 1)
    False
    """
    text = "\0".join([seed, *map(str, purpose)])
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
