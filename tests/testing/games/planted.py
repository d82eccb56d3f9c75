"""Bugs planted into the dice game of the book, one at a time: what is changed, and what finds it.

What finds it is a test of the contract, or one of the page's own tests of its rules (`OWN`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory, frozen

DRAWN = "draws_for_one_seat_stay_secret"
KEPT = "private_reveals_stay_secret_until_an_answer"
CHANCE = "all_chance_comes_from_the_table"
AGAIN = "seed_and_answers_determine_the_game"
SETS = "the_order_of_sets_does_not_matter"
AWAITED = "no_await_is_missing"
AGAIN_SAID, OTHER_MATCH = "what_wires_say_again_is_up_to_date", "wires_know_no_other_match"
OPTIONS = "options_contain_what_they_list"
OWN = "own"

BIDS = "        bids = await self.bids(table)\n"
TELL = "        for seat in self.playing:\n            table.tell"
EVERY = 'every = [f"{count}x{face}" for count in counts for face in range(1, 7)]'
MAY = "            may = self.higher(said[-1][1] if said else None)\n"
LOST = '            case Lost(seat):\n                return (f"lost {seat}",)\n'
ROLL = "random.randint(1, 6) for"


@frozen
class Bug:
    """What is changed in the code, the test that finds it, and its words."""

    edits: Mapping[str, str]
    test: str
    words: str
    more: Mapping[str, Any] = Factory(dict)  # that the contract says


def before_bids(line: str, words: str = r"seat \d can tell.*the draw in .*Secrecy\.reveals") -> Bug:
    """Put a line between the rolling and the bids: it is a leak."""
    return Bug({BIDS: f"        {line}\n{BIDS}"}, DRAWN, words)


def by_order(when: str) -> Bug:
    """Have the order of a set of texts decide what is announced first, in some cases."""
    each = f"for at in {{str(at) for at in table.seats if {when}}}: table.announce(Lost(int(at)))"
    return Bug({BIDS: f"        {each}\n{BIDS}"}, SETS, "another interpreter.*order of a set")


SAY = "table.announce(Spoke(0, str({})))"
LEAKS = {
    "all dice are announced": before_bids(SAY.format("rolled")),
    "all dice are announced before they are told": Bug(
        {TELL: f"        {SAY.format('rolled')}\n{TELL}"}, DRAWN, r"seat \d can tell"
    ),
    "the neighbour is told": before_bids(
        "for at in self.playing: table.tell(self.behind(at), Rolled(rolled[at]))"
    ),
    "the neighbour is told first": Bug(
        {TELL: TELL.replace("table.tell", "table.tell(self.behind(seat), Rolled(rolled[seat]))\n"
                            "            table.tell")},
        DRAWN, r"seat \d can tell"),
    "the sum is announced": before_bids(SAY.format("sum(map(sum, rolled))")),
    "the highest is announced": before_bids(SAY.format("max(map(max, filter(None, rolled)))")),
    "the parity is announced": before_bids(SAY.format("sum(map(sum, rolled)) % 2")),
    "one seat is told the parity": before_bids(
        "table.tell(self.first, Spoke(0, str(sum(map(sum, rolled)) % 2)))"
    ),
    "the best dice begin": before_bids(
        "self = evolve(self, first=max(self.playing, key=lambda at: rolled[at]))"
    ),
    "as many lines as sixes": before_bids(
        "for dice in rolled: [table.announce(Lost(0)) for face in dice if face == 6]"
    ),
    "a first bid that nobody can hold is no option": Bug(
        {BIDS: f"        object.__setattr__(self.variant, 'top', max(map(max, filter(None, rolled))))"
               f"\n{BIDS}", MAY: MAY + "            may = [one for one in may if one == LIAR or"
               " int(one[-1]) <= self.variant.top or said]\n",
         "class Cups:": "class Cups:\n    top: int = field(default=6, init=False, eq=False)"},
        DRAWN, r"seat \d can tell"),
    "an error says the dice": Bug(
        {BIDS: BIDS.replace("(table)", "(table, rolled)"),
         "bids(self, table: Table)": "bids(self, table: Table, rolled: Any)",
         "Say(OneOf(may)": "Say(Telling.of(may, rolled)",
         "class Say(": """class Telling(OneOf):
    @classmethod
    def of(cls, may, rolled):
        made = cls(may)
        made.rolled = rolled
        return made

    def read(self, answer):
        try:
            return super().read(answer)
        except IllegalAnswerError:
            raise IllegalAnswerError(f"not with {self.rolled}") from None


class Say(""",
         "from arena import Bot": "from arena import IllegalAnswerError, Bot"},
        DRAWN, r"seat \d can tell, by an error.*not with"),
    "what is shown is not said to be revealed": Bug(
        {"reveals=(Shown,)": "reveals=()"}, DRAWN, r"shown .*Secrecy\.reveals"),
    "all dice are announced, and the rolling is said to reveal": Bug(
        {"reveals=(Shown,)": "reveals=(Rolled, Shown)",
         BIDS: f"        {SAY.format('rolled')}\n{BIDS}"}, KEPT, r"seat \d can tell.*just before"),
    "the sum is announced before the rolling, which is said to reveal": Bug(
        {"reveals=(Shown,)": "reveals=(Rolled, Shown)",
         TELL: f"        {SAY.format('sum(map(sum, rolled))')}\n{TELL}"},
        KEPT, r"seat \d can tell.*just before"),
    "nothing is said to be hidden": Bug(
        {}, "hidden_information", r"only seat \d is told Rolled",
        {"nothing_hidden": True}),
}  # fmt: skip

CHANCES = {
    "dice of the module": Bug(
        {ROLL: ROLL.replace("random", "__import__('random')", 1)}, CHANCE, "`random.*of the module"),
    "dice of their own": Bug({ROLL: ROLL.replace("random", "Random()", 1)}, CHANCE, "without a seed"),
    "dice by the clock": Bug(
        {ROLL: "1 + int(__import__('time').time() * 1e6) % 6 for"}, CHANCE, r"a clock, `time\.time`"),
    "dice by a hash": Bug(
        {ROLL: "1 + hash(str(random.random())) % 6 for"}, SETS, "another interpreter.*a hash"),
    "bids in the order of a set": Bug(
        {EVERY: EVERY.replace("[f", "[*{f").replace("]", "}]")},
        SETS, "another interpreter"),
    "the order of a set with three seats": by_order("len(self.dice) > 2"),
    "the order of a set with an option": by_order("self.variant.dice > 2"),
    "the order of a set with four seats and an option": by_order(
        "len(self.dice) > 3 and self.variant.dice > 1"),
    "the order of a set decides a score": Bug(
        {"else len(self.out) for at in seats)": "else len(self.out) + self.bonus(at) for at in seats)",
         "    async def round(": "    def bonus(self, at: int) -> float:\n"
         "        names = {f'{one}' for one in range(len(self.dice))}\n"
         "        return 0.5 if self.over and next(iter(names)) == str(at) else 0\n\n    async def round("},
        SETS, r"another interpreter sends scores: .* instead of scores: "),
    "a wire says a set": Bug(
        {"{' | '.join(map(shown, dice))}": "{' | '.join({*map(shown, dice)})}"},
        SETS, "another interpreter sends shown .* instead of shown "),
    "a narrator says a set": Bug(
        {'each = self.phrases.list_values(shown(own) or "nothing" for own in dice)':
             "each = ', '.join({shown(own) for own in dice})"},
        SETS, "another interpreter sends The cups are lifted"),
    "a count beside the position": Bug(
        {"class CupsPosition:": "class CupsPosition:\n    games = []",
         BIDS: f"        self.games.append(1)\n        table.announce(Lost(len(self.games)))\n{BIDS}"},
        AGAIN, "a second run went differently|not always end alike"),
}  # fmt: skip

QUESTION = 'Say(OneOf(("ok",)))'
AWAITS = {
    "ask_all is not awaited": Bug(
        {BIDS: f"        table.ask_all({{0: {QUESTION}}})\n{BIDS}"},
        AWAITED, r"table\.ask_all \(Say\) was never awaited.*`await` missing"),
    "ask is not awaited": Bug(
        {BIDS: f"        table.ask(0, {QUESTION})\n{BIDS}"},
        AWAITED, r"table\.ask \(Say\) was never awaited.*`await` missing"),
    "a part of the round is not awaited": Bug(
        {BIDS: f"        self.bids(table)\n{BIDS}"}, AWAITED, "bids.*never awaited"),
}  # fmt: skip

LINES = {
    "an event has no line": Bug(
        {LOST: ""}, "every_event_has_a_line", r"text: nobody is sent a line for Lost.*silent=\(Lost"),
    "who is asked is sent nothing": Bug(
        {'return (f"say {self.bid}",)': "return ()", "case Rolled(dice):\n                return (": (
            "case Rolled(dice):\n                return () and ("),
         'return (f"said {seat} {what}",)': "return ()", 'return (f"lost {seat}",)': "return ()"},
        "every_question_follows_a_line", r"text: seat \d must answer Say"),
    "an event is described as the question": Bug(
        {"case Lost(seat):\n                yield": "case Rolled():\n                yield",
         "case Say():": "case Say() | Lost():"},
        "events_and_questions_have_different_descriptions", "Lost.*same description as a question.*What do you say"),
    "an event is described by nothing": Bug(
        {"yield f\"{clause('lose', seat)} a die.\"": 'yield ""'},
        "descriptions_are_in_words", "Lost.*empty description"),
    "a line is read by hope": Bug(
        {"        return line\n\n    def say": "        return int(line[0]) and line\n\n    def say"},
        "garbage_is_malformed_or_illegal", "(Index|Value)Error: "),
    "a line is said otherwise": Bug(
        {"return str(answer)": "return str(answer).upper()"},
        "answers_survive_a_round_trip", "is written as .* refused"),
    "an event is not listed": Bug(
        {"Shown, Lost, Say)": "Shown, Say)"},
        "messages_survive_a_round_trip", "Lost is not among the game's"),
    "an event is changed after it was told": Bug(
        {"    what: str\n": "    what: __import__('typing').Any\n", "Spoke(seat, what)": "Spoke(seat, heard)",
         MAY: MAY + "            heard = self.heard\n",
         "            said.append((seat, what))": (
             "            said.append((seat, what))\n            self.heard.append(what)"),
         "class CupsPosition:": "class CupsPosition:\n    heard = []"},
        "messages_survive_a_round_trip", "was changed after it was told|is read as"),
}  # fmt: skip

KEEP = "                self.bid = what\n"
STALE = {
    "a wire keeps the first bid": Bug(
        {KEEP: '                self.bid = what if self.bid == "none" else self.bid\n'},
        AGAIN_SAID, r"text: seat \d is sent 'say .*' after Spoke.*follows from Spoke.*keeps=\(Spoke,\)"),
    "a wire is one bid late": Bug(
        {KEEP: "                self.bid, self.late = self.late, what\n",
         'self.seat, self.bid = seat, "none"': 'self.seat, self.bid, self.late = seat, "none", "none"'},
        AGAIN_SAID, "is sent 'say .*follows from Spoke"),
    "a wire keeps what was asked first after each number of bids": Bug(
        {'return (f"say {self.bid}",)':
             "self.kept = getattr(self, 'kept', self.bid) if self.bid != 'none' else 'none'\n"
             '        return (f"say {self.kept}",)'},
        AGAIN_SAID, "is sent 'say .*follows from Spoke"),
    "all wires of a process keep one bid": Bug(
        {KEEP: "                Lines.bid = what\n", '                self.bid = "none"\n':
             '                Lines.bid = "none"\n', 'self.seat, self.bid = seat, "none"':
             "self.seat = seat", 'says the last bid again."""': 'says the last bid again."""\n\n'
             '    bid = "none"'},
        OTHER_MATCH, "while another match is played|not always end alike"),
}  # fmt: skip

RULES = {
    "the default is illegal": Bug(
        {"default=LIAR if said else may[0]": "default=LIAR"},
        "defaults_and_draws_are_legal", "'liar' is the default answer, but refused"),
    "any text is taken": Bug(
        {"Say(OneOf(may)": "Say(Any_(may)", "class Say(": """class Any_(OneOf):
    def read(self, answer):
        return answer if isinstance(answer, str) else super().read(answer)


class Say("""}, OPTIONS, "is accepted, but not listed"),
    "a bid is listed twice": Bug(
        {"return [*every[": "return [every[-1], *every["}, OPTIONS, "a choice is listed twice"),
    "a position can be changed": Bug(
        {"@frozen\nclass CupsPosition": "@define(hash=True)\nclass CupsPosition",
         "import evolve,": "import define, evolve,"},
        "positions_are_frozen_data", "a CupsPosition can be changed"),
    "a position has a list": Bug(
        {"return evolve(self, dice=dice, first=loser)":
             "return evolve(self, dice=[*dice], first=loser)"},
        "positions_are_frozen_data", "unhashable type: 'list'"),
    "nobody loses a die": Bug(
        {"count - (at == loser) for": "count for"}, "every_game_ends", "the game has not ended"),
    "a seat has no score": Bug(
        {"else len(self.out) for at in seats)": "else len(self.out) for at in seats[1:])"},
        "scores_are_complete", r"are \d for \d seats"),
    "no score is a number": Bug(
        {"else len(self.out) for at": 'else float("nan") for at'}, "scores_are_complete", "contain nan"),
    "three seats fail": Bug(
        {BIDS: f"        assert self.dice != (2, 2, 2), 'three'\n{BIDS}"},
        "every_number_of_seats_works", "three"),
    "an option fails": Bug(
        {BIDS: f"        assert self.variant.dice < 3, 'many dice'\n{BIDS}"},
        "every_option_works", "many dice"),
    "a bot bids what it may not": Bug(
        {"return lowest if lowest != LIAR and": 'return "9x9" if lowest != LIAR or'},
        "bots_play_without_fault", "the bot timid fails: illegal"),
    "a bot is moody": Bug(
        {"return question.options.draw(self.random)": "return question.options.draw(Random())"},
        "bots_play_without_fault", "plays differently each time"),
}  # fmt: skip

OF_THE_AUTHOR = {
    "the first out wins": Bug(
        {"return tuple(self.out.index(at) if at in self.out else len(self.out) for at in seats)":
             "return tuple(-self.out.index(at) if at in self.out else -9 for at in seats)"},
        OWN, "test_the_last_with_dice_wins"),
    "who is out is asked": Bug(
        {"return next(at for at in order if self.dice[at])": "return order[0]"},
        OWN, "test_a_seat_that_is_out"),
    "who is out is told": Bug(
        {"enumerate(self.dice) if count]": "enumerate(self.dice)]"}, OWN, "test_a_seat_that_is_out"),
    "a seat is told another's dice for its own": Bug(
        {"Rolled(rolled[seat])": "Rolled(rolled[seat - 1])"}, OWN, "test_each_seat_is_told"),
}  # fmt: skip

BUGS: dict[str, Bug] = {**LEAKS, **CHANCES, **AWAITS, **LINES, **STALE, **RULES, **OF_THE_AUTHOR}
"""All of them by name."""
