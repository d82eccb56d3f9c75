"""What seats of language models cost and come to, with scripted models behind a real endpoint.

python -m benchmarks.models prints whole matches of each game, what an answer costs beyond its call,
what comes of each fault, and the exact yardsticks of bots whose figures are known.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from arena import RandomBot, UserError
from arena.host import (
    HostConfig,
    Limits,
    ask_entrant,
    configure,
    parse_entrant,
    play_match,
    play_series,
)
from arena.plugins import AnswerShares, InformationState, Yardstick, get_plugins
from arena_llm import ModelBot, ModelSettings
from benchmarks.ratios import BARE, measure_command
from tests.support.model_endpoint import (
    MODEL_FAULTS,
    OUTAGES,
    Answer,
    Model,
    answer_first,
    every_third,
    serve_models,
)

MATCHES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "kuhn": ("kuhn", 2, {}),
    "gops": ("gops", 2, {}),
    "coup": ("coup", 2, {}),
    "briscola": ("briscola", 2, {}),
    "briscola in pairs": ("briscola", 4, {}),
    "bs, 60 turns": ("bs", 3, {"max_turns": 60, "order": "fair"}),
    "hearts, 2 deals": ("hearts", 4, {"deals": 2}),
}
"""By name: the game, the number of players and the options."""
LIMITS = Limits(move=600, start=600)
ANSWERS = 20  # in each information state of Kuhn poker
CORRECTED_MATCHES = 40  # of GOPS with nine cards


def play(model: Model, game: str, seats: int, options: dict[str, Any], move: float = LIMITS.move,
         **settings: Any) -> tuple[str, list[dict[str, Any]]]:  # fmt: skip
    """Play a match of a scripted model; return how it ended, and the lines of its record."""
    with TemporaryDirectory() as folder, serve_models(model) as endpoint:
        chosen = ModelSettings(
            model="m", base_url=endpoint.url, record=Path(folder), call_seconds=move, **settings
        )
        bots: list[Any] = [configure(ModelBot, settings=chosen), *[RandomBot] * (seats - 1)]
        limits = Limits(move=move, start=LIMITS.start)
        result = play_match(game, bots, seed="1", options=options, limits=limits)
        (record,) = Path(folder).iterdir()
        lines = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    verdicts = [f"{verdict.kind}: {verdict.detail}" for verdict in result.verdicts if verdict]
    return verdicts[0] if verdicts else str(result.outcome.end), lines


def print_matches() -> None:
    """Print whole matches of each game: all finish without a verdict."""
    print(f"{'match':20} {'end':10} {'answers':>8} {'input tokens':>13} {'ms an answer':>13}")
    for name, (game, seats, options) in MATCHES.items():
        begin = process_time()
        end, lines = play(answer_first, game, seats, options)
        spent = 1000 * (process_time() - begin) / max(1, len(lines))
        tokens = sum(line["usage"]["input_tokens"] for line in lines)
        print(f"{name:20} {end:10} {len(lines):8} {tokens:13,} {spent:13.1f}", flush=True)


def print_faults() -> None:
    """Print what comes of each fault in matches of GOPS."""
    print(f"\n{'fault':24} {'outcome'}")
    always: dict[str, Answer] = {"malformed": MODEL_FAULTS["malformed"],
        "illegal": MODEL_FAULTS["illegal"], "401": Answer("no", status=401)
    }  # fmt: skip
    cases: list[tuple[str, Model, dict[str, Any]]] = [
        (f"each third {name}", every_third(answer_first, fault), {})
        for name, fault in {**MODEL_FAULTS, **OUTAGES}.items()
    ]
    cases += [(f"always {name}", lambda *_, fault=fault: fault, {})
              for name, fault in always.items()]  # fmt: skip
    cases.append(("illegal always, forfeit", cases[-2][1], {"on_failure": "forfeit"}))
    for name, model, settings in cases:
        end, lines = play(model, "gops", 2, {}, **settings)
        corrected = sum(len(line["tries"]) > 1 and not line["fault"] for line in lines)
        given_up = sum(bool(line["fault"]) for line in lines)
        print(f"{name:24} {end[:50]}; {corrected} corrections, {given_up} fallbacks", flush=True)


def print_start() -> None:
    """Print what the program costs before its first answer, beside a bare interpreter."""
    start = measure_command(sys.executable, "-c", "import openai, arena_llm.bot, arena.bot")
    print(f"\nstart of arena-llm / a bare interpreter: {start / measure_command(*BARE):.0f}")


def iterate_yardsticks() -> Iterator[tuple[str, float, str]]:
    """Yield exact figures of bots: what is measured, its value, and what is known of it."""
    plugins = get_plugins()
    kuhn, gops = plugins.find_game("kuhn"), plugins.find_game("gops")
    (kuhn_yardstick,) = plugins.list_yardsticks("kuhn")
    (yardstick,) = plugins.list_yardsticks("gops")
    for bot, exact in (("random", "0.458"), ("optimal", "0")):
        gain = compute_gain(kuhn_yardstick, "kuhn", bot, {}, ANSWERS)
        yield f"kuhn: gain against {bot}, {ANSWERS} answers a state", gain, exact
    solution = kuhn_yardstick.compute_gain(kuhn.read_variant({}), kuhn_yardstick.solve)
    yield "kuhn: gain against the equilibrium", solution, "0"
    for cards, exact in ((3, "0"), (4, "2")):
        gain = compute_gain(yardstick, "gops", "match", {"cards": cards}, 1)
        yield f"gops, {cards} cards: gain against match", gain, exact
    matches = play_series(gops, ["planner", "nash"], games=CORRECTED_MATCHES, seed="1",
                          options={"cards": 9}, record=True)  # fmt: skip
    found = yardstick.correct([match.transcript for match in matches])
    seats = [match.names.index("planner") for match in matches]
    for part in ("result", "corrected"):
        values = [getattr(both[seat], part) for both, seat in zip(found, seats, strict=True)]
        away = 2.02 * float(np.std(values, ddof=1)) / len(values) ** 0.5
        yield f"gops, 9 cards: planner against nash, {part}", fmean(values), f"within {away:.2f}"


def compute_gain(
    yardstick: Yardstick, game: str, bot: str, options: dict[str, Any], answers: int
) -> float:
    """Return the gain of a best reply to a bot that is asked so often in each state."""
    rules = get_plugins().find_game(game)
    entrant, count = parse_entrant(rules, bot), 0

    def ask(state: InformationState) -> AnswerShares:
        nonlocal count
        drawn: list[Any] = []
        for _ in range(answers):
            count += 1
            drawn.append(ask_entrant(rules, entrant, state, f"{count}", HostConfig()))
        return {answer: drawn.count(answer) / answers for answer in set(drawn)}

    return yardstick.compute_gain(rules.read_variant(options), ask)


def main() -> None:
    """Print all figures; those of GOPS need the solver."""
    print_matches()
    print_faults()
    print_start()
    print(f"\n{'yardstick':56} {'measured':>9}  known")
    try:
        for name, value, known in iterate_yardsticks():
            print(f"{name:56} {value:9.3f}  {known}", flush=True)
    except (UserError, ValueError) as problem:
        print(f"not measured: {problem}")


if __name__ == "__main__":
    main()
