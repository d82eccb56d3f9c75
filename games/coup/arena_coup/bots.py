"""The bots that come with Coup, by name in `BOTS`, and difficult situations for `arena check`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import comb, prod
from typing import Any

from attrs import define, field, validators

from arena import (
    Bot,
    FailingBot,
    Greeting,
    Question,
    Scenario,
    Seat,
    format_count,
    join_words,
)
from arena_coup.rules import (
    ALLOW,
    AMBASSADOR,
    ASSASSIN,
    ASSASSINATE,
    CAPTAIN,
    CARDS_PER_CHARACTER,
    CHALLENGE,
    CONTESSA,
    COUP,
    DECK,
    DUKE,
    EXCHANGE,
    FOREIGN_AID,
    INCOME,
    STEAL,
    STOLEN_COINS,
    TAX,
    Acted,
    ActionKind,
    Block,
    Blocked,
    Cards,
    Challenge,
    Challenged,
    Character,
    ChooseAction,
    Hand,
    KeepCards,
    Lost,
    Out,
    Proved,
    Settled,
    ShowCard,
    Turn,
    format_action,
    parse_action,
    sort_cards,
)

KEEPING_ORDER = (DUKE, CONTESSA, CAPTAIN, ASSASSIN, AMBASSADOR)
"""The characters in the order of preference, best first."""


class CoupBot(Bot):
    """Base class of bots that remember the table; they override `act`, `doubts` and `blocks`.

    All three methods read the table from `memory`. The defaults challenge impossible claims, and
    block with characters that the bot holds.
    """

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Start with an empty memory."""
        super().greet(greeting)
        self.memory = Memory(self.seat, self.seats)

    def hear(self, event: Any) -> None:
        """Record an event in the memory."""
        self.memory.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return an action, a word, or a card."""
        match question:
            case ChooseAction(options):
                return self.act(options)
            case Challenge(_, claimant, character):
                return CHALLENGE if self.doubts(claimant, character) else ALLOW
            case Block(options):
                return self.blocks(options[1:]) or ALLOW
            case ShowCard(options, character) if character in options:
                return character
            case KeepCards(options):
                return self.keep(options.cards, options.least)
        held: Any = question.options
        return max(held, key=KEEPING_ORDER.index)

    def act(self, actions: tuple[str, ...]) -> str:
        """Choose one of the actions."""
        raise NotImplementedError

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Return whether to challenge the claim."""
        return not self.memory.count_unseen(character)

    def blocks(self, characters: Cards) -> Character | None:
        """Return the character to block with, if any."""
        held = [character for character in characters if character in self.memory.hand]
        return held[0] if held else None

    def keep(self, cards: Cards, count: int) -> Cards:
        """Return the cards to keep, of different characters if possible."""
        best = sorted(set(cards), key=KEEPING_ORDER.index)
        more = sorted(cards, key=KEEPING_ORDER.index)
        return sort_cards((best if len(best) >= count else more)[:count])

    @property
    def strongest(self) -> Seat:
        """The opponent with the most influence, then the most coins."""
        memory = self.memory
        return max(memory.others, key=lambda seat: (memory.influence[seat], memory.coins[seat]))

    @property
    def richest(self) -> Seat:
        """The opponent with the most coins."""
        return max(self.memory.others, key=lambda seat: self.memory.coins[seat])


@define(eq=False)
class RandomPlayer(Bot):
    """Takes a random action, and objects to others now and then."""

    chance: float = field(default=0.1, validator=[validators.ge(0), validators.le(1)])

    def choose(self, question: Question[Any]) -> Any:
        """Choose a random answer."""
        if isinstance(question, Challenge | Block) and self.random.random() >= self.chance:
            return question.default
        if isinstance(question, Block):
            return self.random.choice(list(question.options)[1:])
        return question.options.draw(self.random)


class Honest(CoupBot):
    """Claims only characters that it holds; challenges impossible claims."""

    def act(self, actions: tuple[str, ...]) -> str:
        """Launch a coup or assassinate if it can, else take coins that nobody is known to block."""
        return next(action for action in self._wishes() if action in actions)

    def _wishes(self) -> tuple[str, ...]:
        """Return its preferred actions, the best first, ending with the income."""
        hand, strongest, richest = self.memory.hand, self.strongest, self.richest
        wishes: list[tuple[bool, str]] = [
            (True, format_action(COUP, strongest)),
            (ASSASSIN in hand and self._is_open(ASSASSINATE, strongest),
             format_action(ASSASSINATE, strongest)),
            (DUKE in hand, TAX.name),
            (CAPTAIN in hand and self._is_open(STEAL, richest), format_action(STEAL, richest)),
            (self._is_open(FOREIGN_AID), FOREIGN_AID.name),
            (True, INCOME.name),
        ]  # fmt: skip
        return tuple(action for wished, action in wishes if wished)

    def _is_open(self, deed: ActionKind, target: Seat | None = None) -> bool:
        """Return whether an action has an effect, and none of its blockers ever blocked it."""
        seats = self.memory.others if target is None else [target]
        if deed is STEAL and target is not None and not self.memory.coins[target]:
            return False
        return not any((seat, deed.name) in self.memory.blocks for seat in seats)


class Trusting(Honest):
    """Claims only characters that it holds, and never challenges."""

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Never challenge."""
        return False


@define(eq=False)
class Bold(CoupBot):
    """Claims the Duke, the Assassin and any blocker; challenges others now and then."""

    chance: float = field(default=0.1, validator=[validators.ge(0), validators.le(1)])

    def act(self, actions: tuple[str, ...]) -> str:
        """Launch a coup or assassinate if it has the coins, else take the tax."""
        coup, murder = (
            format_action(COUP, self.strongest),
            format_action(ASSASSINATE, self.strongest),
        )
        return next(action for action in (coup, murder, TAX.name) if action in actions)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge impossible claims, and others at random."""
        return super().doubts(claimant, character) or self.random.random() < self.chance

    def blocks(self, characters: Cards) -> Character:
        """Block, with a character that it holds if possible."""
        return super().blocks(characters) or self.random.choice(characters)


LAST_INFLUENCE_VALUE = 1.8  # the value of the last influence, in influences
COIN_VALUE = 0.14  # in influences; seven coins make a coup
EXCHANGE_VALUE = 0.2  # in influences
EXCESS_CLAIM_FACTOR = 2.0  # multiplies the odds of a lie by a player with too many claims


class CardCounter(CoupBot):
    """Weighs the gain and the cost of lies, challenges and blocks by the cards and claims it saw.

    The weights were found by playing against the other bundled bots.
    """

    def act(self, actions: tuple[str, ...]) -> str:
        """Take the action with the highest expected gain."""
        return max(actions, key=self._expected_gain)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge an impossible claim, or a lie so likely that a challenge pays."""
        if super().doubts(claimant, character):
            return True
        lie = 1 - self._truth_probability(claimant, character)
        return lie * (self._hit + self._threat) > (1 - lie) * self._stake

    def blocks(self, characters: Cards) -> Character | None:
        """Block with a character that it holds, or with a lie that is worth the risk."""
        held = super().blocks(characters)
        if held:
            return held
        likely = max(characters, key=self.memory.count_unseen)
        caught = self._challenge_probability
        worth = (1 - caught) * self._threat > caught * self._stake
        return likely if worth and self.memory.count_unseen(likely) else None

    def explain(self, question: Question[Any], answer: Any) -> Sequence[str]:
        """Return what speaks for an action, a challenge, a block, or a card."""
        match question:
            case ChooseAction():
                return (self._explain_action(parse_action(answer)[0]),)
            case Challenge(_, claimant, character):
                return self._explain_doubt(claimant, character, answer)
            case Block(options) if answer == ALLOW:
                return (self._explain_letting(options[1:]),)
            case Block():
                return (self._explain_claim(answer),)
            case ShowCard(_, character) if answer == character:
                return ("Whoever shows it loses nothing, and the challenger loses an influence.",)
        return (f"The cards are worth most in this order: {', '.join(KEEPING_ORDER)}.",)

    def _explain_doubt(self, claimant: Seat, character: Character, answer: str) -> Sequence[str]:
        """Return what a challenge risks, and what is known of the claim.

        That is the cards in sight, and the lies that were found. The probability that the bot
        reckons with is chosen for how well it plays: far fewer claims of players who bluff are
        true.
        """
        unseen = self.memory.count_unseen(character)
        if not unseen:
            return (f"You see all {CARDS_PER_CHARACTER} cards of the {character}: it is a bluff.",)
        seen = CARDS_PER_CHARACTER - unseen
        lies = round(self.memory.records[claimant].lies - PRIOR_LIES)
        caught = (
            f"was caught in {format_count(lies, 'bluff')}"
            if lies
            else "has not been caught bluffing"
        )
        known = (
            f"You see {seen or 'none'} of the {CARDS_PER_CHARACTER} cards of the {character}, and"
            f" the player who claims it {caught}."
        )
        return (self._describe_risk(), known) if answer == ALLOW else (known,)

    def _describe_risk(self) -> str:
        """Return what a wrong challenge costs, and what the action costs that it may stop."""
        memory = self.memory
        own = "your last influence" if len(memory.hand) == 1 else "an influence"
        if memory.target == memory.seat and memory.action_kind is STEAL:
            coins = format_count(min(STOLEN_COINS, memory.coins[memory.seat]), "coin")
            return f"The steal costs you {coins}, and a wrong challenge {own}."
        others = len(memory.others)
        if others == 1:
            return f"A wrong challenge costs you {own}."
        return f"A wrong challenge costs you {own}, and a right one only one of {others} others."

    def _explain_letting(self, blockers: Cards) -> str:
        """Return why not to block."""
        memory = self.memory
        bluff = f"You hold no {join_words(blockers, 'or')}: a block would be a bluff"
        if memory.target != memory.seat:
            gain = format_count(memory.action_kind.gain, "coin")
            return f"{bluff}, which risks an influence to keep {gain} from another player."
        if memory.action_kind is STEAL:
            coins = format_count(min(STOLEN_COINS, memory.coins[memory.seat]), "coin")
            return f"{bluff}, which risks an influence to save {coins}."
        return f"{bluff}, which risks another influence."

    def _explain_action(self, kind: ActionKind) -> str:
        if kind is COUP:
            return "A coup takes an influence, and nobody can challenge or block it."
        if kind.claims is None:
            return "It claims nothing, so nobody can challenge it."
        return self._explain_claim(kind.claims)

    def _explain_claim(self, character: Character) -> str:
        if character in self.memory.hand:
            return f"You hold the {character}, so whoever challenges loses an influence."
        return f"You do not hold the {character}, but {self._describe_doubts()}."

    def _describe_doubts(self) -> str:
        """Return how many claims of this match were challenged.

        The rate that the bot reckons with is chosen for how well it plays, and is lower than that
        of most players.
        """
        challenged, claims = self.memory.challenged, self.memory.claims
        if not claims:
            return "whoever challenges risks an influence, too"
        if claims == 1:
            return f"the only claim so far was {'' if challenged else 'not '}challenged"
        were = "was" if challenged <= 1 else "were"
        return f"{challenged or 'none'} of the {claims} claims so far {were} challenged"

    @property
    def _stake(self) -> float:
        """The value of this seat's next influence."""
        return 1.0 if len(self.memory.hand) > 1 else LAST_INFLUENCE_VALUE

    @property
    def _hit(self) -> float:
        """The value to this seat of another seat's loss of an influence."""
        return 1 / len(self.memory.others)

    @property
    def _threat(self) -> float:
        """The loss to this seat if the current action takes effect."""
        memory = self.memory
        if memory.actor == memory.seat:
            return self._gain(memory.action_kind, memory.target)
        if memory.target == memory.seat:
            stolen = min(STOLEN_COINS, memory.coins[memory.seat])
            return self._stake if memory.action_kind is ASSASSINATE else 2 * COIN_VALUE * stolen
        return COIN_VALUE * memory.action_kind.gain * self._hit

    @property
    def _challenge_probability(self) -> float:
        """The probability that any other seat challenges a claim of this one."""
        return 1 - prod(1 - self.memory.records[seat].challenge_rate for seat in self.memory.others)

    def _truth_probability(self, seat: Seat, character: Character) -> float:
        """Return the probability of a true claim, by the cards left and the claimant's record."""
        memory, record = self.memory, self.memory.records[seat]
        odds = record.lie_rate / (1 - record.lie_rate)
        if len(record.claims | {character}) > memory.influence[seat]:
            odds *= EXCESS_CLAIM_FACTOR
        holds = memory.holding_probability(seat, character)
        return holds / (holds + (1 - holds) * odds)

    def _expected_gain(self, action: str) -> float:
        """Estimate the gain of an action, in influences."""
        deed, target = parse_action(action)
        passes = 1 - self._block_probability(deed, target)
        gain = passes * self._gain(deed, target) - COIN_VALUE * deed.cost
        if deed.claims is None:
            return gain
        caught = self._challenge_probability
        if deed.claims in self.memory.hand:
            return gain + caught * self._hit
        if not self.memory.count_unseen(deed.claims):
            return -LAST_INFLUENCE_VALUE
        return (1 - caught) * gain - caught * self._stake

    def _gain(self, deed: ActionKind, target: Seat | None) -> float:
        """Return the value of an action that takes effect."""
        memory = self.memory
        if deed is EXCHANGE:
            return EXCHANGE_VALUE
        if target is None:
            return COIN_VALUE * deed.gain
        if deed is STEAL:
            return COIN_VALUE * min(STOLEN_COINS, memory.coins[target]) * (1 + self._hit)
        danger = COIN_VALUE * memory.coins[target] + memory.influence[target]
        return 1 + (1.0 if deed is COUP else 0.0) * self._hit + danger / 10

    def _block_probability(self, deed: ActionKind, target: Seat | None) -> float:
        """Estimate the probability that an action is blocked."""
        if not deed.blockers:
            return 0.0
        seats = self.memory.others if target is None else [target]
        return 1 - prod(1 - self._seat_block_probability(deed, seat) for seat in seats)

    def _seat_block_probability(self, deed: ActionKind, seat: Seat) -> float:
        """Estimate the probability that a seat blocks, which is high if it has done so before."""
        if (seat, deed.name) in self.memory.blocks:
            return 0.8
        holds = 1 - prod(
            1 - self.memory.holding_probability(seat, character) for character in deed.blockers
        )
        return holds * (0.7 if deed is FOREIGN_AID else 1.0)


BOTS = {
    "honest": Honest,
    "trusting": Trusting,
    "bold": Bold,
    "counter": CardCounter,
    "random": RandomPlayer,
}


@define
class Memory:
    """One seat's knowledge of the table, updated by the events that the seat receives."""

    seat: Seat
    seats: int
    hand: Cards = ()
    coins: list[int] = field(factory=list)
    influence: list[int] = field(factory=list)
    revealed: Cards = ()
    actor: Seat = 0
    action: str = "income"
    records: list[PlayerRecord] = field(init=False)
    claims: int = 0  # of all seats, before the action or block to choose
    challenged: int = 0  # of them
    blocks: set[tuple[Seat, str]] = field(
        factory=set
    )  # seats with the actions that they have blocked
    _challenged_seat: Seat | None = None  # the seat whose claim was just challenged

    @records.default
    def _no_records(self) -> list[PlayerRecord]:
        return [PlayerRecord() for _ in range(self.seats)]

    @property
    def action_kind(self) -> ActionKind:
        """The kind of the action."""
        return parse_action(self.action)[0]

    @property
    def target(self) -> Seat | None:
        """The seat that the action aims at."""
        return parse_action(self.action)[1]

    @property
    def others(self) -> list[Seat]:
        """Return the other seats that have influence."""
        return [seat for seat, left in enumerate(self.influence) if left and seat != self.seat]

    def hear(self, event: Any) -> None:
        """Update the memory after an event."""
        match event:
            case Turn():
                self._note_turn(event)
            case Hand(cards):
                self.hand = cards
            case Acted(seat, action):
                self.action = action
                self._note_claim(seat, self.action_kind.claims)
            case Blocked(seat, character):
                self.blocks.add((seat, self.action_kind.name))
                self._note_claim(seat, character)
            case Challenged(seat, claimant):
                self.challenged += 1
                self.records[seat].challenges += 1
                self._challenged_seat = claimant
            case Proved(seat, character):
                self.records[seat].truths += 1
                self._note_proof(seat, character)
            case Lost(seat, character):
                self._note_loss(seat, character)
            case Out(seat):
                self.coins[seat] = 0
            case Settled(seat, action, True) if action == "exchange":
                self.records[seat].claims.clear()

    def _note_turn(self, turn: Turn) -> None:
        self.actor, self._challenged_seat = turn.seat, None
        self.coins, self.influence = [*turn.coins], [*turn.influence]
        self.revealed = tuple(card for cards in turn.revealed for card in cards)

    def _note_claim(self, claimant: Seat, character: Character | None) -> None:
        self._challenged_seat = None
        if not character:
            return
        self.claims += 1
        self.records[claimant].claims.add(character)
        for seat, left in enumerate(self.influence):
            if left and seat != claimant:
                self.records[seat].heard += 1

    def _note_proof(self, seat: Seat, character: Character) -> None:
        """Drop a claim once its card was shown and replaced by an unknown one."""
        self._challenged_seat = None
        self.records[seat].claims.discard(character)

    def _note_loss(self, seat: Seat, character: Character) -> None:
        self.influence[seat] -= 1
        self.revealed += (character,)
        record = self.records[seat]
        record.claims.discard(character)
        if seat == self._challenged_seat:
            record.lies += 1
            record.claims.clear()
        self._challenged_seat = None

    def count_unseen(self, character: Character) -> int:
        """Count the cards of a character that this seat does not see."""
        return CARDS_PER_CHARACTER - self.hand.count(character) - self.revealed.count(character)

    def holding_probability(self, seat: Seat, character: Character) -> float:
        """Return the probability that a seat holds the character, from the cards dealt."""
        hidden = len(DECK) - len(self.hand) - len(self.revealed)
        held = self.influence[seat]
        return 1 - comb(hidden - self.count_unseen(character), held) / comb(hidden, held)


PRIOR_LIES, PRIOR_TRUTHS = 0.5, 4.0
"""The numbers of lies and true claims that are assumed of a player before any are seen."""

PRIOR_CHALLENGES, PRIOR_CLAIMS = 0.1, 8.0
"""The numbers of challenges and of claims by others that are assumed before any are seen."""


@define
class PlayerRecord:
    """The public record of a seat's claims and challenges."""

    lies: float = PRIOR_LIES  # challenged claims that were false
    truths: float = PRIOR_TRUTHS
    challenges: float = PRIOR_CHALLENGES
    heard: float = PRIOR_CLAIMS  # claims of others that it could challenge
    claims: set[Character] = field(factory=set)  # claimed with its present cards

    @property
    def lie_rate(self) -> float:
        """The estimated share of false claims, from 0 to 1."""
        return self.lies / (self.lies + self.truths)

    @property
    def challenge_rate(self) -> float:
        """The estimated share of the others' claims that it challenges, from 0 to 1."""
        return self.challenges / self.heard


SHORT = {"max_turns": 60}


class Doubter(Trusting):
    """Challenges every claim."""

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge every claim."""
        return True


class Blocker(Trusting):
    """Blocks whenever it can, honestly or not."""

    def blocks(self, characters: Cards) -> Character:
        """Block with the first character that can."""
        return characters[-1]


class ScriptedAction(CoupBot):
    """Takes its one action whenever it can, and saves its coins otherwise."""

    deed: ActionKind = INCOME

    def act(self, actions: tuple[str, ...]) -> str:
        """Take the action, against the strongest opponent; launch a coup if there is no choice."""
        target = self.strongest if self.deed.targeted else None
        wishes = (
            format_action(self.deed, target),
            INCOME.name,
            format_action(COUP, self.strongest),
        )
        return next(action for action in wishes if action in actions)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Never challenge."""
        return False


class Murderer(ScriptedAction):
    """Assassinates whenever it has three coins."""

    deed = ASSASSINATE


class Thief(ScriptedAction):
    """Steals in every turn."""

    deed = STEAL


class Ambassador(ScriptedAction):
    """Exchanges cards in every turn."""

    deed = EXCHANGE


class ForeignAidSeeker(ScriptedAction):
    """Asks for foreign aid in every turn."""

    deed = FOREIGN_AID


SCENARIOS: Sequence[Scenario] = (
    Scenario("whatever is claimed is challenged, by two at once", (Doubter, Doubter), 1),
    Scenario("five challenge at once", (Doubter,) * 5, 0),
    Scenario("whatever can be blocked is blocked", (Blocker, Blocker), 2),
    Scenario("the opponent assassinates whenever it can", (Murderer,), 1),
    Scenario("all others steal in every turn", (Thief,) * 3, 0, SHORT),
    Scenario("the others exchange cards in every turn", (Ambassador, Ambassador), 1, SHORT),
    Scenario("the others ask for foreign aid, which can be blocked", (ForeignAidSeeker,) * 3, 3),
    Scenario("the others lie in every turn", (Bold, Bold, Bold), 2),
    Scenario("six play, and the bot may be out early", (Bold,) * 5, 4),
    Scenario("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, Trusting), Trusting), 1),
    Scenario("answers count in the order of arrival", (Doubter, Doubter), 0, {"order": "arrival"}),
    Scenario("the game ends at its turn limit, and nobody has won", (Thief, Thief), 0,
              {"max_turns": 5}),
)  # fmt: skip
