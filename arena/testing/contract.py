"""The contract for games: derive a test class, name the game, and it has some thirty tests.

    class TestMine(Contract):
        game = GAME
        golden = Path(__file__).parent / "golden"

Hypothesis makes the games that are tried: options, seats, seed and answers. It makes the same
ones each time; `arena fuzz` tries others.
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
from arena.rules import in_words
from arena.testing import golden as playthroughs
from arena.testing import hiding, hosted, secrets
from arena.testing.cases import Case, Options
from arena.testing.cpu_limit import CpuLimitExceeded, cpu_limit
from arena.testing.law import Check
from arena.testing.laws import LAWS
from arena.testing.secrets import Secret
from arena.testing.strategies import cases

if TYPE_CHECKING:  # pytest takes long to import, and `arena fuzz` has no use for it
    import pytest

__tracebackhide__ = True  # pytest shows the law that was broken, and not what called it


class Contract:
    """What every game holds to. Say which game; all else has a sense as it stands.

    `game` is the game; `golden` is the folder of the playthroughs. `always` are options of all
    games that are tried, such as one that makes them shorter; `options` are sets of options that
    cannot be made out from the variant; `secrets` are moves that come to light later;
    `nothing_hidden` says that all see all; `examples` is how many games each test tries;
    `cpu_limit` is how many seconds of the processor one of them may take before it is called
    endless.
    """

    game: ClassVar[Game]
    golden: ClassVar[Path | None] = None
    always: ClassVar[Options] = {}
    options: ClassVar[Sequence[Options]] = ()
    secrets: ClassVar[Sequence[Secret]] = ()
    nothing_hidden: ClassVar[bool] = False
    examples: ClassVar[int] = 25
    cpu_limit: ClassVar[float] = 10.0

    endless: ClassVar[str] = ""  #: what was found out about the game, so that it costs but once

    def _cases(self) -> SearchStrategy[Case]:
        for options in ({}, *self.options):  # what the variant refuses would never be tried
            self.game.read_variant({**options, **self.always})
        return cases(self.game, self.always, self.options)

    def _hold(self, law: Check) -> None:
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

        try:
            holds()
        except Flaky as problem:
            raise AssertionError(
                "the same case does not go on alike each time: something else than its seed"
                f" and answers decides; {in_words(problem)}"
            ) from problem

    def _try(self, law: Check, case: Case) -> None:
        """Hold the game to a law in one case; raise CpuLimitExceeded when its time is up."""
        try:
            with cpu_limit(self.cpu_limit):
                law(self.game, case)
        except CpuLimitExceeded as problem:
            longer = f"if it only takes long, say `cpu_limit = {6 * self.cpu_limit:g}`"
            raise CpuLimitExceeded(f"{problem} ({case}); {longer}") from None

    @contextmanager
    def _noting_endless(self) -> Iterator[None]:
        """Try a game that has once been found endless no more: all its tests fail at once."""
        known = type(self).endless
        assert not known, f"the game has no end: {known}"
        try:
            yield
        except CpuLimitExceeded as problem:
            type(self).endless = str(problem)
            raise AssertionError(str(problem)) from None

    def _hold_in(self, law: Check, some: Sequence[Case]) -> None:
        """Hold the game to a law in these cases."""
        for case in some:
            try:
                self._try(law, case)
            except Exception as problem:
                problem.add_note(f"in {case}")
                raise

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of each law, named by it."""
        if "law" in metafunc.fixturenames:
            metafunc.parametrize("law", LAWS)

    def test_law(self, law: str) -> None:
        """What every game holds to: `LAWS[law].sentence`."""
        with self._noting_endless(), LAWS[law].around(self.game):
            if (cases := LAWS[law].cases) is None:
                self._hold(LAWS[law])
            else:
                self._hold_in(LAWS[law], cases(self.game, self.always))

    def test_what_is_named_is_there(self) -> None:
        """The demonstration and the situations can be played, by the game's own bots."""
        hosted.the_demonstration_can_be_played(self.game)
        hosted.situations_can_be_played(self.game)

    def test_another_position_is_another(self) -> None:
        """Something is hidden, or said not to be."""
        with self._noting_endless():
            if self.nothing_hidden:
                self._hold(hiding.nothing_is_hidden)
            else:
                hiding.something_is_hidden(self.game, self._cases(), self.cpu_limit)

    def test_secrets_are_kept(self) -> None:
        """Moves that come to light later do so no sooner."""
        for secret in self.secrets:
            secrets.keeps(self.game, secret)

    def test_golden_playthroughs(self) -> None:
        """There is a playthrough for each number of seats, and with other options; they hold."""
        where = 'golden = Path(__file__).parent / "golden"'
        assert self.golden, f"say where the playthroughs are: {where}"
        with self._noting_endless():
            playthroughs.agree(self.game, self.golden, self.always, self.cpu_limit)
