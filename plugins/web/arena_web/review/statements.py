"""What a review says of answers: facts, which become sentences at the end.

Two statements are the same if their facts are: so what was said once is recognised, however it is
worded the second time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import takewhile

from attrs import evolve, field, frozen

from arena import Mark, format_share
from arena.wires import is_marked
from arena_web.protocol.messages import SeatOutcome

SMALLEST_SHARE = 0.005  # of an answer that is written as more than 0 %
NO_CHOICE = "You had nothing to decide here."
NO_EFFECT = "No choice of yours would have changed that."


class Statement(ABC):
    """Something that is said of an answer, or of a round."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The statement as a sentence."""

    @property
    def is_telling(self) -> bool:
        """Whether it says more than that there was nothing better."""
        return True


class Aside(Statement):
    """Something that says no more than that there was nothing better."""

    @property
    def is_telling(self) -> bool:
        """Whether it says more than that: never."""
        return False


@frozen
class Truth(Statement):
    """What a seat could not see when it answered."""

    text: str  #: in the words of the game

    @property
    def is_telling(self) -> bool:
        """Whether it is more than that the answer was right."""
        return not is_marked(self.text, Mark.WON)


@frozen
class Reason(Aside):
    """Why a source of hints would have answered as it would."""

    text: str  #: in the words of the game


@frozen
class Contrast(Statement):
    """Why another answer was better, with its gain."""

    text: str  #: in the words of the game


@frozen
class PointCost(Statement):
    """What an answer cost against perfect play."""

    points: float
    best: str  #: what a perfect player chooses

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        return (
            f"That cost you {self.points:.1f} points on average: a perfect player chooses"
            f" {self.best}."
        )


@frozen
class ChanceCost(Statement):
    """By how much an answer made it less likely to win, against perfect play."""

    before: float  #: the chance after the best answer, from 0 to 1
    after: float  #: that after the answer that was given
    best: str  #: what a perfect player chooses

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        return (
            f"Your chance to win fell from {format_share(self.before)} to"
            f" {format_share(self.after)}: a perfect player chooses {self.best}."
        )


@frozen
class WinChances(Statement):
    """How often bots win a match from an answer on, and from a better one on."""

    better: str  #: in the words of the game
    own: str  #: chance after the answer that was given, as a share
    other: str  #: that after the better one

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        return (
            f"If you had chosen {self.better}, your chance to win would have been {self.other}"
            f" instead of {self.own}."
        )


@frozen
class ExactLoss(Statement):
    """What an answer is worth, and what the best one, by a source that knows."""

    who: str
    best: str  #: in the words of the game
    own: str
    best_worth: str  #: such as "+0.33 chips"
    own_worth: str

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        return (
            f"{self.who} would have chosen {self.best}, not {self.own}: {self.best_worth} on"
            f" average, instead of {self.own_worth}."
        )


@frozen
class Alternative(Statement):
    """What a source of hints would have answered otherwise."""

    who: str
    answers: Sequence[tuple[str, float]]  #: in the words of the game, with their shares
    own: str  #: the answer that was given; empty where it was named already
    is_again: bool = field(default=False, eq=False)  #: whether its reasons were said before

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        who = f"Here, too, {self.who[:1].lower()}{self.who[1:]}" if self.is_again else self.who
        answers = [
            name + ("" if share == 1 else f" ({format_share(share)})")
            for name, share in self.answers
        ]
        other = f", not {self.own}" if self.own and len(answers) == 1 else ""
        return f"{who} would have chosen {', '.join(answers)}{other}."


@frozen
class Possibility(Statement):
    """That another answer may have been better."""

    better: str  #: in the words of the game
    own: str

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        return f"{self.better[:1].upper()}{self.better[1:]} may have been better than {self.own}."


@frozen
class Agreement(Aside):
    """That a source of hints gives the same answer: how often, if it draws among several."""

    who: str
    share: float  #: from 0 to 1
    outcome: SeatOutcome | None  #: of the match; None: what is said does not depend on it
    is_right: bool  #: whether the truth proved the answer right
    answer: str = field(default="", eq=False)  #: where it is not clear which one is meant

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        also, too = ("also ", ", too") if self.answer else ("", "")
        same, is_lost = self.answer or "the same", self.outcome is SeatOutcome.LOST
        if self.share > 1 - SMALLEST_SHARE:
            luck = ", which was right" if self.is_right else ", so it may have been bad luck"
            return f"{self.who} would {also}have chosen {same}{luck * is_lost}."
        verdict = ", so it was no mistake" if is_lost else ""
        if self.share < SMALLEST_SHARE:
            return f"{self.who} knows no answer that is worth more{verdict}."
        who = f"{self.who[:1].lower()}{self.who[1:]}"
        share = format_share(self.share)
        return f"In {share} of such cases {who} chooses {same}{too}{verdict}."


@frozen
class NothingToDecide(Aside):
    """That no answer of the seat could have changed a round."""

    had_choice: bool  #: whether it had a choice, though one that changed nothing

    @property
    def text(self) -> str:
        """The statement as a sentence."""
        return NO_EFFECT if self.had_choice else NO_CHOICE


def write(statements: Iterable[Statement]) -> str:
    """Return statements as sentences."""
    return " ".join(statement.text for statement in statements)


def list_truths(truths: Iterable[str]) -> list[Statement]:
    """Return what could not be seen as statements, without those that say nothing."""
    return [Truth(truth) for truth in truths if truth]


def list_reasons(reasons: Iterable[str]) -> list[Statement]:
    """Return the reasons of a hint as statements."""
    return [Reason(reason) for reason in reasons]


def drop_repeats(
    told: Iterable[Sequence[Statement]], outcome: SeatOutcome | None
) -> list[list[Statement]]:
    """Return what is said of moments in turn, each reason once.

    That the source of hints agrees is said again only with another reason; who has won reads it
    once.
    """
    said, kept = set[Statement](), list[list[Statement]]()
    for statements in told:
        moment = list[Statement]()
        for place, statement in enumerate(statements):
            reasons = [*takewhile(_is_reason, statements[place + 1 :])]
            new = [reason for reason in dict.fromkeys(reasons) if reason not in said]
            match statement:
                case Reason():  # goes with what it is a reason for
                    continue
                case Agreement() if statement in said and (outcome is SeatOutcome.WON or not new):
                    continue
                case Alternative() if reasons and not new:
                    moment.append(evolve(statement, is_again=True))
                case _:
                    moment += [statement, *new]
            said |= {statement, *reasons}
        kept.append(moment)
    return kept


def _is_reason(statement: Statement) -> bool:
    return isinstance(statement, Reason)
