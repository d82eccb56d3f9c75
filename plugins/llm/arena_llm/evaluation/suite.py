"""Suites: which games are played against whom, from which deals, how often.

A suite is a TOML file with a version. A public one has its seed in it. A held-out one has the
digest of a secret instead: who has the secret can play it, and nobody can have been trained on its
deals.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from attrs import field, frozen, validators

from arena.files import read_text, read_toml
from arena.host import NAME_PATTERN, Limits
from arena.rules import SeedText, UnknownNameError, UserError, derive_seed
from arena.wires import ValidationError, converter, read

FOLDER = files("arena_llm.evaluation") / "suites"
SUFFIX = ".toml"
name_validator = validators.matches_re(NAME_PATTERN)


@frozen
class BestReplySetting:
    """What a bot is asked, without a match, to find a best reply to it."""

    answers: int = field(default=1, validator=validators.ge(1))  #: in each information state
    options: Mapping[str, Any] = field(factory=dict)  #: of the game, which may be a smaller one


@frozen
class SuiteGame:
    """What a bot plays of one game."""

    game: str
    opponents: Sequence[str] = field(validator=validators.min_len(1))  #: bots, as in commands
    matches: int = field(validator=validators.ge(1))  #: of each bot, against all opponents
    name: str | None = field(default=None, validator=validators.optional(name_validator))
    table: int | None = None  #: seats of a match; None: the fewest
    options: Mapping[str, Any] = field(factory=dict)
    best_reply: BestReplySetting | None = None

    @property
    def label(self) -> str:
        """What the suite calls it: its name, or that of the game."""
        return self.name or self.game


@frozen
class Suite:
    """A suite, as its file has it."""

    name: str = field(validator=name_validator)
    version: int = field(validator=validators.ge(1))
    game: tuple[SuiteGame, ...] = field(validator=validators.min_len(1))
    seed: SeedText | None = None  #: of a public suite
    secret_sha256: str | None = None  #: the digest of the secret of a held-out suite
    time: Limits = field(factory=Limits)

    def __attrs_post_init__(self) -> None:
        if (self.seed is None) == (self.secret_sha256 is None):
            raise ValueError("set exactly one of `seed` and `secret_sha256`")
        labels = [part.label for part in self.game]
        for label in labels:
            if labels.count(label) > 1:
                raise ValueError(f"game: there are two parts {label!r}; give each a `name`")

    @classmethod
    def load(cls, named: str) -> Self:
        """Read a suite that comes with this package, or a file; raise UserError."""
        if not named.endswith(SUFFIX):
            known = list_suites()
            if named not in known:
                raise UnknownNameError("suite", named, known)
            path = Path(str(FOLDER / f"{named}{SUFFIX}"))
        else:
            path = Path(named)
        try:
            return read(read_toml(path), cls)
        except OSError as problem:
            raise UserError(f"{path}: {problem.strerror}") from None
        except ValidationError as problem:
            raise UserError("\n".join(f"{path}: {line}" for line in problem.lines)) from None
        except ValueError as problem:
            raise UserError(f"{path}: {problem}") from None

    def pack(self) -> dict[str, Any]:
        """Return it as JSON, which `read` reads again."""
        packed: dict[str, Any] = converter.unstructure(self)
        return {name: value for name, value in packed.items() if value is not None}

    @property
    def digest(self) -> str:
        """What tells the content of a suite from that of another one with the same name."""
        return sha256(json.dumps(self.pack(), sort_keys=True).encode()).hexdigest()[:12]

    @property
    def title(self) -> str:
        """Its name, version and digest."""
        kind = "" if self.seed is not None else ", held out"
        return f"{self.name} version {self.version} ({self.digest}{kind})"

    def find_seed(self, secret: Path | None) -> str:
        """Return the seed of all deals: its own, or the secret that a file holds."""
        if self.seed is not None:
            if secret:
                raise UserError(f"{self.name} is a public suite; leave out --secret")
            return self.seed
        if secret is None:
            raise UserError(f"{self.name} is held out; name the file of its secret by --secret")
        text = read_secret(secret)
        if compute_digest(text) != self.secret_sha256:
            raise UserError(f"{secret}: not the secret of {self.name}: its digest is another one")
        return text

    def derive_game_seed(self, seed: str, part: SuiteGame) -> str:
        """Return the seed of a game, which changes with the version."""
        return derive_seed(seed, "suite", self.name, self.version, part.label)


def list_suites() -> list[str]:
    """Return the names of the suites that come with this package."""
    names = (entry.name for entry in FOLDER.iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def read_secret(path: Path) -> str:
    """Return the secret that a file holds; raise UserError."""
    try:
        text = read_text(path).strip()
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "not UTF-8"
        raise UserError(f"{path}: {reason}") from None
    if not text:
        raise UserError(f"{path}: holds no secret")
    return text


def compute_digest(secret: str) -> str:
    """Return the digest by which a suite names its secret."""
    return sha256(secret.encode()).hexdigest()
