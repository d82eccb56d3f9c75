"""Coup as people see it: board, narrator and turning points, with the same sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena import (
    Greeting,
    Mark,
    MarkedLine,
    Narrator,
    Part,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    Zone,
    ZoneKind,
    begin_sentence,
    format_count,
    join_words,
)
from arena.cards import remove_cards
from arena_coup.rules import (
    ACTION_KINDS,
    ALLOW,
    AMBASSADOR,
    ASSASSIN,
    CAPTAIN,
    CHALLENGE,
    CONTESSA,
    COUP,
    DECK,
    DUKE,
    EXCHANGE,
    FORCED_COUP_COINS,
    INFLUENCES,
    STEAL,
    STOLEN_COINS,
    Acted,
    ActionKind,
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
Coup: be the last player with influence (your cards).

The deck has three cards of each of five characters: Duke, Assassin, Captain,
Ambassador and Contessa. Each player begins with two cards, face down, and two
coins; in a game of two the first player has one coin, unless set otherwise. A
lost card is turned face up, and who has none left is out.

Each turn is an action:
  income        1 coin
  foreign aid   2 coins; somebody who claims the Duke may block it
  tax           3 coins; claims the Duke
  steal         2 coins from a player; claims the Captain; Captain or
                Ambassador may block it
  assassinate   for 3 coins a player loses an influence; claims the Assassin;
                the Contessa may block it
  exchange      draw two cards, then return any two; claims the Ambassador
  coup          for 7 coins a player loses an influence; you must with 10 coins

Any claim, also one that blocks, may be a lie, and anybody may challenge it. A
player who cannot show the card loses an influence; otherwise the challenger
loses one, and the shown card goes back into the deck for another one."""
TYPING = """\
Type as much as is unambiguous: inc, or steal bob."""

FIGURES = {
    DUKE: "king",
    ASSASSIN: "hood",
    CAPTAIN: "jack",
    AMBASSADOR: "envoy",
    CONTESSA: "queen",
}
"""How boards draw the characters."""
HIDDEN = "▒"
"""The text for a card that is face down."""


class CoupBoardView:
    """The zones of Coup as one viewer sees them: influence, coins, and what is claimed.

    Coins are those at the beginning of the turn.
    """

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases, self._first = Phrases(names, seat), seat or 0
        self._known: dict[Seat, Cards] = {}  # the hands that this viewer sees
        self._counts = [INFLUENCES] * len(names)  # cards face down
        self._revealed: list[Cards] = [()] * len(names)
        self._coins = [0] * len(names)
        self._acts = [""] * len(names)
        self._claims: dict[Seat, str] = {}  # the characters that are claimed in this turn
        self._title, self._news = "Coup", ""
        self._turn: Seat | None = None  # to choose an action

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case Turn(number, seat, coins, influence, revealed):
                plays = self._phrases.clause("play", seat)
                self._title, self._news, self._claims = f"Turn {number}: {plays}", "", {}
                self._acts = [""] * len(self._acts)
                self._turn = seat
                self._counts, self._coins, self._revealed = [*influence], [*coins], [*revealed]
            case Hand(cards):
                self._known[self._first] = cards
            case Drawn(cards):
                self._known[self._first] += cards
            case PrivateEvent(seat, Hand(cards)):
                self._known[seat] = cards
            case PrivateEvent(seat, Drawn(cards)):
                self._known[seat] += cards
            case Acted() | Blocked() | Challenged() | Proved() | Lost() | Out() | Won():
                self._tell_act(event)
            case Settled(succeeded=False):
                (self._news,) = describe_event(self._phrases, event)

    def _tell_act(self, event: Any) -> None:
        """Update what a seat did last, what it claims or loses, and who may answer it."""
        seat, (sentence,) = event.seat, describe_event(self._phrases, event)
        self._news, self._turn = sentence, None  # others may answer
        self._acts[seat] = describe_act(self._phrases, event)
        match event:
            case Acted(_, action):
                kind, target = parse_action(action)
                if kind.claims:
                    self._claims[seat] = kind.claims
                    self._news += " Anybody may challenge."
                if kind.blockers:
                    blocker = "Anybody" if target is None else self._phrases.name(target)
                    claims = join_words([f"the {card}" for card in kind.blockers], "or")
                    self._news += f" {begin_sentence(f'{blocker} may claim {claims} to block it.')}"
            case Blocked(_, character):
                self._claims[seat] = character
                self._news += " Anybody may challenge."
            case Lost(_, character):
                self._counts[seat] -= 1
                self._revealed[seat] += (character,)
                if seat in self._known:
                    self._known[seat] = remove_cards(self._known[seat], (character,))

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the claims of the turn, the viewer's hand."""
        seats = range(len(self._coins))
        order = [*seats[self._first + 1 :], *seats[: self._first]]
        return {
            **{f"hand{seat}": self._hand(seat) for seat in order},
            "court": Zone(
                kind=ZoneKind.PILE,
                title="Court deck",
                hidden=len(DECK) - INFLUENCES * len(seats),
            ),
            "claims": Zone(
                kind=ZoneKind.TABLE,
                title=self._title,
                cards=tuple(self._claims.values()),
                figures=list_figures(self._claims.values()),
                seats=tuple(self._claims),
                text=self._news,
            ),
            f"hand{self._first}": self._hand(self._first),
        }

    def _hand(self, seat: Seat) -> Zone:
        known, revealed = self._known.get(seat, ()), self._revealed[seat]
        cards, coins = known + revealed, self._coins[seat]
        return Zone(
            kind=ZoneKind.HAND,
            title=self._phrases.names[seat],
            of=seat,
            cards=cards,
            figures=list_figures(cards),
            hidden=0 if known else self._counts[seat],
            text=format_count(coins, "coin") if self._counts[seat] else "out",
            act=self._acts[seat],
            turn=seat == self._turn,
            chips=coins if self._counts[seat] else 0,
            lost=tuple(range(len(known), len(cards))),
        )


def list_figures(cards: Iterable[str]) -> tuple[str, ...]:
    """Return how these cards are drawn."""
    return tuple([FIGURES[card] for card in cards])


class CoupNarrator(Narrator):
    """Tells of cards that are face down only to whoever holds them, and to spectators of all."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        self._hands: dict[Seat, Cards] = {}  # as they were told last
        self._is_coup = False  # the action of this turn

    def describe(self, message: Any) -> Iterator[str]:
        """Yield the sentences on an event, or the question."""
        match message:
            case Greeting():
                players = self.phrases.join(self.phrases.reader_first)
                yield f"{players} play Coup. The last player with influence wins."
            case Turn():
                plays = self.phrases.clause("play", message.seat)
                part = Part("turn", message.number)
                yield MarkedLine(f"{part.title}: {plays}.", Mark.HEADING, part)
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
                if isinstance(message, Acted):
                    self._is_coup = parse_action(message.action)[0] is COUP
                yield from describe_event(self.phrases, message)

    def spell(self, question: Question[Any], option: str) -> Sequence[str]:
        """Return an option with the target's name in place of its seat."""
        name, _, target = option.partition(":")
        name = name_option(name)
        if target:
            name = f"{name} {self.phrases.names[int(target)]}"
        return (name, "no") if option == ALLOW else (name, option)

    def find_target(self, question: Question[Any], option: str) -> Seat | None:
        """Return the player whom an action is against."""
        return parse_action(option)[1] if isinstance(question, ChooseAction) else None

    def explain(self, question: Question[Any], option: str) -> str:
        """Return what an action, a challenge or a block claims, costs and brings."""
        match question:
            case ChooseAction():
                kind, _ = parse_action(option)
                holding = kind.claims and self._explain_holding(kind.claims)
                claim = f"{kind.claims} ({holding}): " if holding else ""
                blockers = join_words(kind.blockers, "or")
                return claim + describe_effect(kind) + (f"; {blockers} blocks" if blockers else "")
            case Challenge(_, claimant, character):
                name = self.phrases.names[claimant]
                if option == ALLOW:
                    return f"you let the {character} stand"
                return f"if a bluff, {name} loses a card; else you do"
            case Block() if option != ALLOW:
                return f"{self._explain_holding(option)}: stops the {name_action(question.action)}"
            case Block(_, seat, action):
                return self._explain_letting(self.phrases.names[seat], *parse_action(action))
        return ""

    def _explain_holding(self, character: str) -> str:
        """Return whether the claim of a character is true."""
        assert self.seat is not None
        return "yours" if character in self._hands.get(self.seat, ()) else "bluff"

    def _explain_letting(self, actor: str, kind: ActionKind, target: Seat | None) -> str:
        """Return what an action does if it is not blocked."""
        if kind is STEAL and target == self.seat:
            return f"you lose up to {format_count(STOLEN_COINS, 'coin')}"
        if target == self.seat:
            return "you lose a card"
        return f"{actor} gets {format_count(kind.gain, 'coin')}"

    def reveal(self, seat: Seat, question: Question[Any], answer: Any) -> str:
        """Return whether a claim was true, and what nobody could have done about a coup."""
        own = self._hands[seat]
        match question:
            case ChooseAction():
                return _reveal_own_claim(own, parse_action(answer)[0].claims)
            case Challenge(_, claimant, character):
                return self._reveal_claim(claimant, character, challenged=answer == CHALLENGE)
            case Block(options) if answer == ALLOW:
                return _reveal_blockers(own, options[1:])
            case Block():
                return _reveal_own_claim(own, answer)
            case LoseInfluence() if self._is_coup:
                return "A coup can be neither challenged nor blocked."
        return ""

    def _reveal_claim(self, claimant: Seat, character: str, *, challenged: bool) -> str:
        """Return whether a claim was true that was challenged, or was not."""
        name = self.phrases.name(claimant)
        if character not in self._hands[claimant]:
            if challenged:
                right = f"You were right to doubt the {character}: {name} did not hold it."
                return MarkedLine(right, Mark.WON)
            wrong = f"{name} did not hold the {character}: you could have challenged."
            return MarkedLine(wrong, Mark.LOST)
        if challenged:
            wrong = f"You doubted the {character}, but {name} held it."
            return MarkedLine(wrong, Mark.LOST)
        right = f"{name} held the {character}, so a challenge would have failed."
        return MarkedLine(right, Mark.WON)

    def submit(self, question: Question[Any], cards: int) -> str:
        """Return the label of the button that keeps so many cards."""
        return f"Keep {format_count(cards, 'card')}"

    def hint(self, question: Question[Any]) -> str:
        """Return the answers that can be typed; Enter allows."""
        return super().hint(question).replace(ALLOW, f"Enter to {ALLOW}")

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer; Enter allows what may be allowed."""
        options: Any = question.options
        if not line.strip() and not isinstance(question, KeepCards) and ALLOW in options:
            return ALLOW
        return super().read(question, line)

    def find_forced_answer(self, question: Question[Any]) -> object | None:
        """Return the only card, where one is to be shown or lost."""
        options: Any = question.options
        forced = isinstance(question, ShowCard | LoseInfluence) and len(options) == 1
        return options[0] if forced else None

    def list_closed_answers(self, question: Question[Any]) -> Mapping[str, str]:
        """Return what actions need that cannot be paid, or that a coup is due."""
        if not isinstance(question, ChooseAction):
            return {}
        allowed = {parse_action(option)[0] for option in question.options}
        if allowed == {COUP}:
            return {"anything else": f"not with {FORCED_COUP_COINS} coins or more"}
        return {
            name_option(kind.name): f"needs {format_count(kind.cost, 'coin')}"
            for kind in ACTION_KINDS.values()
            if kind not in allowed
        }

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


def _reveal_blockers(hand: Cards, blockers: Cards) -> str:
    """Return whether a hand that did not block could have done so without a lie."""
    held = [character for character in blockers if character in hand]
    if held:
        return MarkedLine(f"You held the {held[0]}, so you could have blocked it.", Mark.LOST)
    return f"You held no {join_words(blockers, 'or')}, so only a bluff could have blocked it."


def _reveal_own_claim(hand: Cards, character: str | None) -> str:
    """Return that who claimed a character did not hold it, or nothing."""
    lie = character is not None and character not in hand
    claim = f"You claimed the {character}, which you did not hold."
    return MarkedLine(claim, Mark.LOST) if lie else ""


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
            yield f"Which card do you turn up? You lose it, unless it is the {character}."
        case LoseInfluence():
            yield "Which influence do you lose?"
        case KeepCards(options):
            cards = "card" if options.least == 1 else f"{options.least} cards"
            yield f"Which {cards} do you keep?"


class CoupTurningPoints:
    """Finds lost influence, with what it was lost to, and who has won."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases = Phrases(names, seat)
        self._left: list[int] = []  # cards face down
        self._act = self._challenge = ""  # to which the next influence is lost

    def tell(self, event: Any) -> str:
        """Return a sentence on such a moment."""
        match event:
            case Turn():
                self._left, self._challenge = [*event.influence], ""
            case Acted():
                self._act = self._describe(event)
            case Challenged(_, claimant):
                not_show = f"{self._phrases.clause('do', claimant)} not show"
                self._challenge = f"{self._describe(event)}, which {not_show}"
            case Proved(claimant):
                not_show = f"{self._phrases.clause('do', claimant)} not show"
                show = self._phrases.clause("show", claimant)
                self._challenge = self._challenge.replace(not_show, show)
            case Lost(seat, character):
                self._left[seat] -= 1
                phrases, challenge = self._phrases, self._challenge
                cause = f"{challenge}: {phrases.name(seat)}" if challenge else f"{self._act}, who"
                self._challenge = ""
                out = "" if self._left[seat] else f", and {phrases.verb('be', seat)} out"
                return f"{cause} {phrases.verb('lose', seat)} the {character}{out}"
            case Won():
                return self._describe(event)
        return ""

    def _describe(self, event: Any) -> str:
        return " ".join(describe_event(self._phrases, event)).rstrip(".")


def describe_event(phrases: Phrases, event: Any) -> Iterator[str]:
    """Describe a public event of a turn."""
    return map(begin_sentence, _describe_event(phrases, event))


def _describe_event(phrases: Phrases, event: Any) -> Iterator[str]:
    match event:
        case Acted(seat, action):
            yield describe_action(phrases, seat, action)
        case Blocked(seat, character):
            yield f"{phrases.clause('claim', seat)} the {character} to block."
        case Challenged(seat, claimant, character):
            claim = f"{phrases.possessive(claimant)} {character}"
            yield f"{phrases.clause('challenge', seat)} {claim}."
        case Proved(seat, character):
            draws = phrases.verb("draw", seat)
            yield f"{phrases.clause('show', seat)} the {character} and {draws} another card."
        case Lost(seat, character):
            lost = f"{phrases.clause('lose', seat)} an influence: the {character}."
            yield phrases.mark_bad(lost, seat)
        case Out(seat):
            yield f"{phrases.clause('be', seat)} out."
        case Settled(_, action, False):
            yield f"The {name_action(action)} fails."
        case Won(seat):
            yield phrases.mark_good(f"{phrases.clause('win', seat)}!", seat)


def describe_act(phrases: Phrases, event: Any) -> str:
    """Describe what a seat did last in the few words for which a line of the board has room."""
    match event:
        case Acted(_, action):
            kind, target = parse_action(action)
            whom = "" if target is None else f" {phrases.name(target)}"
            return f"{ACTS[kind.name]}{whom}"
        case Blocked(_, character):
            return f"claims the {character}"
        case Challenged(_, claimant):
            return f"challenges {phrases.name(claimant)}"
        case Proved(_, character):
            return f"shows the {character}"
        case Lost(_, character):
            return f"loses the {character}"
    return "wins!" if isinstance(event, Won) else ""  # the zone of who is out says so


ACTS = {
    "income": "takes income",
    "foreign-aid": "asks for aid",
    "tax": "takes tax",
    "exchange": "exchanges cards",
    "steal": "steals from",
    "assassinate": "assassinates",
    "coup": "pays for a coup against",
}
NOUNS = {
    "foreign-aid": "foreign aid",
    "assassinate": "assassination",
}
ACTION_TEXTS = {
    "income": "{take} {gain} as income.",
    "foreign-aid": "{ask} for {gain} in foreign aid.",
    "tax": "{claim} the {character} to take {gain} in tax.",
    "exchange": "{claim} the {character} to exchange cards.",
    "steal": "{claim} the {character} to steal from {whom}.",
    "assassinate": "{pay} {cost} and {claim} the {character} to assassinate {whom}.",
    "coup": "{pay} {cost} for a coup against {whom}.",
}
VERBS = ("take", "ask", "claim", "pay")


def name_option(name: str) -> str:
    """Return an action as players type it, without its target."""
    return name.replace("-", " ")


def name_action(action: str) -> str:
    """Return the noun for an action."""
    name = parse_action(action)[0].name
    return NOUNS.get(name, name)


def describe_action(phrases: Phrases, seat: Seat, action: str) -> str:
    """Describe the action that a seat takes."""
    kind, target = parse_action(action)
    whom = "" if target is None else phrases.name(target)
    words = {verb: phrases.verb(verb, seat) for verb in VERBS}
    words |= {"gain": format_count(kind.gain, "coin"), "cost": format_count(kind.cost, "coin")}
    text = ACTION_TEXTS[kind.name].format(whom=whom, character=kind.claims, **words)
    return f"{phrases.name(seat)} {text}"


def describe_effect(kind: ActionKind) -> str:
    """Describe what an action costs whoever takes it, and brings them, in few words."""
    pay = f"pay {format_count(kind.cost, 'coin')}, " if kind.cost else ""
    if kind is EXCHANGE:
        return "swap cards"
    if kind is STEAL:
        return f"+{format_count(STOLEN_COINS, 'coin')}"
    if kind.targeted:
        return f"{pay}a card is lost"
    return f"+{format_count(kind.gain, 'coin')}"
