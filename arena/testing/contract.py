"""The contract for games: derive a test class, name the game, and get a test for each law.

    class TestMine(Contract):
        game = GAME
        golden = Path(__file__).parent / "golden"

Hypothesis generates the games that are tried: options, seats, seed and answers. It generates the
same ones each time; `arena fuzz` tries others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.rules import describe_error, describe_error_with_line
from arena.testing import golden as playthroughs
from arena.testing.harness.cases import Case, CpuLimitExceededError, Options, cpu_limit
from arena.testing.harness.hypothesis_strategies import draw_cases, find_untried_option
from arena.testing.law import Check
from arena.testing.laws import hosted_matches, noninterference, secret_answers, wires
from arena.testing.laws.registry import LAWS
from arena.testing.laws.rules import every_game_ends
from arena.testing.laws.secret_answers import SecretAlternatives

if TYPE_CHECKING:  # pytest takes long to import, and `arena fuzz` has no use for it
    import pytest

PHASES = (Phase.explicit, Phase.generate, Phase.shrink)
__tracebackhide__ = True  # pytest shows the law that was broken, and not what called it


class Contract:
    """The contract that every game fulfils: name the game; all other settings have defaults.

    `game` is the game; `golden` is the folder of the playthroughs. `fixed_options` are options of
    all games that are tried, such as one that makes them shorter; `option_sets` are further
    options that cannot be derived from the variant; `secrets` are moves that are revealed later;
    `nothing_hidden` says that everybody sees everything; `max_examples` is the number of games
    that each test tries; `cpu_limit_seconds` is the processor time that one of them may take
    before it counts as endless.
    """

    game: ClassVar[Game]
    golden: ClassVar[Path | None] = None
    fixed_options: ClassVar[Options] = {}
    option_sets: ClassVar[Sequence[Options]] = ()
    secrets: ClassVar[Sequence[SecretAlternatives]] = ()
    nothing_hidden: ClassVar[bool] = False
    max_examples: ClassVar[int] = 25
    cpu_limit_seconds: ClassVar[float] = 10.0

    unplayable_reason: ClassVar[str] = ""  #: set once, so that one test reports it

    def _cases(self) -> SearchStrategy[Case]:
        for options in (
            {},
            *self.option_sets,
        ):  # options that the variant refuses would never be tried
            self.game.read_variant({**options, **self.fixed_options})
        return draw_cases(self.game, self.fixed_options, self.option_sets)

    def _list_option_cases(self) -> list[Case]:
        """Return a case with other options than the defaults, and one for each set of options.

        Hypothesis draws few cases, and may draw an option in none of them.
        """
        other = playthroughs.choose_other_options(self.game, self.fixed_options)
        return [
            Case({**options, **self.fixed_options}, self.game.seats[0])
            for options in (other, *self.option_sets)
            if options
        ]

    def _check_law(self, law: Check) -> None:
        """Check the game against a law in many cases."""

        @settings(
            max_examples=self.max_examples, deadline=None, database=None, derandomize=True,
            report_multiple_bugs=False,
            phases=PHASES,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )  # fmt: skip
        @given(case=self._cases())
        def holds(case: Case) -> None:
            self._check_case(law, case)

        try:
            holds()
            self._check_cases(law, self._list_option_cases())
        except Flaky as problem:
            raise AssertionError(
                "the same case does not always end alike, so it depends on more than its seed"
                f" and answers: {describe_error(problem)}"
            ) from problem

    def _check_case(self, law: Check, case: Case) -> None:
        """Check the game against a law in one case; raise CpuLimitExceededError when time is up."""
        try:
            with cpu_limit(self.cpu_limit_seconds):
                law(self.game, case)
        except CpuLimitExceededError as problem:
            longer = (
                "if it is only slow, set, in the test class,"
                f" `cpu_limit_seconds = {6 * self.cpu_limit_seconds:g}`"
            )
            raise CpuLimitExceededError(f"{problem} ({case}); {longer}") from None

    @contextmanager
    def _skip_if_unplayable(self, law: str = "") -> Iterator[None]:
        """Skip a test of a game that cannot be played to its end, and note if this is found now.

        Whatever fails while a game is played would fail in most tests alike, and hide the one
        that says it most simply: the law that every game ends, which comes first.
        """
        known = type(self).unplayable_reason
        if known and law != every_game_ends.name:
            import pytest

            pytest.skip(f"the game cannot be played to its end: {known}")
        try:
            yield
        except CpuLimitExceededError as problem:
            type(self).unplayable_reason = str(problem)
            raise AssertionError(str(problem)) from None
        except Exception as problem:
            if law == every_game_ends.name:
                reason = describe_error_with_line(problem)
                type(self).unplayable_reason = f"{reason} (see test_law[{law}])"
            raise

    def _check_cases(self, law: Check, some: Sequence[Case]) -> None:
        """Check the game against a law in these cases."""
        for case in some:
            try:
                self._check_case(law, case)
            except Exception as problem:
                problem.add_note(f"in {case}")
                raise

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Generate a test for each law, with the law's name."""
        if "law" in metafunc.fixturenames:
            metafunc.parametrize("law", LAWS)

    def test_law(self, law: str) -> None:
        """The game fulfils the law: `LAWS[law].sentence`."""
        with self._skip_if_unplayable(law), LAWS[law].around(self.game):
            if (cases := LAWS[law].cases) is None:
                self._check_law(LAWS[law])
            else:
                self._check_cases(LAWS[law], cases(self.game, self.fixed_options))

    def test_options(self) -> None:
        """Each option is tried with a value other than its default."""
        with self._skip_if_unplayable():
            name = find_untried_option(self.game, self.fixed_options, self.option_sets)
            assert name is None, (
                f"{name}: only its default is tried; give its field in"
                f" {self.game.variant.__name__} bounds (validators.ge(1)), or name values in the"
                f" test class: option_sets = [{{{name!r}: ...}}]"
            )

    def test_demo_and_scenarios_are_playable(self) -> None:
        """The demo has bots that can play it, and each scenario can be played to its end."""
        with self._skip_if_unplayable():
            hosted_matches.check_demo(self.game)
            hosted_matches.check_scenarios(self.game)

    def test_hidden_information(self) -> None:
        """Something is hidden, or declared not to be."""
        with self._skip_if_unplayable():
            if self.nothing_hidden:
                self._check_law(noninterference.check_perfect_information)
            else:
                noninterference.check_hidden_information(
                    self.game, self._cases(), self.cpu_limit_seconds
                )

    def test_delayed_reveals(self) -> None:
        """Moves that are revealed later are not revealed sooner."""
        with self._skip_if_unplayable():
            for secret in self.secrets:
                secret_answers.check_secret(self.game, secret)

    def test_narration(self) -> None:
        """Somebody reads of each event sooner or later, or it is declared silent."""
        with self._skip_if_unplayable(), cpu_limit(self.cpu_limit_seconds):
            wires.check_narration(self.game, self.fixed_options)

    def test_golden_playthroughs(self) -> None:
        """Playthroughs for each number of seats and with other options exist, and still hold."""
        where = 'golden = Path(__file__).parent / "golden"'
        assert self.golden, f"set the folder of the playthroughs: {where}"
        with self._skip_if_unplayable():
            playthroughs.check_playthroughs(
                self.game, self.golden, self.fixed_options, self.cpu_limit_seconds
            )
