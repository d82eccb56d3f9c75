"""Names and docstrings follow CONTRIBUTING: functions are verbs, classes are nouns, constants have a unit.

Each rule lists what is exempt, with a reason. Functions that begin or end with a participle
because the field says so, such as `expected_gain`, have a bound, which may only fall.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

FOLDERS = ("arena", "games", "plugins", "benchmarks", "docs", "release")
IRREGULAR_PARTICIPLES = frozenset(
    [
        "told",
        "kept",
        "made",
        "seen",
        "given",
        "taken",
        "found",
        "held",
        "sent",
        "known",
        "drawn",
        "gone",
        "done",
        "shown",
        "said",
        "heard",
        "left",
        "met",
        "begun",
        "built",
        "caught",
        "chosen",
        "dealt",
        "fallen",
        "felt",
        "forgotten",
        "gotten",
        "hidden",
        "laid",
        "led",
        "lent",
        "lost",
        "meant",
        "paid",
        "shut",
        "sold",
        "sorted",
        "spent",
        "spoken",
        "stood",
        "stuck",
        "sunk",
        "swept",
        "thought",
        "thrown",
        "torn",
        "understood",
        "woken",
        "won",
        "worn",
        "written",
    ]
)
NOT_PARTICIPLES = frozenset(
    {"need", "feed", "seed", "speed", "embed", "exceed", "proceed", "red", "shed", "bed", "weed"}
)
FIELD_PARTICIPLES = frozenset({"sorted", "cached", "frozen"})
"""Participles that Python's own functions are named by."""
PROTOCOL_METHODS: dict[str, str] = {
    "connection_lost": "asyncio calls it",
    "connection_made": "asyncio calls it",
    "data_received": "asyncio calls it",
    "resample_hidden": "every game with hidden cards has it: a verb and its object",
    "wait_closed": "asyncio's streams have it",
}
"""Methods that are called by a name which others chose, with the reason."""
GAMES_OWN = "each game has its own, and no game imports another"
SHARED_CLASS_NAMES = {
    "Player": "the message of the handshake of BS, as its programs read it in JSON lines",
} | dict.fromkeys(
    [
        "Acted",
        "CardCounter",
        "CardPlayer",
        "Careful",
        "Doubter",
        "Hand",
        "Honest",
        "Memory",
        "Played",
        "PlayCard",
        "PlayerRecord",
        "RandomPlayer",
        "SeatView",
        "SpectatorView",
        "Taken",
        "Trusting",
        "Turn",
        "Won",
    ],
    GAMES_OWN,
)
"""Public class names that two packages may share, with the reason."""
EXEMPT_EXCEPTIONS: dict[str, str] = {}
"""Exceptions whose name does not end in `Error`, with the reason."""
UNIT = re.compile(r"_(SECONDS|MINUTES|HOURS|DAYS|MS|US|NS|BYTES|KB|MB|GB|KIB|MIB|GIB)$|_(PER)_")
ADVERBS = re.compile(
    r"_?(LOOK|LONGEST|MOST|SELDOM|OFTEN|AGAIN|SOON|ENDING|WAITING|PAUSE|LASTS|KEPT|FEW|MERCY|PATIENCE|"
    r"TOO_LONG|SHORTEST|STUCK|AT_ONCE|EACH|LONG|ENOUGH|LITTLE|ALL_AT_ONCE)"
)
NO_NOUN = re.compile(
    r"(Return|Yield|Say|Give|Tell|Show) (what|who|whom|whose|where|how|when|which|why)\b"
)
FRAGMENT = re.compile(r"(And|With|In|As|But|Nor|So|Or|From|By|At|On|Without|For)\b")

Find = tuple[str, str]
"""Where something was found, as file:line, and its name or text."""


@frozen
class Module:
    """A parsed file."""

    name: str
    tree: ast.Module
    is_test: bool

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
        """Yield each node of some kinds, with its place as file:line."""
        for node in ast.walk(self.tree):
            if isinstance(node, kinds):
                yield f"{self.name}:{getattr(node, 'lineno', 0)}", node


@pytest.fixture(scope="module")
def modules(root: Path) -> list[Module]:
    """All Python files of the packages and of the tests."""
    paths = [
        path for folder in (*FOLDERS, "tests") for path in sorted((root / folder).rglob("*.py"))
    ]
    names = {path.relative_to(root).as_posix(): path for path in paths}
    return [
        Module(name, ast.parse(path.read_text("utf-8")), is_test="/tests/" in f"/{name}")
        for name, path in names.items()
        if "/templates/" not in name and "/_build/" not in name
    ]


def is_participle(name: str) -> bool:
    """Whether a function's name begins or ends with a past participle."""
    words = [word for word in name.strip("_").lower().split("_") if word]
    return any(
        word in IRREGULAR_PARTICIPLES or (word.endswith("ed") and len(word) > 3)
        for word in {*words[:1], *words[-1:]} - NOT_PARTICIPLES - FIELD_PARTICIPLES
    )


def find_participles(modules: list[Module]) -> list[Find]:
    """Find functions named by a participle."""
    return [
        (place, node.name)
        for module in modules
        if not module.is_test
        for place, node in module.nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if node.name not in PROTOCOL_METHODS and is_participle(node.name)
    ]


def find_variables_called_one(modules: list[Module]) -> list[Find]:
    """Find uses of a variable or parameter `one`."""
    return [
        (place, "one")
        for module in modules
        if not module.is_test
        for place, node in module.nodes(ast.Name, ast.arg)
        if "one" in {getattr(node, "id", None), getattr(node, "arg", None)}
    ]


def find_exceptions_without_error(modules: list[Module]) -> list[Find]:
    """Find exceptions whose name does not end in `Error`."""
    found = []
    for module in modules:
        for place, node in module.nodes(ast.ClassDef):
            if (
                module.is_test
                or not isinstance(node, ast.ClassDef)
                or node.name in EXEMPT_EXCEPTIONS
            ):
                continue
            bases = {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
            if any(
                base.endswith(("Error", "Exception")) for base in bases
            ) and not node.name.endswith("Error"):
                found.append((place, node.name))
    return found


def find_shared_class_names(modules: list[Module]) -> list[Find]:
    """Find public classes that have the name of another one."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in modules:
        for place, node in module.nodes(ast.ClassDef):
            if (
                isinstance(node, ast.ClassDef)
                and not module.is_test
                and not node.name.startswith("_")
            ):
                places[node.name].append(place)
    return [
        (", ".join(found), name)
        for name, found in places.items()
        if len(found) > 1 and name not in SHARED_CLASS_NAMES
    ]


def find_constants_without_unit(modules: list[Module]) -> list[Find]:
    """Find numeric constants that are named by an adverb instead of a noun and a unit."""
    return [
        (place, target.id)
        for module in modules
        if not module.is_test
        for place, node in module.nodes(ast.Assign)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, int | float)
        for target in node.targets
        if isinstance(target, ast.Name)
        and ADVERBS.fullmatch(target.id)
        and not UNIT.search(target.id)
    ]


def find_docstrings_without_noun(modules: list[Module]) -> list[Find]:
    """Find docstrings such as "Return what is sent": they do not name the object."""
    return [
        (place, docstring.splitlines()[0])
        for module in modules
        if not module.is_test
        for place, node in module.nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for docstring in [ast.get_docstring(node) or ""]
        if NO_NOUN.match(docstring)
    ]


def find_fragments(modules: list[Module]) -> list[Find]:
    """Find docstrings of tests that are probably no sentence: short, and beginning with a conjunction or preposition."""
    return [
        (place, docstring.splitlines()[0])
        for module in modules
        if module.is_test
        for place, node in module.nodes(ast.FunctionDef)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
        for docstring in [ast.get_docstring(node) or ""]
        if FRAGMENT.match(docstring) and len(docstring.splitlines()[0].split()) < 8
    ]


BOUNDS: dict[Callable[[list[Module]], list[Find]], int] = {
    find_participles: 36,
    find_variables_called_one: 0,
    find_exceptions_without_error: 0,
    find_shared_class_names: 0,
    find_constants_without_unit: 0,
    find_docstrings_without_noun: 0,
    find_fragments: 0,
}
"""How many of each there may be: zero, and participles for at most one function in a hundred."""


@pytest.mark.parametrize("find", BOUNDS, ids=lambda find: find.__name__.removeprefix("find_"))
def test_names_and_docstrings_follow_the_rules(
    modules: list[Module], find: Callable[[list[Module]], list[Find]]
) -> None:
    """No rule is broken more often than its bound allows."""
    found = find(modules)
    report = "\n".join(f"{place} {text}" for place, text in found)
    assert len(found) <= BOUNDS[find], f"{len(found)} of at most {BOUNDS[find]}:\n{report}"


def test_every_exempt_class_name_is_shared(modules: list[Module]) -> None:
    """The list of names that packages may share has no entry that nobody needs."""
    names = [
        node.name
        for module in modules
        if not module.is_test
        for _, node in module.nodes(ast.ClassDef)
        if isinstance(node, ast.ClassDef)
    ]
    assert {name for name in SHARED_CLASS_NAMES if names.count(name) < 2} == set()
