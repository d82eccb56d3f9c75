"""BS as people see it: the board, the narrator, and the turning points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from arena import (
    AnswerEvent,
    Greeting,
    Mark,
    MarkedLine,
    Narrator,
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
from arena.cards import (
    Card,
    Cards,
    remove_cards,
    show_cards,
    spell_card,
)
from arena_bs.rules import (
    BS,
    NICKNAME,
    PASS,
    PEANUT_BUTTER,
    RANKS,
    Called,
    ChooseCards,
    Declare,
    Hand,
    Judged,
    Nickname,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    Won,
    filter_rank,
)

RULES = """\
BS (Cheat): all 52 cards are dealt, and the first player without cards wins. In
turn, players lay one card or more face down on the pile and claim that all are
of the current rank: aces in the first turn, twos in the second, and so on to
the kings, then aces again. A claim may be a lie.

Then all others may call BS. If nobody does, the pile stays. If somebody does,
the cards are shown: after a lie the liar takes the whole pile, after the truth
the caller who spoke last takes it.

Peanut Butter is a boast: the player who laid the cards may say it secretly
instead of passing. If nobody calls and the claim was a lie, everybody is told.
It changes nothing else. At the end the fewest cards in hand are best."""
TYPING = """\
Type cards as 7H or 7♥, 10 or T for a ten, several with spaces between them."""


class BsBoardView:
    """The zones of BS as one viewer sees them: all card counts, and the faces it may know.

    Most events change one or two zones; the others are not drawn again.
    """

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases, self._first = Phrases(names, seat), seat or 0
        self._known: dict[Seat, Cards] = {}  # the hands that this viewer sees
        self._counts: dict[Seat, int] = {}
        self._acts: dict[Seat, str] = {}
        self._pile = 0  # the number of cards, including the last play
        self._claim: Played | None = None
        self._rank = ""
        self._laid: Cards = ()  # the last play, if this viewer knows it
        self._revealed = False  # do the cards of a claim lie open, until the next one?
        self._news = ""
        self._callers: tuple[Player, ...] = ()
        self._turn: Seat | None = None  # to lay cards; then all are asked
        self._zones: dict[str, Zone] = {}

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the pile, the claim, the viewer's hand."""
        return self._zones

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case Turn(players, rank):
                self._begin_turn(players, rank)
            case Played(player, count):
                if self._revealed:
                    self._clear_claim()
                self._claim = event
                self._acts[player.seat] = f"claims {describe_claim(count, event.rank)}"
                self._set_turn(None)
                self._move_cards(player, count)
                self._draw_claim()
            case Hand(cards) | PrivateEvent(_, Hand(cards)):
                self._set_hand(self._owner_of(event), cards)
            case PileTaken(cards) | PrivateEvent(_, PileTaken(cards)):
                seat = self._owner_of(event)
                self._set_hand(seat, self._known.get(seat, ()) + cards)
            case AnswerEvent(seat, ChooseCards(), cards):
                self._clear_claim()
                self._laid = cards
                if seat in self._known:
                    self._set_hand(seat, remove_cards(self._known[seat], cards))
                self._draw_claim()
            case Greeting():
                self._counts = dict.fromkeys(range(event.seats), 0)
                self._draw_all()
            case Called() | Shown() | Judged() | Receives() | Won():
                self._judge(event)
                self._draw_claim()

    def _begin_turn(self, players: Sequence[tuple[Player, int]], rank: str) -> None:
        """Set whose turn it is, and which rank; shown cards stay until they claim it."""
        self._set_turn(players[0][0].seat)
        self._set_counts({player.seat: count for player, count in players})
        self._rank, self._claim = rank, None
        if not self._revealed:
            self._clear_claim()
        self._draw_pile()
        self._draw_claim()

    def _owner_of(self, event: Any) -> Seat:
        """Return the seat whose cards an event is about."""
        return event.seat if isinstance(event, PrivateEvent) else self._first

    def _judge(self, event: Any) -> None:
        match event:
            case Called(players):
                self._callers = players
                names = self._phrases.join(player.seat for player in players)
                for player in players:
                    self._acts[player.seat] = "calls BS"
                    self._draw_hand(player.seat)
                self._news = begin_sentence(f"{names} called BS") if players else "nobody called"
            case Shown(_, cards):
                self._laid, self._revealed = cards, True
            case Judged(player, bluffing) if self._callers:
                self._news += ": a bluff" if bluffing else ": the truth"
                if bluffing:
                    self._give_pile(player)
            case Judged():
                self._news = "Peanut Butter: it was a bluff, and nobody called"
            case Receives(player):
                self._give_pile(player)
            case Won(player):
                self._news = begin_sentence(
                    f"{self._phrases.clause('have', player.seat)} no cards left"
                )

    def _clear_claim(self) -> None:
        """Take the cards of the last claim off the table, with what was said of it."""
        self._laid, self._revealed, self._news = (), False, ""

    def _give_pile(self, player: Player) -> None:
        """Move the pile to a player's hand."""
        self._acts[player.seat] = "takes the pile"
        takes = self._phrases.clause("take", player.seat)
        self._news += f"; {takes} {format_count(self._pile, 'card')}"
        self._move_cards(player, -self._pile)

    def _set_turn(self, seat: Seat | None) -> None:
        """Set whose turn it is; what the players did is shown until the next turn begins."""
        changed, self._turn = [at for at in (self._turn, seat) if at is not None], seat
        if seat is not None:
            changed, self._acts = [*{*changed, *self._acts}], {}
        for hand in changed:
            self._draw_hand(hand)

    def _set_counts(self, counts: dict[Seat, int]) -> None:
        """Set the sizes of the hands; they differ from the known ones only in the first turn."""
        if counts != self._counts:
            self._counts = counts
            self._draw_all()

    def _move_cards(self, player: Player, count: int) -> None:
        """Move a number of cards from a player to the pile, or back if the number is negative."""
        self._counts[player.seat] -= count
        self._pile += count
        self._draw_hand(player.seat)
        self._draw_pile()

    def _set_hand(self, seat: Seat, cards: Cards) -> None:
        """Set the cards of a hand that this viewer sees."""
        self._known[seat] = cards
        self._draw_hand(seat)

    def _draw_all(self) -> None:
        """Draw all zones in their fixed order."""
        seats = range(len(self._phrases.names))
        for seat in (*seats[self._first + 1 :], *seats[: self._first]):
            self._draw_hand(seat)
        self._draw_pile()
        self._draw_claim()
        self._draw_hand(self._first)

    def _draw_hand(self, seat: Seat) -> None:
        known = self._known.get(seat, ())
        self._zones[f"hand{seat}"] = Zone(
            kind=ZoneKind.HAND,
            title=self._phrases.names[seat],
            of=seat,
            cards=sort_hand(known),
            hidden=0 if known else self._counts.get(seat, 0),
            act=self._acts.get(seat, ""),
            turn=seat == self._turn,
        )

    def _draw_pile(self) -> None:
        """Draw the pile without the cards of the claim, which lie beside it until the next turn."""
        beside = self._claim.count if self._claim else 0
        self._zones["pile"] = Zone(
            kind=ZoneKind.PILE, title="Pile", hidden=max(0, self._pile - beside)
        )

    def _draw_claim(self) -> None:
        """Draw the claim, with its cards if this viewer knows them."""
        claim = self._claim
        if claim is None:
            title = f"Next: {name_ranks(self._rank)}" if self._rank else "Claim"
            self._zones["claim"] = Zone(
                kind=ZoneKind.TABLE, title=title, cards=self._laid, text=self._news
            )
            return
        claims = self._phrases.clause("claim", claim.player.seat)
        self._zones["claim"] = Zone(
            kind=ZoneKind.TABLE,
            title=begin_sentence(f"{claims} {describe_claim(claim.count, claim.rank)}"),
            cards=self._laid,
            hidden=0 if self._laid else claim.count,
            text=self._news,
        )


SUIT_ORDER = "SHCD"


@lru_cache(maxsize=256)  # a board redraws all hands when one changes
def sort_hand(cards: Cards) -> Cards:
    """Return a hand sorted by rank, from the ace to the king."""
    return tuple(sorted(cards, key=_sort_key))


def _sort_key(card: Card) -> tuple[int, int]:
    return RANKS.index(card[0]), SUIT_ORDER.index(card[1])


RANK_NAMES = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven",
    "8": "eight", "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip


VOWELS = ("A", "8")  # ranks whose names begin with one


NUMBERS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip

UNTIL_OWN_TURN = "Pass until my next turn"
UNLESS_SURE = "Pass unless my cards prove a lie or someone would win"


class BsNarrator(Narrator):
    """Tells of each claim once: with its cards, where the viewer knows them."""

    silent = (Shown,)  # what is judged next says which cards they were

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        self._told = False  # was the play that comes next told with its cards?
        self._lied: bool | None = (
            None  # with the last play whose cards are known; None: there is none
        )
        self._pile = 0
        self._claim = ""  # that may be called now
        self._shown: Cards = ()
        self._laid: Cards = ()  # and claimed to be of this rank, where the viewer knows them
        self._rank = ""
        self._hands: dict[Seat, Cards] = {}  # of others, where the viewer knows them
        self._called = False
        self._counts: dict[Seat, int] = {}  # of cards, when the turn began
        self._claimant = 0  # the seat that laid cards last
        self._last_cards = False  # has somebody just laid their last card?
        self._hand: Cards = ()  # the viewer's own
        self._disproved = False  # does that prove the last claim to be a lie?

    def describe(self, message: Any) -> Iterator[str]:
        """Yield the sentences on an event, or the question."""
        phrases = self.phrases
        match message:
            case Greeting():
                yield f"{phrases.join(phrases.reader_first)} play BS. The first without cards wins."
            case Turn(players, rank):
                yield from self._begin_turn(players, rank)
            case Hand(cards):
                self._hand = cards
                yield MarkedLine(f"Your hand: {show_cards(sort_hand(cards))}", Mark.STATE)
            case PrivateEvent(seat, Hand(cards)):
                self._hands[seat] = cards
            case AnswerEvent(seat, ChooseCards(rank=rank), cards):
                self._laid, self._rank = cards, rank
                yield self._describe_play(seat, cards, rank)
            case Played(player, count, rank):
                self._pile += count
                self._claimant = player.seat
                self._last_cards = self._counts.get(player.seat) == count
                self._disproved = count + len(filter_rank(self._hand, rank)) > len(SUIT_ORDER)
                claim = describe_claim(count, rank)
                self._claim = f"{phrases.clause('claim', player.seat)} {claim}."
                if not self._told:
                    yield self._claim
                self._told = False
            case Declare(options):
                calls = f"{self._claim} Do you call BS?"
                yield calls if BS in options else self._ask_boast()
            case Question():
                yield describe_question(message)
            case _:
                yield from self._judge(message)

    def hint(self, question: Question[Any]) -> str:
        """Return which keys to type."""
        match question:
            case Declare(options):
                word = "b to call BS" if BS in options else "pb to declare it"
                return f"Enter to pass, {word}"
            case ChooseCards(default=tuple() as cards):
                return f"such as: {self.say(question, cards)}"
        return f"letters, digits and _; Enter: {question.default}"

    def spell(self, question: Question[Any], option: str) -> Sequence[str]:
        """Return a card in letters and symbols, or a declaration and its keys."""
        return KEYS[option] if isinstance(question, Declare) else spell_card(option)

    def submit(self, question: Question[Any], cards: int) -> str:
        """Return the label of the button that lays so many cards."""
        rank = question.rank if isinstance(question, ChooseCards) else ""
        ranks = f"a{'n' * (rank in VOWELS)} {RANK_NAMES[rank]}" if cards == 1 else name_ranks(rank)
        return f"Lay {format_count(cards, 'card')} as {ranks}"

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer; Enter passes, and takes the name that is offered."""
        if not line and not isinstance(question, ChooseCards):
            return question.default
        return super().read(question, line)

    def reveal(self, seat: Seat, question: Question[Any], answer: Any) -> str:
        """Return who held the proof of a lie, or whether a call or a pass was right.

        Of a lie that was let pass it says what a call would have done.
        """
        match question:
            case ChooseCards(rank=rank) if filter_rank(answer, rank) != answer:
                return self._reveal_lie(seat, answer, rank)
            case Declare(options) if BS in options:
                lie = filter_rank(self._laid, self._rank) != self._laid
                truth = describe_shown(self._laid, lie=lie)
                if self._last_cards and not lie and answer == BS:
                    return truth  # the match was lost in any case
                if lie and answer != BS:
                    pile = format_count(self._pile, "card")
                    liar = self.phrases.name(self._claimant)
                    truth += f" A call would have given {liar} the pile of {pile}."
                return MarkedLine(truth, Mark.WON if lie == (answer == BS) else Mark.LOST)
        return ""

    def _reveal_lie(self, seat: Seat, laid: Cards, rank: str) -> str:
        """Return whether a lie was needed, what it risked, and whose hand proved it."""
        ranks, names, claim = name_ranks(rank), self.phrases.names, len(laid)
        counts = {at: len(filter_rank(hand, rank)) for at, hand in self._hands.items()}
        others = {at: count for at, count in counts.items() if at != seat}
        least = len(SUIT_ORDER) + 1 - claim  # of the rank, in a hand that proves the lie
        if own := counts[seat]:
            held = "all four" if own == len(SUIT_ORDER) else f"{NUMBERS[own - 1]} of the"
            true = len(filter_rank(laid, rank))
            more = "one more card" if claim - true == 1 else f"{claim - true} more cards"
            pile = format_count(self._pile + claim, "card")
            risk = f": for {more} you risked a pile of {pile}."
            lied = f"You held {held} {ranks}{risk if true else ', so you need not have lied.'}"
        else:
            lied = f"You held no {ranks}, so you had to lie."
        if least < 1:
            return f"{lied} There are only four, so everybody knew."
        proofs = [
            f"{names[at]} held {NUMBERS[count - 1]}"
            for at, count in others.items()
            if count >= least
        ]
        if not proofs:
            return lied
        is_hidden = not own and claim > 1 and max(others.values()) < len(SUIT_ORDER)
        single = " No hand would have proved a lie with one card." if is_hidden else ""
        return f"{lied} {join_words(proofs)}, which proved it.{single}"

    def find_forced_answer(self, question: Question[Any]) -> str | None:
        """Return the name of a person as programs can write it, or a pass after a true claim.

        Peanut Butter is only for lies.
        """
        if isinstance(question, Nickname) and self.phrases.you is not None:
            name = self.phrases.names[self.phrases.you].replace(" ", "_")
            return name if re.fullmatch(NICKNAME, name, re.ASCII) else question.default
        boast = isinstance(question, Declare) and PEANUT_BUTTER in question.options
        return PASS if boast and self._lied is False else None

    def list_standing_answers(self, question: Question[Any]) -> Mapping[str, str | None]:
        """Return the passes of whoever does not want to be asked about each claim, nor to boast.

        One ends with the own turn. The other stands on, and leaves only those calls to the person
        that cannot be wrong, or that are the last chance.
        """
        asked = isinstance(question, Declare) and BS in question.options
        is_notable = asked and (self._last_cards or self._disproved)
        passes = isinstance(question, Declare) and not is_notable
        unless = {UNLESS_SURE: PASS if passes else None}
        return {UNTIL_OWN_TURN: PASS, **unless} if asked else unless

    def _ask_boast(self) -> str:
        """Return the question whether to say Peanut Butter."""
        if self._lied is False:
            return "You told the truth, so Peanut Butter does nothing. Do you say it?"
        if self._lied:
            return "You lied. If nobody calls, Peanut Butter tells all so, for fun. Do you say it?"
        return "Peanut Butter tells all of a lie that nobody called, for fun. Do you say it?"

    def _begin_turn(self, players: Sequence[tuple[Player, int]], rank: str) -> Iterator[str]:
        phrases = self.phrases
        self._counts = {player.seat: count for player, count in players}
        turn = begin_sentence(f"{phrases.possessive(players[0][0].seat)} turn")
        yield MarkedLine(f"{turn}: {name_ranks(rank)}.", Mark.HEADING)
        counts = ", ".join(f"{phrases.name(player.seat)} {count}" for player, count in players)
        pile = f"; pile {self._pile}" if self._pile else ""
        yield MarkedLine(f"Cards: {counts}{pile}.", Mark.STATE)

    def _describe_play(self, seat: Seat, cards: Cards, rank: str) -> str:
        lie = filter_rank(cards, rank) != cards
        self._told, self._lied = True, lie
        lays = f"{self.phrases.clause('lay', seat)} {show_cards(cards)}"
        claims = f"{self.phrases.verb('claim', seat)} {describe_claim(len(cards), rank)}"
        return f"{lays} and {claims}: {describe_truth(lie)}."

    def _judge(self, event: Any) -> Iterator[str]:
        phrases = self.phrases
        match event:
            case Called(players):
                self._called = bool(players)
                seats = [player.seat for player in players]
                yield f"{phrases.clause('call', *seats)} BS." if seats else "Nobody calls."
            case Shown(_, cards):
                self._shown = cards
            case Judged(player, bluffing) if self._called:
                yield describe_shown(self._shown, lie=bluffing)
                if bluffing:
                    yield self._take_pile(player)
            case Judged(player):
                yield f"Peanut Butter: {phrases.name(player.seat)} lied, and nobody called."
            case Receives(player):
                yield self._take_pile(player)
            case PileTaken(cards):
                yield MarkedLine(f"The pile brings you {show_cards(cards)}.", Mark.STATE)
            case Won(player):
                line = f"{phrases.clause('win', player.seat)}: no cards are left."
                yield phrases.mark_good(line, player.seat)

    def _take_pile(self, player: Player) -> str:
        taken, self._pile = self._pile, 0
        cards = format_count(taken, "card")
        line = f"{self.phrases.clause('take', player.seat)} the pile of {cards}."
        return self.phrases.mark_bad(line, player.seat)


KEYS = {
    PASS: (PASS, "p", "no", "n"),
    BS: (BS, "b", "yes", "y"),
    PEANUT_BUTTER: (PEANUT_BUTTER, "pb", "yes", "y"),
}
"""How each declaration may be typed."""


def describe_question(question: Question[Any]) -> str:
    """Return the text of a question that is about no claim."""
    if isinstance(question, ChooseCards):
        return f"Which cards do you lay and claim to be {name_ranks(question.rank)}?"
    return "What is your name at this table?"


def describe_truth(bluffing: bool) -> str:
    """Describe whether a claim is true."""
    return "a bluff" if bluffing else "the truth"


def describe_shown(cards: Cards, *, lie: bool) -> str:
    """Return a sentence on the cards of a play, and whether its claim was true."""
    were = "card was" if len(cards) == 1 else "cards were"
    return f"The {were} {show_cards(cards)}: {describe_truth(lie)}."


def describe_claim(count: int, rank: str) -> str:
    """Describe a claim.

    >>> describe_claim(1, "T"), describe_claim(3, "6"), describe_claim(14, "Q")
    ('one ten', 'three sixes', '14 queens')
    """
    number = NUMBERS[count - 1] if count <= len(NUMBERS) else count
    return f"{number} {RANK_NAMES[rank] if count == 1 else name_ranks(rank)}"


def name_ranks(rank: str) -> str:
    """Return the word for several cards of a rank.

    >>> name_ranks("A"), name_ranks("6")
    ('aces', 'sixes')
    """
    return f"{RANK_NAMES[rank]}{'es' if rank == '6' else 's'}"


class BsTurningPoints:
    """Finds the calls of BS, each with what came of it."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases = Phrases(names, seat)
        self._callers: tuple[Player, ...] = ()

    def tell(self, event: Any) -> str:
        """Return a sentence on a call, once it is judged."""
        match event:
            case Called(players):
                self._callers = players
            case Judged(player, bluffing) if self._callers:
                call = self._phrases.clause("call", *(caller.seat for caller in self._callers))
                claim = "bluff" if bluffing else "true claim"
                return f"{call} {self._phrases.possessive(player.seat)} {claim}"
            case Won(player):
                return f"{self._phrases.clause('have', player.seat)} no cards left"
        return ""
