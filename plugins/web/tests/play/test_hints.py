"""A hint is computed from what its seat was told, and from nothing else."""

from __future__ import annotations

import pickle
import re
from typing import Any

import attrs
import pytest
from attrs import evolve

from arena import Hint, HintedAnswer, HintSource, InformationState, UserError, hookimpl
from arena.plugins import Plugins
from arena_web import hints
from arena_web.hints import add_search, find_hint_source
from arena_web.http.refusals import BusyError
from arena_web.http.sse import EventBroadcast
from arena_web.play.chairs import hint_queue
from arena_web.play.chairs.chair import Chair, OpenQuestion
from arena_web.play.chairs.hint_queue import HintQueue
from arena_web.play.match.table import PlayTable
from arena_web.play.seat_secrets import Secret
from arena_web.play.tables import PlayTables
from arena_web.protocol.replies import GivenHint
from tests.support.web.event_streams import run
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    get_ending,
    play_seat,
    seat_all,
)

SEED = "a canary in place of a seed"
HINTED = [
    pytest.param("hearts", 3, {"deals": 1}, id="hearts"),
    pytest.param("briscola", 1, {}, id="briscola"),
    pytest.param("bs", 2, {"max_turns": 30}, id="bs"),
    pytest.param("coup", 2, {}, id="coup"),
]


def play_with_states(
    game: str, bots: int, **options: Any
) -> tuple[PlayTable, int, list[OpenQuestion]]:
    """Play a match in a browser's seat; return the table, the seat, and what it knew each time."""
    found: list[OpenQuestion] = []
    tables: list[PlayTable] = []

    async def play() -> None:
        setup = evolve(build_setup(game, *["random"] * bots, **options), seed=SEED)
        table = seat_all(PlayTables(), setup)
        (chair,) = table.chairs.values()
        tables.append(table)
        await play_seat(table, chair, lambda ask: remember(chair, ask))

    def remember(chair: Chair, ask: dict[str, Any]) -> dict[str, Any]:
        assert chair.question
        assert chair.question.number == ask["n"]
        found.append(chair.question)
        return choose_first(ask)

    run(play)
    (table,) = tables
    return table, table.seating.spec.names.index("person0"), found


def list_told(table: PlayTable, seat: int) -> list[Any]:
    """Return the events that a seat was told, by the transcript."""
    from arena.records import parse_lines

    vocabulary = table.seating.spec.game.vocabulary
    lines = [line.value for line in parse_lines(get_ending(table).transcript.splitlines()).lines]
    return [
        vocabulary.unpack(line["event"])
        for line in lines
        if "event" in line and line.get("to") in (None, seat)
    ]


@pytest.mark.parametrize(("game", "bots", "options"), HINTED)
def test_a_hint_is_handed_what_its_seat_was_told(
    game: str, bots: int, options: dict[str, Any]
) -> None:
    """Each time it is the events for this seat so far: no hand of another one, and no seed."""
    table, seat, questions = play_with_states(game, bots, **options)
    told = list_told(table, seat)
    assert len(questions) > 1
    for question in questions:
        events = [*question.state.events]
        assert events == told[: len(events)]
        assert question.state.seat == seat
    everything = pickle.dumps(
        [attrs.asdict(question.state, filter=skip_game) for question in questions]
    )
    assert table.seating.spec.seed == SEED
    assert SEED.encode() not in everything
    others = list_private_to_others(table, seat)
    assert others
    junctures = [question.state.juncture for question in questions]
    seen = [event for question in questions for event in question.state.events]
    seen += [event for at in junctures for events in at.told for event in events]
    seen += [event for at in junctures for _, event in at.past]
    assert not [event for event in others if event in seen]


def skip_game(attribute: attrs.Attribute[Any], _: object) -> bool:
    """Whether a field is not the game, which holds functions that cannot be pickled."""
    return attribute.name != "game"


def list_private_to_others(table: PlayTable, seat: int) -> list[Any]:
    """Return the events that others were told in private."""
    own = list_told(table, seat)
    return [
        event
        for other in range(len(table.seating.spec.names))
        if other != seat
        for event in list_told(table, other)
        if event not in own
    ]


@pytest.mark.parametrize(
    ("game", "bots", "options"), [*HINTED, pytest.param("gops", 2, {}, id="gops")]
)
def test_a_bot_hints_at_a_legal_answer(game: str, bots: int, options: dict[str, Any]) -> None:
    """It is the same whenever it is asked for, and comes in the words of the game."""
    table, _, questions = play_with_states(game, bots, **options)
    source = table.hint_source
    assert source
    for question in questions:
        hint = source.compute_hint(question.state)
        (hinted,) = hint.answers
        assert question.state.question.options.read(hinted.answer) == hinted.answer
        assert source.compute_hint(question.state) == hint
        shown = GivenHint.of(source, hint, question.say)
        assert shown.source == "An expert bot"
        assert shown.answers[0].label == question.say(hinted.answer)
        assert re.fullmatch(r"([A-Z][^.!?\n]+(\.\d[^.!?\n]*)*\.( |$)){1,3}", hint.text)  # sentences
    assert get_ending(table).hint_counts == {}


class HintingPlugin:
    """A plugin with hints for GOPS, for tables of two alone."""

    @hookimpl
    def arena_hints(self) -> list[HintSource]:
        """Register the hints."""
        return [HintSource("gops", "Test", self.compute_hint, self.check_support)]

    def compute_hint(self, state: InformationState) -> Hint:
        """Hint at nothing that helps."""
        return Hint("Why not?", (HintedAnswer(state.seat),))

    def check_support(self, variant: object, seats: int) -> None:
        """Refuse more than two players."""
        if seats != len("ab"):
            raise UserError("two players only")


def test_plugins_hint_at_supported_variants_and_a_search_at_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A game has hints of itself; a plugin brings better ones, for what it supports."""
    plugins = Plugins(())
    plugins.manager.register(HintingPlugin())
    variant = build_setup("gops").variant
    monkeypatch.setattr(hints, "get_plugins", lambda: plugins)
    source = find_hint_source("gops", variant, 2)
    assert source
    assert source.title == "Test"
    assert find_hint_source("gops", variant, 3) is None
    assert add_search("gops", None).title == "A search"


def test_a_hint_counts_once_however_often_it_is_asked_for() -> None:
    """Two requests may come before the first is answered."""

    async def test() -> None:
        numbers: list[int] = []
        chair = Chair(
            "me",
            0,
            Secret("secret"),
            EventBroadcast(),
            on_hint=lambda: numbers.append(chair.hint_count),
        )
        for number in (1, 1, 2):
            chair.add_hint(number, GivenHint("Test", "Bid high.", []))
        assert numbers == [1, 2]

    run(test)


def test_too_many_people_who_wait_for_hints_are_told_to_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A busy server refuses a request and computes nothing for it."""
    monkeypatch.setattr(hint_queue, "MAX_WAITING", 0)
    _, _, questions = play_with_states("briscola", 1)
    source = HintSource("briscola", "Test", HintingPlugin().compute_hint)

    async def ask() -> None:
        with pytest.raises(BusyError) as refused:
            await HintQueue().find(source, questions[0])
        assert refused.value.retry_seconds

    run(ask)
