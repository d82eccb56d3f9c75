"""Coup as people see it: the narrator and the turning points, with the same sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena import (
    Greeting,
    Mark,
    MarkedLine,
    Narrator,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    begin_sentence,
    format_count,
    join_words,
)
from arena_coup.rules import (
    ALLOW,
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


class CoupNarrator(Narrator):
    """Tells of cards that are face down only to whoever holds them, and to spectators of all."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        self._hands: dict[Seat, Cards] = {}  # as they were told last

    def describe(self, message: Any) -> Iterator[str]:
        """Yield the sentences on an event, or the question."""
        match message:
            case Greeting():
                players = self.phrases.join(self.phrases.reader_first)
                yield f"{players} play Coup. The last player with influence wins."
            case Turn():
                plays = self.phrases.clause("play", message.seat)
                yield MarkedLine(f"Turn {message.number}: {plays}.", Mark.HEADING)
                for seat in range(len(message.influence)):
                    yield MarkedLine(self._format_row(message, seat), Mark.STATE)
            case PrivateEvent(seat, told):
                yield from self._tell_cards(seat, told)
            case Hand() | Drawn():
                assert self.seat is not None
                yield from self._tell_cards(self.seat, message)
            case Question():
                yield from describe_question(message, self.phrases)
            case _:
                yield from describe_event(self.phrases, message)

    def spell(self, question: Question[Any], option: str) -> Sequence[str]:
        """Return an option with the target's name in place of its seat."""
        name, _, target = option.partition(":")
        if target:
            name = f"{name} {self.phrases.names[int(target)]}"
        return (name, "no") if option == ALLOW else (name, option)

    def hint(self, question: Question[Any]) -> str:
        """Return the answers that can be typed; Enter allows."""
        return super().hint(question).replace(ALLOW, f"Enter to {ALLOW}")

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer; Enter allows what may be allowed."""
        options: Any = question.options
        if not line.strip() and not isinstance(question, KeepCards) and ALLOW in options:
            return ALLOW
        return super().read(question, line)

    def list_standing_answers(self, question: Question[Any]) -> Mapping[str, str | None]:
        """Return that no claim is challenged, of which every action brings one or two."""
        if isinstance(question, ChooseAction):
            return {}
        answer = ALLOW if isinstance(question, Challenge) else None
        return {"Challenge nobody until my next turn": answer}

    def _tell_cards(self, seat: Seat, event: Any) -> Iterator[str]:
        cards = join_words(f"the {card}" for card in event.cards)
        if isinstance(event, Drawn):
            yield f"{self.phrases.clause('draw', seat)} {cards}."
        elif self._hands.get(seat) != event.cards:
            self._hands[seat] = event.cards
            yield f"{self.phrases.clause('hold', seat)} {cards}."

    def _format_row(self, turn: Turn, seat: Seat) -> str:
        """Return the row of a seat: coins, cards face down, cards face up."""
        names, count = list(map(self.phrases.name, self.phrases.reader_first)), turn.influence[seat]
        name, lost = self.phrases.name(seat).ljust(max(map(len, names))), turn.revealed[seat]
        if not count:
            return f"  {name}  out       ({join_words(lost)})"
        hand = self._hands.get(seat, (HIDDEN,) * count)
        cards = f"{' '.join(hand)}  ({join_words(lost)} lost)" if lost else " ".join(hand)
        return f"  {name}  {format_count(turn.coins[seat], 'coin'):>8}  {cards}"


def describe_question(question: Question[Any], phrases: Phrases) -> Iterator[str]:
    """Describe what a seat is asked."""
    match question:
        case ChooseAction():
            yield "What do you do?"
        case Challenge(_, claimant, character):
            yield f"Do you challenge {phrases.possessive(claimant)} {character}?"
        case Block(_, seat, action):
            yield f"Do you block {phrases.possessive(seat)} {name_action(action)}?"
        case ShowCard(_, character):
            yield f"A card is lost, unless it is the {character}."
            yield "Which card do you turn up?"
        case LoseInfluence():
            yield "Which influence do you lose?"
        case KeepCards(options):
            cards = "card" if options.least == 1 else f"{options.least} cards"
            yield f"Which {cards} do you keep?"


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
