"""Running a tune file: from its present state to its end, or looking at it without playing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from attrs import evolve, frozen

from arena.rules import UserError
from arena.sandbox import Sandbox
from arena.tuning.match_player import Cast, MatchPlayer, open_player, prepare_cast
from arena.tuning.plan import Generation, RunDescription, TuningTerms
from arena.tuning.scores import MatchResults
from arena.tuning.stages import Course, IncompleteError, Step
from arena.tuning.trial_store import CandidateMatch, TrialStore
from arena.tuning.tune_file import TuneSpec
from arena.wires import converter, dump, read

DESCRIPTION = "description"  # the fact that is read to look at a run
SETTINGS = "settings"

LIBRARIES = {"cma": ("cmaes", "numpy", "scipy"), "spsa": ("numpy",)}
"""The libraries on whose versions the candidates depend, by method."""


class TuningMonitor(Protocol):
    """Sees a run."""

    def on_generation(self, generation: Generation, done: int) -> None:
        """See how many matches of a generation are done."""

    def on_step(self, course: Course, step: Step) -> None:
        """See a generation that is complete."""


@frozen
class RunState:
    """A run as far as it has come."""

    course: Course
    verdicts: Mapping[str, int]  #: of candidates, by kind
    void: int  #: matches that do not count
    seconds: float  #: of all matches together


def run(
    spec: TuneSpec, monitor: TuningMonitor, workers: int | None, sandbox: Sandbox | None
) -> RunState:
    """Begin a run, or continue it, to its end; raise UserError where it is another one."""
    with TrialStore.open(str(spec.database), write=True) as store:
        spec = _continue_budgets(store, spec)
        cast = prepare_cast(spec, sandbox)
        _check_facts(store, spec, _collect_facts(spec, cast))
        store.drop_void_trials()
        with open_player(cast, workers) as player:
            play = partial(_play_missing, store, player, monitor)
            return _follow(spec.terms, store, play, monitor.on_step)


def read_stored_run(database: Path) -> tuple[RunDescription, RunState]:
    """Read a run from its database alone, without its file or its bots; raise UserError.

    No bot's code is run for it, and none is needed.
    """
    with TrialStore.open(str(database), write=False) as store:
        run = _read_description(store)
        if run is None:
            raise UserError(f"{database.name}: the run has not begun, or by an older version")
        return run, _read_run(store, run.terms)


def _read_description(store: TrialStore) -> RunDescription | None:
    stored = store.read_facts().get(DESCRIPTION)
    return None if stored is None else read(json.loads(stored), RunDescription)


def _read_run(store: TrialStore, terms: TuningTerms) -> RunState:
    return _follow(terms, store, partial(_read_complete, store), lambda _, __: None)


def _continue_budgets(store: TrialStore, spec: TuneSpec) -> TuneSpec:
    """Return a file with the budgets that its run has spent; a raised one is stored.

    Raises UserError where the budget is raised in the middle of a run: what was planned before
    would change its meaning.
    """
    run = _read_description(store)
    if run is None:
        return spec
    old = run.terms
    if spec.terms.matches <= old.matches:
        return evolve(spec, terms=evolve(spec.terms, earlier=old.earlier))
    same = evolve(spec.terms, matches=old.matches, earlier=old.earlier)
    if evolve(spec.description, terms=same) != run:
        return spec  # something else has changed, too, which is reported
    if _read_run(store, old).course.conclusion is None:
        raise UserError(
            f"{spec.database.name}: the run has not finished; finish it with matches ="
            f" {old.matches}, and raise them then"
        )
    spec = evolve(spec, terms=evolve(spec.terms, earlier=(*old.earlier, old.matches)))
    store.replace_facts(
        {DESCRIPTION: converter.unstructure(spec.description), SETTINGS: spec.facts}
    )
    return spec


def _follow(
    terms: TuningTerms,
    store: TrialStore,
    play: Callable[[Generation], MatchResults],
    on_step: Callable[[Course, Step], None],
) -> RunState:
    course = Course(terms, play, lambda step: on_step(course, step))
    course.run()
    return RunState(course, store.count_verdicts(), store.count_void(), store.sum_seconds())


def _play_missing(
    store: TrialStore, player: MatchPlayer, monitor: TuningMonitor, generation: Generation
) -> MatchResults:
    """Play the matches that are not stored, store them, and return the results of all."""
    store.check_generation(generation, write=True)
    found = store.read_trials(generation.number)
    done = {(trial.candidate, trial.pairing) for trial in found}
    monitor.on_generation(generation, len(done))
    if len(done) < generation.matches:
        for played in player.play(generation, done):
            store.add_trials(played)
            found += played
            monitor.on_generation(generation, len(found))
    return collect_results(generation, found)


def _read_complete(store: TrialStore, generation: Generation) -> MatchResults:
    """Return the results of a generation; raise IncompleteError where matches are missing."""
    if not store.check_generation(generation, write=False):
        raise IncompleteError
    found = store.read_trials(generation.number)
    if len(found) < generation.matches:
        raise IncompleteError
    return collect_results(generation, found)


def collect_results(generation: Generation, found: Iterable[CandidateMatch]) -> MatchResults:
    """Return the results of matches that were played."""
    shape = (len(generation.candidates), len(generation.pairings))
    scores, margins = np.full(shape, np.nan), np.full(shape, np.nan)
    for trial in found:
        place = trial.candidate, trial.pairing
        if trial.score is None:
            continue
        scores[place] = trial.score
        points = [] if trial.points is None or trial.verdict else json.loads(trial.points)
        if len(points) == 2:  # noqa: PLR2004  # a margin is one between two
            seat = generation.pairings[trial.pairing].rotation
            margins[place] = points[seat] - points[1 - seat]
    return MatchResults(scores, margins)


def _collect_facts(spec: TuneSpec, cast: Cast) -> dict[str, Any]:
    return {
        DESCRIPTION: converter.unstructure(spec.description),
        SETTINGS: spec.facts,
        "bot": cast.version,
        "opponents": dict(zip(spec.opponents, cast.versions, strict=True)),
        "libraries": {name: version(name) for name in LIBRARIES[spec.file.method.name]},
    }


def _check_facts(store: TrialStore, spec: TuneSpec, now: Mapping[str, Any]) -> None:
    """Store the facts of a new run; raise UserError where those of an old one differ."""
    stored = store.read_facts()
    if stored:
        _check_changes(stored, spec, now)
    else:
        store.add_facts(now)


def _check_changes(stored: Mapping[str, str], spec: TuneSpec, now: Mapping[str, Any]) -> None:
    changed = [
        name
        for name, value in now.items()
        if stored.get(name) != dump(value) and name != DESCRIPTION  # which follows from the others
    ]
    if changed:
        raise UserError(
            f"{spec.database.name}: changed since this run began: {', '.join(changed)}; restore"
            f" that, or move {spec.database.name} away to begin anew"
        )
