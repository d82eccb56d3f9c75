"""The game that a plugin provides, as one object, and the checks when it is made.

Each check says in one line which class is wrong, where it stands, and how to fix it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import Any, Protocol, Self, get_type_hints

import attrs
from attrs import Factory, evolve, field, frozen, validators

from arena.players import Bot, RandomBot
from arena.plugins.turning_points import Revelations, TurningPoints
from arena.rules import (
    GameError,
    GivenAnswer,
    Position,
    Question,
    Seat,
    Variant,
    join_words,
    locate_definition,
    read_seed,
)
from arena.wires import (
    Board,
    Codec,
    Greeting,
    JsonLines,
    Narrator,
    Vocabulary,
    converter,
    read,
    validate_field_types,
)

JSON = "json"


class GamePart:
    """A game or a part of one: it is made by keywords, and an unknown one is refused."""

    __slots__ = ()

    def __new__(cls, *_: object, **given: object) -> Self:
        """Create the part; raise GameError for an unknown keyword."""
        known = list_keywords(cls)
        for name in given:
            if name not in known:
                places = {keyword: f"{keyword}=" for keyword in known} | find_keyword_places(cls)
                guess = get_close_matches(name, places, 1)
                hint = f"; did you mean {places[guess[0]]}?" if guess else ""
                raise GameError(
                    f"{cls.__name__} has no {name!r}{hint} (available: {', '.join(known)})"
                )
        return super().__new__(cls)


def list_keywords(kind: type) -> list[str]:
    """Return the keywords of a part of a game."""
    return [attribute.name for attribute in attrs.fields(kind) if attribute.init]


def find_keyword_places(kind: type) -> dict[str, str]:
    """Return the spelling of each keyword of a game and of its groups, except for one of them."""
    others = {name: group for name, group in GROUPS.items() if group is not kind}
    places = {} if kind is Game else {name: f"Game({name}=...)" for name in list_keywords(Game)}
    for name, group in others.items():
        written = f"{name}={group.__name__}"
        places |= {keyword: f"{written}({keyword}=...)" for keyword in list_keywords(group)}
    return places


@frozen
class Scenario(GamePart):
    """A difficult situation of a game, in which `arena check` tests a bot.

    `name` says what happens there; `others` make the bots of all seats but `seat`, where
    the checked bot sits, in seat order. `options` are parameters that the situation needs,
    whatever variant is checked; `seed` is that of the deal.
    """

    name: str
    others: Sequence[Callable[[], Bot]]
    seat: Seat = 0
    options: Mapping[str, Any] = Factory(dict)
    seed: str = field(default="situation", converter=read_seed)


PLAIN_TEXT = validators.matches_re("""[^'"\\\\]*""")  # which all languages write alike


@frozen
class Cue(GamePart):
    """The beginning of a line of a text protocol and its possible answers, for `arena new-bot`.

    `line` is an extended regular expression (as of `grep -E`); what its brackets hold is kept.
    `answer` is a line that is always legal: in it {} stands for what was kept last, {name} for
    the bot's name; None says that the line is no prompt. The first cue that fits a line counts.
    """

    line: str = field(validator=PLAIN_TEXT)
    answer: str | None = field(default=None, validator=validators.optional(PLAIN_TEXT))


@frozen
class Wire(GamePart):
    """A text protocol of a game; JSON lines every game has anyway.

    `codec` makes the codec of a seat, and `silent` lists the events for which it may have no line.
    `keeps` lists the events of which it may say an older one again after a newer one about the same
    seat. For who writes a bot, `cues` say what a line calls for, and `page` names the page that
    describes the lines.
    """

    codec: Callable[[Seat], Codec]
    silent: tuple[type, ...] = field(default=(), kw_only=True)
    keeps: tuple[type, ...] = field(default=(), kw_only=True)
    cues: Sequence[Cue] = field(default=(), kw_only=True)
    page: str = field(default="", kw_only=True)


def _tell_nothing(_: object) -> None:
    """Return None: nobody may know anything of the answer."""


@frozen(kw_only=True)
class Secret(GamePart):
    """What everybody may know of the answers to a question that is answered in secret, and when.

    `at_once` returns what everybody may know of an answer as soon as it is given (`len`: how many
    cards); unless said otherwise, nothing. `later` lists the events by which the rules announce
    something of the answers afterwards, each with a function that returns what: its argument is a
    list of the answers to the question so far, also of earlier rounds, as pairs of a seat and its
    answer (`lambda votes: sum(dict(votes).values())`: the sum of each seat's last one). Where it
    returns the same, the event has to be the same.
    """

    at_once: Callable[[Any], object] = _tell_nothing
    later: Mapping[type, Callable[[Sequence[GivenAnswer]], object]] = Factory(dict)


@frozen(kw_only=True)
class Secrecy(GamePart):
    """What the rules hide and bring to light, for the laws of the contract.

    `reveals` lists the events by which the rules bring to light what a position or a draw has
    hidden, such as a showdown or a card that is drawn: up to them nobody can tell what is hidden.
    `secret_answers` lists the questions that are answered in secret, such as which card to pass
    face down, each with what everybody may know of the answers, and when.
    `private_reveals` lists the events by which one seat alone may learn of such an answer of
    another seat, such as a look at the card.
    `one_sided` lists the events that one seat alone is told and by the rules another seat never is.
    """

    reveals: tuple[type, ...] = ()
    secret_answers: Mapping[type, Secret] = Factory(dict)
    private_reveals: tuple[type, ...] = ()
    one_sided: tuple[type, ...] = ()

    @property
    def announcements(self) -> tuple[type, ...]:
        """The events that bring something to light, whether it was dealt, drawn or answered."""
        later = (kind for secret in self.secret_answers.values() for kind in secret.later)
        return tuple(dict.fromkeys((*self.reveals, *later)))


@frozen
class Count(GamePart):
    """What people count of a score, with its unit: with `fewest` it is minus the score.

    >>> Count().describe(63), Count("card", fewest=True).describe(-1)
    ('63 points', '1 card')
    >>> Count("player beaten", "players beaten").describe(2)
    '2 players beaten'
    """

    unit: str = "point"  #: of one
    #: of several, unless an s at its end says that
    units: str = Factory(lambda count: f"{count.unit}s", takes_self=True)
    fewest: bool = field(default=False, kw_only=True)  #: whether the fewest win

    def of(self, score: float) -> float:
        """Return the number that is counted for a score."""
        return 0 - score if self.fewest else score  # never -0

    def name(self, score: float) -> str:
        """Return the unit for a score, in the singular or the plural."""
        return self.unit if abs(score) == 1 else self.units

    def format(self, score: float) -> str:
        """Write the number that is counted for a score, without needless zeros."""
        return f"{float(self.of(score)):g}"

    def describe(self, score: float) -> str:
        """Return the number that is counted for a score, with its unit."""
        return f"{self.format(score)} {self.name(score)}"


@frozen(kw_only=True)
class Presentation(GamePart):
    """What people see of a game, at the terminal and on pages.

    `rules` are the rules in some ten lines, which `arena play` begins with, and `typing` says below
    them how an answer is typed; pages, where one clicks, leave it out; an empty line separates
    paragraphs. `count` is what people count of a score, and `scoring` a sentence on how that comes
    about, which stands below the result of a match. `narrator` makes the
    narrator of a seat (None: who watches), given the names of the players; `board`, which takes the
    same, says what lies where, for pages that draw it. `turning_points`, which takes the same,
    finds the moments worth jumping to among announced events (unless said otherwise, those by
    which something comes to light, as `Secrecy` says).

    `guide` is what somebody reads who plays for the first time: by a question's class, a sentence
    for the first time that it is asked, for the second, and so on.

    `strengths` is the file with the measured strengths of the game's own bots, which
    `python -m arena.testing.bot_strengths` writes: people who choose an opponent are told them in
    words. `demo` names the bots that `arena demo` shows the game with.
    """

    rules: str = ""
    typing: str = ""
    count: Count = Count()
    scoring: str = ""
    narrator: Callable[[Seat | None, Sequence[str]], Narrator] = Narrator
    board: Callable[[Seat | None, Sequence[str]], Board] | None = None
    turning_points: Callable[[Seat | None, Sequence[str]], TurningPoints] | None = None
    guide: Mapping[type, Sequence[str]] = Factory(dict)
    strengths: Path | None = None
    demo: Sequence[str] = ()

    @property
    def typed_rules(self) -> str:
        """The rules, and how to type an answer, for a person at the terminal."""
        return "\n".join(part for part in (self.rules, self.typing) if part)


class ObservationEncoder(Protocol):
    """An encoder of what one seat was told, as numbers for machine learning.

    It may have a method `rename`, which returns what the observation calls an answer at the moment,
    another answer of the game. So it can number suits by their part, such as the trump, and what is
    learned of one suit holds for all.
    """

    def tell(self, event: Any) -> None:
        """Update the observation for an event that the seat was told."""

    def observation(self) -> Sequence[float]:
        """Return numbers from 0 to 1; their count is fixed for a variant and its seats."""


class Recall(Protocol):
    """What one seat remembers of all that it was told, and deals hidden cards by."""

    def tell(self, event: Any) -> None:
        """Remember an event that the seat was told."""

    def redeal(self, position: Any, random: Random) -> Position:
        """Return the position before the open round dealt anew; the seat is asked now."""


@frozen(kw_only=True)
class Learning(GamePart):
    """What machines need that learn to play a game.

    `actions` lists all answers that are ever legal in a variant with a number of seats, in a fixed
    order; `encoder` makes of a seat's greeting what turns all that the seat is told from there on
    into figures. `substitutes` are the bots that play on where `arena.search` plays positions to
    their end; unless said otherwise, the game's own bots but those that play at random. They should
    be quick, of several kinds, and able to play by what is announced before a round and told in it.
    The first one also plays for the seat that is asked; where there are none, chance plays.
    `recall` makes of a greeting what deals hidden cards in searches, in place of a position's
    `resample_hidden`: where a seat learns in one round what others cannot hold in the next, such as
    a suit that they did not follow.
    """

    actions: Callable[[Any, int], Sequence[Any]] | None = None
    encoder: Callable[[Greeting], ObservationEncoder] | None = None
    recall: Callable[[Greeting], Recall] | None = None
    substitutes: Sequence[type[Bot]] | None = None


@frozen(kw_only=True)
class Game(GamePart):
    """A game: its rules and bots, and what it has for programs, people and machines that learn.

    `name` is what command lines call it, `title` what headings call it, `summary` one line about
    it; `variant` is the class of its parameters, `seats` how many may play.
    `messages` lists every event and question class, which gives the game JSON lines, by its
    `vocabulary`. `unit` is what the game calls what a match is counted in, such as a trick: each
    call of `round` is one, unless positions have a property `rounds` that says how many were
    played. `deals_hands` says that chance gives each seat what the others do not have, so that a
    tournament plays every deal with everybody in every seat.

    `bots` are the bundled ones by name, and `scenarios` are what `arena check` brings a bot into.
    `bots_elsewhere` names bots that another package adds, and says for each how to install it.
    This is all that a game needs. Whoever has `secrecy` to declare, text `wires` by name (programs
    speak the first of them unless told otherwise), a better `presentation` or `learning` adds it.
    """

    name: str
    title: str = Factory(lambda game: game.name.capitalize(), takes_self=True)
    summary: str
    variant: type
    seats: range = field()
    messages: tuple[type, ...]
    unit: str = "round"
    deals_hands: bool = False
    bots: Mapping[str, type[Bot]] = Factory(dict)
    bots_elsewhere: Mapping[str, str] = Factory(dict)
    scenarios: Sequence[Scenario] = ()
    secrecy: Secrecy = Secrecy()
    wires: Mapping[str, Wire] = Factory(dict)
    presentation: Presentation = Presentation()
    learning: Learning = Learning()
    vocabulary: Vocabulary = field(init=False)

    @seats.validator
    def _check_seats(self, _: object, seats: object) -> None:
        if not isinstance(seats, range) or not seats or min(seats) < 1:
            raise ValueError(
                f"seats: {seats!r} is not a range of numbers of players, such as range(2, 5)"
            )

    def __attrs_post_init__(self) -> None:
        validate_game(self)
        if self.learning.substitutes is None:  # now: other plugins may add bots later
            kinds = [kind for kind in self.bots.values() if not issubclass(kind, RandomBot)]
            object.__setattr__(self, "learning", evolve(self.learning, substitutes=kinds))

    @vocabulary.default
    def _build_vocabulary(self) -> Vocabulary:
        validate_messages(self.messages)
        return Vocabulary.of(*self.messages)

    @property
    def protocols(self) -> tuple[str, ...]:
        """The names of the wires; the first is the one that programs speak by default."""
        return (*self.wires, JSON)

    def build_codec(self, protocol: str | None, seat: Seat) -> Codec:
        """Return a seat's codec: the named one, or the default."""
        protocol = protocol or self.protocols[0]
        if protocol == JSON:
            return JsonLines(self.vocabulary)
        return self.wires[protocol].codec(seat)

    def build_narrator(self, seat: Seat | None, names: Sequence[str]) -> Narrator:
        """Return the narrator for a person at this seat, or for a spectator."""
        return self.presentation.narrator(seat, names)

    def build_turning_points(self, seat: Seat | None, names: Sequence[str]) -> TurningPoints:
        """Return the finder of turning points for a person at this seat, or for a spectator."""
        if self.presentation.turning_points:
            return self.presentation.turning_points(seat, names)
        return Revelations(self.secrecy.announcements, self.build_narrator(None, names))

    def read_variant(self, options: Mapping[str, Any]) -> Variant:
        """Build the variant with these parameters; raise ValueError that lists all mistakes."""
        variant: Variant = read(options, self.variant)
        return variant

    def write_variant(self, variant: Variant) -> dict[str, Any]:
        """Return a variant's options as JSON values."""
        packed: dict[str, Any] = converter.unstructure(variant)
        return packed

    @property
    def default_options(self) -> dict[str, Any]:
        """The options that have a default, with this as a JSON value."""
        return {
            option.name: converter.unstructure(option.default)
            for option in attrs.fields(self.variant)
            if option.default is not attrs.NOTHING
        }

    def write_changed_options(self, variant: Variant) -> dict[str, Any]:
        """Return the options that are not at their defaults as JSON values.

        They stay the same when the game gains an option.
        """
        usual = self.default_options
        return {
            name: value
            for name, value in self.write_variant(variant).items()
            if name not in usual or value != usual[name]
        }


GROUPS: Mapping[str, type] = {
    "secrecy": Secrecy, "presentation": Presentation, "learning": Learning
}  # fmt: skip
NAME = re.compile(r"[a-z][a-z0-9_-]*")
POSITION_MEMBERS = {
    "over": "whether the game is over",
    "scores": "the score of each seat",
    "resample_hidden": "another position that a seat may not tell from this one",
}
"""The members of a position besides `round`, with their meanings."""


def validate_game(game: Game) -> None:
    """Raise ValueError or TypeError if an attribute of a game is invalid."""
    if not NAME.fullmatch(game.name):
        raise ValueError(
            f"name: {game.name!r} is not a name for the command line (lower-case letters, digits,"
            " - and _, such as 'my-game')"
        )
    _validate_bots(game.bots)
    _validate_groups(game)
    _validate_variant(game.variant)
    _validate_kinds(game)


def validate_messages(messages: object) -> None:
    """Raise TypeError if the messages of a game are not classes in a tuple or a list."""
    if not isinstance(messages, (tuple, list)):
        raise TypeError(f"messages: is {messages!r}; list the classes in brackets with a comma")
    for kind in messages:
        if not isinstance(kind, type):
            raise TypeError(f"messages: {kind!r} is not a class; list the class itself")


def _validate_bots(bots: object) -> None:
    if not isinstance(bots, Mapping):
        raise TypeError(
            f"bots: is a {type(bots).__name__}; write a dictionary of names and classes, such as"
            ' {"random": RandomBot}'
        )
    for name, kind in bots.items():
        if not (isinstance(kind, type) and issubclass(kind, Bot)):
            raise TypeError(f"bots: {name} is {kind!r}; name a class that derives from Bot")
        if attrs.has(kind):
            validate_field_types(kind)


def _validate_groups(game: Game) -> None:
    for name, group in GROUPS.items():
        if not isinstance(given := getattr(game, name), group):
            raise TypeError(f"{name}: is {given!r}; write {name}={group.__name__}(...)")
    for name, wire in game.wires.items():
        if not isinstance(wire, Wire):
            raise TypeError(f"wires: {name} is {wire!r}; write Wire(...) around the codec's class")
    for kind in game.presentation.guide:
        if kind not in game.messages:
            raise TypeError(f"presentation.guide: {kind!r} is no question among the messages")
    for name, part in _list_factories(game).items():
        if part is not None and not callable(part):
            raise TypeError(f"{name}: {part!r} cannot be called; name a class or a function")


def _list_factories(game: Game) -> dict[str, object]:
    """Return the factories of a game, which are called for each match, by their names."""
    shown, learning = game.presentation, game.learning
    return {
        "presentation.narrator": shown.narrator,
        "presentation.board": shown.board,
        "presentation.turning_points": shown.turning_points,
        "learning.actions": learning.actions,
        "learning.encoder": learning.encoder,
        **{f"wires[{name!r}].codec": wire.codec for name, wire in game.wires.items()},
    }


def _validate_variant(variant: Any) -> None:
    if not isinstance(variant, type):
        raise TypeError(f"variant: is {variant!r}; name the class, not one of its objects")
    if not attrs.has(variant) or variant.__hash__ is None:
        raise ValueError(
            f"{locate_definition(variant)} is not frozen: write @frozen (from attrs) above it"
        )
    validate_field_types(variant)
    deal = getattr(variant, "deal", None)
    if deal is None:
        raise ValueError(f"{locate_definition(variant)} has no `async def deal(self, table)`")
    if not inspect.iscoroutinefunction(deal):
        raise ValueError(
            f"{locate_definition(deal)} is not a coroutine: write `async def deal(self, table)`"
        )
    try:
        position = get_type_hints(deal).get("return")
    except Exception:  # noqa: BLE001  # names that are imported for the type checker alone
        return
    if isinstance(position, type) and not getattr(position, "_is_protocol", False):
        _validate_position(position)


def _validate_position(position: type) -> None:
    lacking = [name for name in POSITION_MEMBERS if not hasattr(position, name)]
    names = {field.name for field in attrs.fields(position)} if attrs.has(position) else set()
    lacking = [name for name in lacking if name not in names]
    if lacking:
        missing = join_words([f"`{name}` ({POSITION_MEMBERS[name]})" for name in lacking], "and")
        raise ValueError(f"{locate_definition(position)} has no {missing}")
    if not inspect.iscoroutinefunction(getattr(position, "round", None)):
        raise ValueError(f"{locate_definition(position)} has no `async def round(self, table)`")


def _validate_kinds(game: Game) -> None:
    """Check that lists of events and questions contain those of the game only."""
    secrecy = game.secrecy
    for name, kinds in (
        ("secrecy.reveals", secrecy.reveals),
        ("secrecy.private_reveals", secrecy.private_reveals),
        ("secrecy.one_sided", secrecy.one_sided),
        *((f"wires[{name!r}].silent", wire.silent) for name, wire in game.wires.items()),
    ):
        for kind in kinds:
            _validate_kind(game, name, kind, question=False)
    for question, secret in secrecy.secret_answers.items():
        _validate_kind(game, "secrecy.secret_answers", question, question=True)
        name = f"secrecy.secret_answers[{question.__name__}]"
        if not isinstance(secret, Secret):
            raise TypeError(f"{name}: is {secret!r}; write Secret(at_once=...) around the function")
        for kind in secret.later:
            _validate_kind(game, f"{name}.later", kind, question=False)


def _validate_kind(game: Game, name: str, kind: Any, *, question: bool) -> None:
    is_question = isinstance(kind, type) and issubclass(kind, Question)
    if kind in game.messages and is_question == question:
        return
    known = ", ".join(
        message.__name__ for message in game.messages if issubclass(message, Question) == question
    )
    sort = "a question" if question else "an event"
    shown = getattr(kind, "__name__", repr(kind))
    raise ValueError(f"{name}: {shown} is not {sort} in `messages` (available: {known})")
