"""The contract for games: derive a test class, name the game, and it has some thirty tests.

    class TestMine(Contract):
        game = GAME
        golden = Path(__file__).parent / "golden"

Hypothesis makes the games that are tried: options, seats, seed and answers. It makes the same
ones each time; `arena fuzz` tries others.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import ClassVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from arena.errors import in_words
from arena.game import Game
from arena.testing import golden as playthroughs
from arena.testing import hosted, learning, rules, secrecy, secrets, wires
from arena.testing.cases import Case, Options, seats_of
from arena.testing.elsewhere import other_interpreters_agree
from arena.testing.laws import Law
from arena.testing.patience import Endless, patience
from arena.testing.secrets import Secret
from arena.testing.strategies import allowed, cases, each_option

__tracebackhide__ = True  # pytest shows the law that was broken, and not what called it

MANY = 12  # cases that are also played in other interpreters


class Contract:
    """What every game holds to. Say which game; all else has a sense as it stands.

    `golden` is the folder of the playthroughs. `always` are options of all games that are
    tried, such as one that makes them shorter; `options` are sets of options that cannot be
    made out from the variant; `secrets` are moves that come to light later; `nothing_hidden`
    says that all see all; `examples` is how many games each test tries; `patience` is how many
    seconds of the processor one of them may take before it is called endless.
    """

    game: ClassVar[Game]
    golden: ClassVar[Path | None] = None
    always: ClassVar[Options] = {}
    options: ClassVar[Sequence[Options]] = ()
    secrets: ClassVar[Sequence[Secret]] = ()
    nothing_hidden: ClassVar[bool] = False
    examples: ClassVar[int] = 25
    patience: ClassVar[float] = 10.0

    endless: ClassVar[str] = ""  # what was found out about the game, so that it costs but once

    def _cases(self) -> SearchStrategy[Case]:
        for options in ({}, *self.options):  # what the variant refuses would never be tried
            self.game.read_variant({**options, **self.always})
        return cases(self.game, self.always, self.options)

    def _hold(self, law: Law) -> None:
        """Hold the game to a law in many cases."""

        @settings(
            max_examples=self.examples, deadline=None, database=None, derandomize=True,
            report_multiple_bugs=False,
            phases=[Phase.explicit, Phase.generate, Phase.shrink],
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )  # fmt: skip
        @given(case=self._cases())
        def holds(case: Case) -> None:
            self._try(law, case)

        with self._noting_endless():
            try:
                holds()
            except Flaky as problem:
                raise AssertionError(
                    "the same case does not go on alike each time: something else than its seed"
                    f" and answers decides; {in_words(problem)}"
                ) from problem

    def _try(self, law: Law, case: Case) -> None:
        """Hold the game to a law in one case, for some time; raise Endless when that is up."""
        try:
            with patience(self.patience):
                law(self.game, case)
        except Endless as problem:
            longer = f"if it only takes long, say `patience = {6 * self.patience:g}`"
            raise Endless(f"{problem} ({case}); {longer}") from None

    @contextmanager
    def _noting_endless(self) -> Iterator[None]:
        """Try a game that has once been found endless no more: all its tests fail at once."""
        known = type(self).endless
        assert not known, f"the game has no end: {known}"
        try:
            yield
        except Endless as problem:
            type(self).endless = str(problem)
            raise AssertionError(str(problem)) from None

    def _hold_plainly(self, law: Law, plain: Sequence[Case]) -> None:
        """Hold the game to a law in these cases."""
        with self._noting_endless():
            for case in plain:
                try:
                    self._try(law, case)
                except Exception as problem:
                    problem.add_note(f"in {case}")
                    raise

    def _plain(self) -> list[Case]:
        """Give a case for each number of seats, with no options but those of all cases."""
        return [Case(self.always, seats) for seats in seats_of(self.game)]

    def _each_option(self) -> list[Case]:
        """Give a case for each value of each option, with the fewest and with more seats."""
        some = [
            Case({name: value, **self.always}, seats)
            for seats in {self.game.seats[0], seats_of(self.game)[-1]}
            for name, values in each_option(self.game).items()
            for value in values
        ]
        return [case for case in some if allowed(self.game, case.options)]

    def test_it_ends(self) -> None:
        """Whoever answers what, the game is over at some point."""
        self._hold(rules.it_ends)

    def test_every_number_of_seats_works(self) -> None:
        """The game is played to its end by as many as it says it is for."""
        every = [Case(self.always, seats) for seats in self.game.seats]
        self._hold_plainly(rules.scores_are_complete, every)

    def test_every_option_works(self) -> None:
        """The game is played to its end with each value of each option."""
        self._hold_plainly(rules.scores_are_complete, self._each_option())

    def test_everything_is_awaited(self) -> None:
        """No part of the rules is forgotten for want of an `await`."""
        self._hold(rules.everything_is_awaited)

    def test_scores_are_complete(self) -> None:
        """There is a finite score for each seat after every round."""
        self._hold(rules.scores_are_complete)

    def test_outcomes_are_complete(self) -> None:
        """A match of sound players is finished, and its places follow from the scores."""
        self._hold(hosted.outcomes_are_complete)

    def test_seed_and_answers_determine_the_game(self) -> None:
        """The same seed and the same answers give the same game."""
        self._hold(rules.nothing_but_seed_and_answers_counts)

    def test_all_chance_comes_from_the_table(self) -> None:
        """Rules ask neither the module `random` nor a clock."""
        self._hold(rules.chance_comes_from_the_table)

    def test_the_order_of_sets_does_not_matter(self) -> None:
        """Other interpreters, whose hashes differ, tell and ask the same."""
        some = [*self._plain(), *self._each_option()[:MANY]]
        with self._noting_endless():
            other_interpreters_agree(self.game, some, self.patience)

    def test_illegal_answers_are_refused_and_change_nothing(self) -> None:
        """Junk is refused with a reason, and the play is as it was."""
        self._hold(rules.illegal_answers_are_refused)

    def test_defaults_and_draws_are_legal(self) -> None:
        """The options allow the default answer and what they draw."""
        self._hold(rules.defaults_and_draws_are_legal)

    def test_options_contain_what_they_list(self) -> None:
        """Options that list themselves have in them what they list and draw."""
        self._hold(rules.options_contain_what_they_list)

    def test_clones_go_on_alike(self) -> None:
        """A copy, also one made from the key, goes on as the play does."""
        self._hold(rules.clones_go_on_alike)

    def test_positions_are_frozen_data(self) -> None:
        """A position cannot be changed, and can be hashed."""
        self._hold(rules.positions_are_frozen)

    def test_answers_are_data(self) -> None:
        """Answers can be hashed."""
        self._hold(rules.answers_are_data)

    def test_variants_survive_being_written(self) -> None:
        """A variant is read from its options as it was."""
        self._hold(rules.variants_are_data)

    def test_messages_survive_their_lines(self) -> None:
        """All events and questions are listed, and are read from JSON as they were."""
        self._hold(wires.messages_survive_their_lines)

    def test_answers_survive_their_lines(self) -> None:
        """On every wire, and typed by a person, an answer is read as what it was."""
        self._hold(wires.answers_survive_their_lines)

    def test_garbage_is_malformed_or_illegal(self) -> None:
        """Whatever line comes, a codec gives an answer or raises Malformed."""
        self._hold(wires.garbage_is_malformed_or_illegal)

    def test_lines_come_in_any_pieces(self) -> None:
        """A line that comes byte by byte is the same as one that comes whole."""
        self._hold(wires.lines_come_in_any_pieces)

    def test_people_are_told_in_words(self) -> None:
        """Each event and question is described."""
        self._hold(wires.people_are_told_in_words)

    def test_a_match_survives_its_players(self) -> None:
        """Players that fail do not keep the others' game from its end."""
        self._hold(hosted.a_match_survives_its_players)

    def test_transcripts_are_verified_and_shown(self) -> None:
        """What was recorded is what the rules say, and can be replayed for everybody."""
        self._hold(hosted.transcripts_hold)

    def test_other_transcripts_are_refused(self) -> None:
        """What the rules do not say is not verified."""
        self._hold(hosted.other_transcripts_are_refused)

    def test_what_is_named_is_there(self) -> None:
        """The demonstration and the situations can be played, by the game's own bots."""
        hosted.the_demonstration_can_be_played(self.game)
        hosted.situations_can_be_played(self.game)

    def test_bots_play_without_fault(self) -> None:
        """The game's own bots give legal answers in every seat, the same each time."""
        self._hold_plainly(hosted.bots_play_without_fault, self._plain())

    def test_the_deal_tells_nothing(self) -> None:
        """What is hidden is hidden in positions: all that is told is told in a round."""
        self._hold(secrecy.the_deal_tells_nothing)

    def test_no_seat_can_tell_another_position(self) -> None:
        """Nobody is sent anything that depends on what they may not know."""
        self._hold(secrecy.no_seat_can_tell_another_position)

    def test_no_seat_can_tell_in_a_round(self) -> None:
        """Not even behind its own answers, but for what the game says it reveals."""
        self._hold(secrecy.no_seat_can_tell_in_a_round)

    def test_another_position_is_another(self) -> None:
        """The relation by which secrecy is tested does not say that nothing is hidden."""
        if self.nothing_hidden:
            self._hold(secrecy.nothing_is_hidden)
        else:
            with self._noting_endless():
                secrecy.something_is_hidden(self.game, self._cases(), self.patience)

    def test_sealed_answers_are_sealed(self) -> None:
        """While several are asked, nobody is sent what the others have answered."""
        self._hold(secrecy.sealed_answers_are_sealed)

    def test_secrets_are_kept(self) -> None:
        """Moves that come to light later do so no sooner."""
        for secret in self.secrets:
            secrets.keeps(self.game, secret)

    def test_actions_hold_all_answers(self) -> None:
        """The list of actions, if there is one, holds whatever may be answered."""
        self._hold(learning.actions_hold_all_answers)

    def test_encodings_are_figures(self) -> None:
        """The encoding, if there is one, gives as many figures each time, from 0 to 1."""
        self._hold(learning.encodings_are_figures)

    def test_golden_playthroughs(self) -> None:
        """There is a playthrough for each number of seats, and the game still goes so."""
        words = [f"-o {name}={value}" for name, value in self.always.items()]
        write = f"write it by: arena golden {self.game.name} {' '.join(words)}".rstrip()
        assert self.golden, (
            'say where the playthroughs are: golden = Path(__file__).parent / "golden"'
        )
        lacking = playthroughs.missing(self.game, self.golden)
        assert not lacking, (
            f"there is no playthrough for {lacking} seats;"
            f" {write} --into {shlex.quote(str(self.golden))}"
        )
        for seats in seats_of(self.game):
            file = playthroughs.path(self.game, self.golden, seats)
            with self._noting_endless(), patience(self.patience):
                now = playthroughs.playthrough(self.game, playthroughs.read(file))
            lines = zip_longest(file.read_text("utf-8").splitlines(), now.splitlines())
            for at, (kept, line) in enumerate(lines, 1):
                assert kept == line, (
                    f"{file.name}, line {at}: {kept!r} is {line!r} now; if that is meant, {write}"
                )
