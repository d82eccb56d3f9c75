"""The playing style of Coup: who claims falsely, who is challenged, and who challenges rightly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from arena import Insights, Observation, Seat, Statistic
from arena_coup.rules import ACTION_KINDS, ALLOW, CHALLENGE, COUP, Character, parse_action

STATISTICS = (
    Statistic(
        "bluffs",
        "Claims that are a bluff",
        "%",
        about="A habit: claims are those of an action and those of a block.",
    ),
    Statistic(
        "caught",
        "Bluffs that are challenged",
        "%",
        about="Fewer are better: each takes an influence.",
        better="less",
        advice="Claim characters of which nobody can have seen too many.",
    ),
    Statistic(
        "doubted",
        "Honest claims that are challenged",
        "%",
        about="More are better: each takes an influence of the challenger.",
    ),
    Statistic(
        "challenges",
        "Chances to challenge that are taken",
        "%",
        about="A habit: what counts is how many challenges are right.",
    ),
    Statistic(
        "right",
        "Challenges that are right",
        "%",
        about="More is better: a wrong challenge takes an own influence.",
        better="more",
        advice="Challenge a character of which you hold or saw most cards.",
    ),
    Statistic("lies_challenged", "Bluffs of others, challenged", "%", about="More is better."),
    Statistic(
        "blocks",
        "Chances to block that are taken",
        "%",
        about="A habit: a block claims a character, and can be challenged.",
    ),
    Statistic(
        "coups",
        "Coups in a match",
        about="A habit: each takes an influence for sure, for 7 coins.",
        least=0,
    ),
    Statistic("bluffs_by_claim", "Claims that are a bluff, by character", "%", across="character"),
    Statistic("actions", "Turns, by the action chosen", "%", across="action"),
)


@define
class _Claim:
    """A claim that was made, until it is settled."""

    seat: Seat
    character: Character
    is_bluff: bool
    is_own: bool  # did the player itself make it?
    is_challenged: bool = False


@define
class _Player:
    """What is known of one player."""

    hand: Sequence[Character] = ()
    question: Mapping[str, Any] = field(factory=dict)  # the last one
    own: bool = True  # did the player itself give the last answer?
    always_own: bool = True
    coups: int = 0


@define
class _Court:
    """What is known of all players, and the claim that is not settled yet."""

    players: Sequence[_Player]
    claim: _Claim | None = None

    def tell(self, event: Mapping[str, Any], recipient: Seat) -> Iterator[Observation]:
        """Record an event; yield the observations of a claim that it settles."""
        match event:
            case {"tell": "Hand", "cards": cards}:
                self.players[recipient].hand = cards
            case {"tell": "Acted", "seat": seat, "action": action}:
                if character := parse_action(action)[0].claims:
                    self._begin_claim(seat, character)
            case {"tell": "Blocked", "seat": seat, "character": character}:
                yield from self._settle_claim()
                self._begin_claim(seat, character)
            case {"tell": "Challenged"} if self.claim:
                self.claim.is_challenged = True
            case {"tell": "Settled"}:
                yield from self._settle_claim()

    def _begin_claim(self, seat: Seat, character: Character) -> None:
        player = self.players[seat]
        self.claim = _Claim(seat, character, character not in player.hand, player.own)

    def _settle_claim(self) -> Iterator[Observation]:
        claim, self.claim = self.claim, None
        if claim and claim.is_own:
            key = "caught" if claim.is_bluff else "doubted"
            yield Observation(claim.seat, "bluffs", claim.is_bluff)
            yield Observation(claim.seat, "bluffs_by_claim", claim.is_bluff, claim.character)
            yield Observation(claim.seat, key, claim.is_challenged)


def observe_claims(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of a match: of each claim, challenge, block and action."""
    players = [_Player() for _ in lines[0]["seats"]]
    court = _Court(players)
    for line in lines[1:]:
        match line:
            case {"to": seat, "question": question}:
                players[seat].question = question
            case {"from": seat, "answer": answer, "fallback": fallback}:
                player = players[seat]
                player.own = not fallback
                player.always_own &= player.own
                if player.own:
                    yield from _observe_answer(players, seat, answer)
            case {"to": seat, "event": event}:
                yield from court.tell(event, seat)
    for seat, player in enumerate(players):
        if player.always_own:
            yield Observation(seat, "coups", player.coups)


def _observe_answer(players: Sequence[_Player], seat: Seat, answer: str) -> Iterator[Observation]:
    player = players[seat]
    match player.question:
        case {"ask": "ChooseAction"}:
            kind = parse_action(answer)[0]
            player.coups += kind is COUP
            for name, other in ACTION_KINDS.items():
                yield Observation(seat, "actions", kind is other, name.replace("-", " "))
        case {"ask": "Challenge", "claimant": claimant, "character": character}:
            is_bluff, challenges = character not in players[claimant].hand, answer == CHALLENGE
            yield Observation(seat, "challenges", challenges)
            if challenges:
                yield Observation(seat, "right", is_bluff)
            if is_bluff:
                yield Observation(seat, "lies_challenged", challenges)
        case {"ask": "Block"}:
            yield Observation(seat, "blocks", answer != ALLOW)


INSIGHTS = Insights(STATISTICS, observe_claims, "coup")
