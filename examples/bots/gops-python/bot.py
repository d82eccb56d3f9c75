"""A GOPS bot in Python: bids the card that promises the most points.

It speaks the line protocol of Ruby Quiz 116:

    < Competition card: 12      the prize that is turned up
    > 10                        our bid
    < Opponent's bid: 3         one line for each opponent, in seat order

It takes an opponent to bid near the prize's value, works out for each of its own cards how
likely that card is to win, and sets the points it expects against the worth of the card.

Run it:  arena match gops examples/bots/gops-python planner
Alone:   python3 bot.py [CARDS]     (13 cards unless told)
"""

import sys


class Bidder:
    """What we know in the middle of a game."""

    def __init__(self, cards: int) -> None:
        """Hold the cards from 1 up to this one."""
        self.cards = cards
        self.hand = set(range(1, cards + 1))
        self.opponents: list[set[int]] = []  # the cards that each has left, in seat order
        self.shown = 0  # how many bids of this round we have seen

    def bid(self, prize: int) -> int:
        """Return the card to bid for this prize, and lay it out of the hand."""
        self.shown = 0
        if not self.hand:  # There are more cards than we were told, so the next one is ours, too.
            self.cards += 1
            self.hand.add(self.cards)
        card = max(sorted(self.hand), key=lambda card: self.gain(card, prize))
        self.hand.remove(card)
        return card

    def see(self, bid: int) -> None:
        """Take note of an opponent's bid."""
        if self.shown == len(self.opponents):  # Only the first round tells how many there are.
            self.opponents.append(set(range(1, self.cards + 1)))
        self.opponents[self.shown].discard(bid)
        self.shown += 1

    def gain(self, card: int, prize: int) -> float:
        """Return the points to expect, less what the card would win on another day."""
        chance = 1.0
        for left in self.opponents or [set(range(1, self.cards + 1))]:
            chance *= self.chance(card, prize, left)
        return prize * chance - card / 2

    def chance(self, card: int, prize: int, left: set[int]) -> float:
        """Return the chance that this card is above the bid of who has these left."""
        usual = min(prize, self.cards)
        weights = {bid: 1 / (1 + abs(bid - usual)) ** 2 for bid in left}
        below = sum(weight for bid, weight in weights.items() if bid < card)
        return below / sum(weights.values()) if left else 1.0


def main() -> None:
    """Answer each prize with a bid, until the input ends."""
    bidder = Bidder(int(sys.argv[1]) if len(sys.argv) > 1 else 13)
    for line in sys.stdin:
        what, _, number = line.partition(":")
        if what == "Competition card":
            print(bidder.bid(int(number)), flush=True)
        elif what == "Opponent's bid":
            bidder.see(int(number))


if __name__ == "__main__":
    main()
