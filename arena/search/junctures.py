"""A juncture: the point of a play at which a seat is asked, as far as that seat knows it.

It is safe by construction. The position has been dealt anew, by a secret seed, where the seat does
not know it. Of an answer that another seat gave in secret there is only what everybody may know.
The open ask is left out, and so is who passed before somebody else ended an ask. There is no seed.
So whoever is handed a juncture can learn nothing from it that the seat does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from random import Random
from typing import Any, Self

from attrs import frozen

from arena.plugins import Game
from arena.records import Transcript, UnreadableTranscriptError
from arena.rules import (
    AddressedEvent,
    GivenAnswer,
    Play,
    Position,
    Question,
    Seat,
    derive_seed,
    describe_error_with_line,
    is_same,
)
from arena.wires import Greeting, freeze


@frozen
class Withheld:
    """An answer that another seat gave in secret."""

    known: object  #: what everybody may know of it, as `Secret.at_once` says


@frozen(eq=False)
class Juncture:
    """A seat's question, with all that the seat knows of the play."""

    game: Game  #: that is played
    seat: Seat  #: that is asked
    seats: int  #: how many play
    number: int  #: of the open round
    question: Question[Any]  #: that the seat is asked
    #: when the round began, with what the seat does not know dealt anew: it may not even fit `asks`
    position: Position
    #: the answers of each ask of the round that is over; a secret one is `Withheld`
    asks: Sequence[Sequence[GivenAnswer]]
    #: what the seat was told: when the round began, and after each of these asks
    told: Sequence[Sequence[Any]]
    past: Sequence[AddressedEvent]  #: what all, or the seat, were told before the round

    @classmethod
    def of(cls, game: Game, play: Play, seat: Seat, history: Sequence[AddressedEvent]) -> Self:
        """Return the juncture of a play at which a seat is asked.

        Args:
            game: what is played.
            play: its open round is played again; it is not changed.
            seat: which is asked.
            history: all that the play has told so far, in order, also in the open round.
        """
        again = Play(play.position, play.seats, play.seed, play.number)
        drained = again.drain()
        begun, told, asks = len(drained), [_select_own(drained, seat)], []
        for ask in play.asks:
            asks.append(_hide_answers(game, again, ask, seat))
            for answering, answer in ask.items():
                again.answer(answering, answer)
            drained = again.drain()
            begun += len(drained)
            told.append(_select_own(drained, seat))
        past = history[: len(history) - begun]
        secret = derive_seed(play.seed, "juncture", seat, play.number)
        return cls(
            game,
            seat,
            play.seats,
            play.number,
            again.pending[seat],
            play.position.resample_hidden(seat, Random(secret)),
            tuple(asks),
            tuple(told),
            tuple([(to, event) for to, event in past if to in {None, seat}]),
        )

    def build_dealer(self) -> Callable[[Random], Position]:
        """Return what deals positions that the round may have begun with."""
        begin = self.game.learning.recall
        if begin is None:
            return partial(self.position.resample_hidden, self.seat)
        variant = self.position.variant
        recall = begin(Greeting(self.game.name, self.seat, self.seats, variant, seed=""))
        for event in (*(event for _, event in self.past), *chain.from_iterable(self.told)):
            recall.tell(event)
        return partial(recall.redeal, self.position)


def _select_own(drained: Sequence[AddressedEvent], seat: Seat) -> Sequence[Any]:
    """Return the events that a seat is told."""
    return tuple([event for to, event in drained if to is None or to == seat])


def _hide_answers(
    game: Game, play: Play, ask: Mapping[Seat, Any], seat: Seat
) -> Sequence[GivenAnswer]:
    """Return the answers to the open ask of a play, as far as a seat may know them."""
    known = list[GivenAnswer]()
    *_, last = ask
    ended = play.passing is not None and not is_same(ask[last], play.passing.answer)
    for answering, answer in ask.items():
        if ended and answering not in {seat, last}:
            continue
        secret = game.secrecy.secret_answers.get(type(play.pending[answering]))
        if secret is None or answering == seat:
            known.append((answering, answer))
        else:
            known.append((answering, Withheld(secret.at_once(answer))))
    return tuple(known)


def rewind(game: Game, transcript: Transcript, seat: Seat) -> Iterator[tuple[int, Juncture]]:
    """Yield the junctures at which a seat answered in a recorded match, with the answers' lines.

    Raises:
        UnreadableTranscriptError: for a line that the rules do not allow, or where they fail.
    """
    line = 1
    try:
        variant = transcript.header.read_variant(game)
        play = Play.deal(variant, transcript.seats, transcript.header.seed)
        history = play.drain()
        for line, value in ((line.number, line.value) for line in transcript.lines):
            match value:
                case {"from": int(answering), "answer": answer}:
                    if answering == seat:
                        yield line, Juncture.of(game, play, seat, history)
                    play.answer(answering, freeze(answer))
                    history += play.drain()
    except UnreadableTranscriptError:
        raise
    except Exception as problem:  # noqa: BLE001  # rules may fail in any way
        why = describe_error_with_line(problem)
        raise UnreadableTranscriptError(f"line {line}: cannot be played again: {why}") from None
