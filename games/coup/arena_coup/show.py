"""Coup as people see it: the view in text, typed answers, the narrator, and the turning points.

The views, the narrator and the turning points share the sentences of `describe_event`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    AnswerEvent,
    Codec,
    Greeting,
    MalformedLineError,
    Mark,
    MarkedLine,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    begin_sentence,
    join_words,
)
from arena_coup.rules import (
    ALLOW,
    CHARACTERS,
    Acted,
    Block,
    Blocked,
    Cards,
    Challenge,
    Challenged,
    ChooseAction,
    Drawn,
    Hand,
    KeepCards,
    LoseInfluence,
    Lost,
    Out,
    Proved,
    Settled,
    ShowCard,
    Turn,
    Won,
    parse_action,
)

INTRODUCTION = (
    "Coup: be the last player with influence (your cards). Each turn is an action.",
    "Some actions claim a character. You may lie, and anybody may challenge: whoever",
    "is wrong loses an influence.",
)

RULES = """\
Coup: be the last player with influence (your cards). Each turn is an action:
  income        1 coin
  foreign-aid   2 coins; somebody who claims the Duke may block it
  tax           3 coins; claims the Duke
  steal         2 coins from a player; claims the Captain; Captain or
                Ambassador may block it
  assassinate   for 3 coins a player loses an influence; claims the Assassin;
                the Contessa may block it
  exchange      draw cards and choose which to keep; claims the Ambassador
  coup          for 7 coins a player loses an influence; you must with 10 coins
Any claim, also one that blocks, may be a lie, and anybody may challenge it. A
player who cannot show the card loses an influence; otherwise the challenger
loses one, and the shown card is exchanged. Type as much as is unambiguous:
inc, or steal bob."""

HIDDEN = "▒"
"""The text for a card that is face down."""


def build_view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Return the view for a player at this seat, or for a spectator."""
    return SpectatorView(Phrases(names)) if seat is None else SeatView(seat, Phrases(names, seat))


class SeatView:
    """The view for the player at a seat, who is called `you`."""

    def __init__(self, seat: Seat, phrases: Phrases) -> None:
        self.seat, self.words = seat, phrases
        self.hand: Cards = ()
        self.begins = True  # the table above shows the hand already

    def tell(self, event: Any) -> Iterable[str]:
        """Return the lines of public events, and of this seat's cards."""
        return [*self._lines(event)]

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                yield from INTRODUCTION
            case Turn():
                yield from self._turn_lines(event)
            case Hand(cards):
                if cards != self.hand or not self.begins:
                    yield f"Your cards: {join_words(cards)}"
                self.hand = cards
            case Drawn(cards):
                yield f"You draw {join_words(cards)}."
            case _:
                self.begins = False
                yield from describe_event(self.words, event)

    def _turn_lines(self, turn: Turn) -> Iterator[str]:
        self.begins = True
        yield ""
        yield MarkedLine(f"Turn {turn.number}: {self.words.name(turn.seat)}", Mark.HEADING)
        for seat, count in enumerate(turn.influence):
            hand = self.hand if seat == self.seat and self.hand else (HIDDEN,) * count
            yield format_seat_row(self.words, turn, seat, hand)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question, and the answers that can be typed."""
        return build_prompt(question, self.words)

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer; raise MalformedLineError with a hint if there is none."""
        return parse_answer(question, line, self.words)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as it can be typed."""
        return format_answer(answer, self.words)


class SpectatorView:
    """The view for a spectator, with all cards and private events."""

    def __init__(self, phrases: Phrases) -> None:
        self.words = phrases
        self.turn: Turn | None = None
        self.rows: list[Seat] = []

    def tell(self, event: Any) -> Iterable[str]:
        """Return the lines of an event; a player's permission is left out."""
        match event:
            case Turn(number, seat, influence=influence):
                self.turn, self.rows = event, [at for at, left in enumerate(influence) if left]
                return ["", f"Turn {number}: {self.words.name(seat)}"]
            case PrivateEvent(seat, Hand(cards)) if self.turn and seat in self.rows:
                self.rows.remove(seat)
                return [format_seat_row(self.words, self.turn, seat, cards)]
            case PrivateEvent(seat, Hand(cards)):
                return [f"  ({self.words.name(seat)} holds {join_words(cards)}.)"]
            case PrivateEvent(seat, Drawn(cards)):
                return [f"  ({self.words.clause('draw', seat)} {join_words(cards)}.)"]
            case PrivateEvent() | AnswerEvent():
                return []
        return [*describe_event(self.words, event)]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: a spectator is not asked."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer of a typed line, as at a seat."""
        return parse_answer(question, line, self.words)

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as it can be typed."""
        return format_answer(answer, self.words)


def format_seat_row(words: Phrases, turn: Turn, seat: Seat, hand: Cards) -> str:
    """Return the table row of a seat: coins, cards face down, cards face up."""
    name = words.name(seat).ljust(max(map(len, words.names)))
    if not turn.influence[seat]:
        return f"  {name}  out       ({join_words(turn.revealed[seat])})"
    lost = f"  ({join_words(turn.revealed[seat])} lost)" if turn.revealed[seat] else ""
    coins = f"{turn.coins[seat]:2} coin{'' if turn.coins[seat] == 1 else 's'}"
    return f"  {name}  {coins:8}  {' '.join(hand)}{lost}"


def build_prompt(question: Question[Any], words: Phrases) -> tuple[str, str]:
    """Return the text of a question, with the answers that can be typed."""
    return describe_question(question, words), f"  ({describe_options(question, words)})"


def describe_question(question: Question[Any], words: Phrases) -> str:
    """Return the text of a question."""
    match question:
        case ChooseAction():
            return "What do you do?"
        case Challenge(_, claimant, character):
            return f"Do you challenge {words.possessive(claimant)} {character}?"
        case Block(_, seat, action):
            return f"Do you block {words.possessive(seat)} {name_action(action)}?"
        case ShowCard(_, character):
            return f"Which card do you turn up? It is lost, but for the {character}."
        case LoseInfluence():
            return "Which influence do you lose?"
        case KeepCards(options):
            return f"Which do you keep? ({options.least})"
    raise TypeError(f"unknown question {type(question).__name__}")


def describe_options(question: Question[Any], words: Phrases) -> str:
    """List the answers that can be typed."""
    options: Any = question.options
    if isinstance(question, KeepCards):
        return " ".join(options.cards)
    names = [format_answer(option, words) for option in options]
    return " | ".join("Enter to allow" if name == ALLOW else name for name in names)


def format_answer(answer: str | Cards, words: Phrases) -> str:
    """Return an answer as text to type, with the target's name in place of its seat."""
    if isinstance(answer, tuple):
        return " ".join(answer)
    name, _, target = answer.partition(":")
    return f"{name} {words.name(int(target))}" if target else name


def parse_answer(question: Question[Any], line: str, words: Phrases) -> object:
    """Return the typed answer, such as `steal Bob`, or any unambiguous beginning.

    Raises MalformedLineError with a message for people.
    """
    options: Any = question.options
    if isinstance(question, KeepCards):
        cards = line.replace(",", " ").split()
        return tuple(match_option(card, CHARACTERS, CHARACTERS) for card in cards)
    if not line.strip() and ALLOW in options:
        return ALLOW
    return match_option(
        " ".join(line.split()), options, [format_answer(option, words) for option in options]
    )


def match_option(line: str, options: Sequence[str], names: Iterable[str]) -> str:
    """Return the option with this name, or the only one whose name begins with it."""
    start = line.casefold()
    folded = [name.casefold() for name in names]
    found = [options[at] for at, name in enumerate(folded) if name == start] or [
        options[at] for at, name in enumerate(folded) if start and name.startswith(start)
    ]
    if len(found) != 1:
        raise MalformedLineError(
            f"{line!r} is ambiguous" if found else f"{line!r} cannot be chosen here"
        )
    return found[0]


class CoupNarrator:
    """Tells of cards that are face down only to whoever holds them, and to spectators of all."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._seat, self._phrases = seat, Phrases(names, seat)
        self._hands: dict[Seat, Cards] = {}  # as they were told last
        self._influence: tuple[int, ...] = ()

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question."""
        match question:
            case ShowCard(_, character):
                return (
                    f"A card is lost, unless it is the {character}.",
                    "Which card do you turn up?",
                )
            case KeepCards(options):
                cards = "card" if options.least == 1 else f"{options.least} cards"
                return (f"Which {cards} do you keep?",)
        return (describe_question(question, self._phrases),)

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                players = self._phrases.join(self._phrases.reader_first)
                yield f"{players} play Coup. The last player with influence wins."
            case Turn():
                yield from self._tell_turn(event)
            case PrivateEvent(seat, told):
                yield from self._tell_cards(seat, told)
            case Hand() | Drawn():
                assert self._seat is not None
                yield from self._tell_cards(self._seat, event)
            case _:
                yield from describe_event(self._phrases, event)

    def _tell_turn(self, turn: Turn) -> Iterator[str]:
        plays = self._phrases.clause("play", turn.seat)
        yield MarkedLine(f"Turn {turn.number}: {plays}.", Mark.HEADING)
        yield f"Coins: {self._phrases.list_values(turn.coins)}."
        if turn.influence != self._influence:
            self._influence = turn.influence
            yield f"Influence: {self._phrases.list_values(turn.influence)}."

    def _tell_cards(self, seat: Seat, event: Any) -> Iterator[str]:
        cards = join_words(f"the {card}" for card in event.cards)
        if isinstance(event, Drawn):
            yield f"{self._phrases.clause('draw', seat)} {cards}."
        elif self._hands.get(seat) != event.cards:
            self._hands[seat] = event.cards
            yield f"{self._phrases.clause('hold', seat)} {cards}."


class CoupTurningPoints:
    """Finds challenges, lost influence, and who is out."""

    def __init__(self, names: Sequence[str]) -> None:
        self._phrases = Phrases(names)

    def tell(self, event: Any) -> str:
        """Return a sentence on such a moment."""
        if not isinstance(event, Challenged | Lost | Out | Won):
            return ""
        return " ".join(describe_event(self._phrases, event)).rstrip(".")


def describe_event(phrases: Phrases, event: Any) -> Iterator[str]:
    """Describe a public event of a turn."""
    return map(begin_sentence, _describe_event(phrases, event))


def _describe_event(phrases: Phrases, event: Any) -> Iterator[str]:
    match event:
        case Acted(seat, action):
            yield describe_action(phrases, seat, action)
        case Blocked(seat, character):
            yield f"{phrases.clause('claim', seat)} the {character}, to block."
        case Challenged(seat, claimant, character):
            claim = f"{phrases.possessive(claimant)} {character}"
            yield f"{phrases.clause('challenge', seat)} {claim}."
        case Proved(seat, character):
            draws = phrases.verb("draw", seat)
            yield f"{phrases.clause('show', seat)} the {character}, and {draws} another."
        case Lost(seat, character):
            lost = f"{phrases.clause('lose', seat)} an influence: {character}."
            yield phrases.mark_bad(lost, seat)
        case Out(seat):
            yield f"{phrases.clause('be', seat)} out."
        case Settled(_, action, False):
            yield f"The {name_action(action)} fails."
        case Won(seat):
            yield phrases.mark_good(f"{phrases.clause('win', seat)}!", seat)


NOUNS = {
    "foreign-aid": "foreign aid",
    "assassinate": "assassination",
}
ACTION_TEXTS = {
    "income": "{take} 1 coin.",
    "foreign-aid": "{ask} for foreign aid, 2 coins.",
    "tax": "{claim} the Duke: tax, 3 coins.",
    "exchange": "{claim} the Ambassador: exchange with the court.",
    "steal": "{claim} the Captain: steal from {whom}.",
    "assassinate": "{pay} 3 coins and {claim} the Assassin: assassinate {whom}.",
    "coup": "{pay} 7 coins: coup against {whom}.",
}
VERBS = ("take", "ask", "claim", "pay")


def name_action(action: str) -> str:
    """Return the noun for an action."""
    name = parse_action(action)[0].name
    return NOUNS.get(name, name)


def describe_action(phrases: Phrases, seat: Seat, action: str) -> str:
    """Describe the action that a seat takes."""
    kind, target = parse_action(action)
    whom = "" if target is None else phrases.name(target)
    verbs = {verb: phrases.verb(verb, seat) for verb in VERBS}
    return f"{phrases.name(seat)} {ACTION_TEXTS[kind.name].format(whom=whom, **verbs)}"
