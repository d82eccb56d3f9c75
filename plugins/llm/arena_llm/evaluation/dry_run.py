"""What a suite would ask a model: questions, and tokens of prompts, before any of it is paid."""

from __future__ import annotations

from statistics import fmean

from arena import Greeting, InformationState, OneOf, Question, RandomBot
from arena.host import AnyBot, configure, play_series
from arena.plugins import AnswerShares, get_plugins
from arena.tables import Column, DataTable
from arena_llm.conversation import Conversation
from arena_llm.evaluation.run import list_yardsticks
from arena_llm.evaluation.suite import Suite, SuiteGame
from arena_llm.settings import AnswerForm, Guidance

CHARACTERS_OF_TOKEN = 4
PILOT_MATCHES = 4
COLUMNS = (
    Column("game", is_text=True), Column("matches"), Column("questions"), Column("input tokens"),
)  # fmt: skip


class PromptCounter(RandomBot):
    """Plays at random, and counts what a model in its place would read."""

    totals: list[int]

    def greet(self, greeting: Greeting) -> None:
        """Begin a match."""
        super().greet(greeting)
        self._talk = Conversation(get_plugins().find_game(greeting.game), greeting)

    def hear(self, event: object) -> None:
        """Add what the seat is told to the prompt."""
        self._talk.hear(event)

    def choose(self, question: Question[object]) -> object:
        """Answer at random, and count the prompt."""
        answer = self._talk.find_forced_answer(question)
        if answer is None:
            _, prompt = self._talk.ask(question, AnswerForm.ONE, Guidance.LIST)
            self.totals.append(len(self._talk.system) + len(prompt))
            answer = super().choose(question)
        self._talk.answer(question, answer)
        return answer


def estimate_suite(suite: Suite, bots: int) -> DataTable:
    """Estimate what a suite asks so many bots, by some matches of a bot that plays at random."""
    rows, questions, tokens = list[list[str]](), 0.0, 0.0
    for part in suite.game:
        asked, read = _estimate_part(part)
        asked, read = asked * bots, read * bots
        matches = part.matches * bots
        rows.append([part.label, f"{matches:,}", f"{asked:,.0f}", f"{read:,.0f}"])
        questions, tokens = questions + asked, tokens + read
        if states := count_states(part):
            assert part.best_reply
            asked = states * part.best_reply.answers * bots
            rows.append([f"{part.label}, without a match", "", f"at most {asked:,}", ""])
            questions += asked
    rows.append(["all", "", f"{questions:,.0f}", f"{tokens:,.0f}"])
    return DataTable(COLUMNS, rows, f"Suite {suite.title}: about so much is asked")


def count_states(part: SuiteGame) -> int:
    """Return in how many information states a bot is asked at most: if it may answer anything."""
    count = 0

    def ask(state: InformationState) -> AnswerShares:
        nonlocal count
        count += 1
        options = state.question.options
        assert isinstance(options, OneOf)
        return dict.fromkeys(options, 1 / len(options))

    for yardstick in list_yardsticks(part):
        assert part.best_reply
        game = get_plugins().find_game(part.game)
        yardstick.compute_gain(game.read_variant(part.best_reply.options), ask)
    return count


def _estimate_part(part: SuiteGame) -> tuple[float, float]:
    """Return the questions of all matches of a game, and the tokens of their prompts."""
    lengths: list[int] = []

    class Counter(PromptCounter):
        totals = lengths

    game = get_plugins().find_game(part.game)
    seats = part.table or game.seats[0]
    opponents = [part.opponents[at % len(part.opponents)] for at in range(seats - 1)]
    bots: list[AnyBot] = [configure(Counter, name="counter"), *opponents]
    play_series(game, bots, games=PILOT_MATCHES, seed="dry run", options=part.options,
                table=part.table)  # fmt: skip
    share = part.matches / PILOT_MATCHES
    mean = fmean(lengths) if lengths else 0.0
    return len(lengths) * share, len(lengths) * share * mean / CHARACTERS_OF_TOKEN
