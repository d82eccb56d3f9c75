"""A BS bot in Python: remembers where it has seen cards.

It speaks the line protocol of BS: a nickname is asked for by `Unique ID:`, cards are asked
for by `Your turn:`, and whenever somebody `plays:`, everybody answers once.

It lays all its cards of the rank, or else the one card that it can be honest with last. It
knows its own hand, its own cards in the pile, and who took cards that were shown. It calls
BS when these and the claim are more than the four cards of a rank, or to stop a player from
going out.

Run it:  arena match bs examples/bots/bs-python examples/bots/bs-c
"""

import re
import sys

RANKS = "A23456789TJQK"
PILE = -1  # a place that is no player's ID


class Player:
    """What we know in the middle of a game; players are known by their IDs."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.me = self.current = PILE
        self.players = self.left = 0  # how many play, and how many cards the current one holds
        self.hand: list[str] = []
        self.laid: list[str] = []
        self.called = False
        self.seen: dict[str, int] = {}  # where a card is, if we know

    def hear(self, line: str) -> str | None:
        """Take note of a message, and return the answer if it asks for one."""
        what, _, rest = line.partition(":")
        if what == "Unique ID":
            self.me = int(rest)
            return "Nickname: bs_python"
        if what == "Your turn":
            return f"Play: {' '.join(self.play(rest.strip()))}"
        if what.endswith(" plays"):
            count, _, rank = rest.split()
            return "BS" if self.doubts(int(count), rank) else "Pass"
        self.note(what, rest)
        return None

    def note(self, what: str, rest: str) -> None:
        """Take note of a message that asks for nothing."""
        ids = [int(number) for number in re.findall(r"\((\d+)\)", what + rest)]
        if what == "Players":
            self.current, self.players = ids[0], len(ids)
            self.left = int(re.findall(r"\[(\d+)\]", rest)[0])
        elif what == "Hand":
            self.hand = rest.split()
        elif what == "Called BS":
            self.called = bool(ids)
            if not self.called:
                self.lose_sight()
        elif what.endswith(" had played"):
            self.seen.update(dict.fromkeys(rest.split(), PILE))
        elif what.endswith(" the pile.") or (what.endswith(" was bluffing.") and self.called):
            self.seen = {card: ids[0] if at == PILE else at for card, at in self.seen.items()}

    def play(self, rank: str) -> list[str]:
        """Return the cards to lay: all that are honest, or else one that is not."""
        honest = [card for card in self.hand if card[0] == rank]
        self.laid = honest or [max(self.hand, key=lambda card: self.turns_until(card[0], rank))]
        return self.laid

    def turns_until(self, wanted: str, rank: str) -> int:
        """Count our turns until we have to claim the wanted rank; 13 stands for never."""
        steps = RANKS.index(wanted) - RANKS.index(rank)
        return next((n for n in range(1, 13) if (n * self.players - steps) % 13 == 0), 13)

    def doubts(self, count: int, rank: str) -> bool:
        """Is the claim false for sure, or does nobody get to doubt the next one?"""
        elsewhere = {card for card, at in self.seen.items() if at != self.current}
        known = [card for card in elsewhere.union(self.hand) if card[0] == rank]
        return self.current != self.me and (count + len(known) > 4 or count == self.left)

    def lose_sight(self) -> None:
        """Cards went onto the pile: only who laid them knows which."""
        if self.current == self.me:
            self.seen.update(dict.fromkeys(self.laid, PILE))
        else:
            self.seen = {card: at for card, at in self.seen.items() if at != self.current}


def main() -> None:
    """Answer until the input ends."""
    player = Player()
    for line in sys.stdin:
        if answer := player.hear(line.rstrip("\n")):
            print(answer, flush=True)


if __name__ == "__main__":
    main()
