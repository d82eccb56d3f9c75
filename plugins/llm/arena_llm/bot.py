"""A language model as a bot: it reads what a person at the seat would read, and answers in words.

One class serves in matches and without one: `decide` returns the answer with all that led to it.
"""

from __future__ import annotations

from math import inf
from random import Random
from time import monotonic
from typing import Any

from attrs import asdict, field, frozen

from arena import (
    Bot,
    Game,
    Greeting,
    IllegalAnswerError,
    Question,
    TimeLeft,
    load_game,
)
from arena.wires import freeze
from arena_llm import prompts
from arena_llm.answers import Choices, Fault, ReplyError, find_object
from arena_llm.conversation import Conversation
from arena_llm.endpoint import MIN_CALL_SECONDS, Endpoint, EndpointError, Reply
from arena_llm.record import MatchRecord
from arena_llm.settings import AnswerForm, Guidance, ModelSettings, OnFailure, Usage

RESERVE_SECONDS = 0.25  # of the time for an answer, which are kept back
RESERVE_SHARE = 0.03  # of it, if that is more
MAX_CALLS = 10  # an answer is tried for as long as so many may take, if the clock allows more


@frozen
class Attempt:
    """A reply to a question, and what was wrong with it."""

    reply: Reply
    fault: Fault | None = None  #: None: it gives a legal answer
    reason: str = ""  #: why it does not


@frozen
class Decision:
    """An answer of a model, and all that led to it."""

    answer: Any  #: None where the model forfeits
    attempts: tuple[Attempt, ...] = ()
    mix: dict[str, float] | None = None  #: probabilities by label, of which it was drawn
    reasoning: str = ""  #: as the model gives it with its answer
    fault: Fault | None = None  #: of the last attempt; the answer is then not the model's
    forfeit: bool = False  #: whether it shall lose the seat for that
    usage: Usage = field(factory=Usage)


class ModelBot(Bot):
    """A bot that asks a language model.

    Raises:
        EndpointError: in `choose` and `decide`, if the endpoint gives no reply in time, or a budget
            is spent.
    """

    time = TimeLeft(inf)

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self._endpoint = Endpoint(settings)
        self._record: MatchRecord | None = None

    def greet(self, greeting: Greeting) -> None:
        """Begin a match."""
        super().greet(greeting)
        self._game: Game = load_game(greeting.game)
        self._seed, self._number, self.usage = greeting.seed, 0, Usage()
        self._start = greeting.limits.start if greeting.limits else 0.0
        self._talk = Conversation(self._game, greeting, self.settings.text)
        self._recorded = 0  # lines of its history
        if self.settings.record:
            header = self._build_header()
            self._record = MatchRecord(self.settings.record, greeting.seed, self.seat, header)

    def hear(self, event: Any) -> None:
        """Add what the seat is told to the prompt."""
        self._talk.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return the model's answer."""
        decision = self.decide(question)
        if decision.forfeit:
            return f"no legal answer in {len(decision.attempts)} tries: {decision.fault}"
        return decision.answer

    def withdraw(self, question: Question[Any]) -> None:
        """Add to the prompt that the last answer came too late."""
        self._talk.withdraw(question)

    def decide(self, question: Question[Any]) -> Decision:
        """Return the model's answer with all that led to it.

        A model is not asked for a free text, nor where there is nothing to decide.
        """
        self._number += 1
        forced = self._talk.find_forced_answer(question)
        decision = self._ask(question) if forced is None else Decision(forced)
        if not decision.forfeit:
            self._talk.answer(question, decision.answer)
        return decision

    def _ask(self, question: Question[Any]) -> Decision:
        """Return the answer that is recorded, or else the model's."""
        order = Random(f"{self._seed}/{self._number}/order") if self.settings.shuffle else None
        choices, prompt = self._talk.ask(
            question, self.settings.form, self.settings.guidance, order
        )
        key = prompts.hash_prompt(self._talk.system, prompt, *self._list_settings())
        decision = self._recall(question, key)
        if decision is None:
            decision = self._ask_model(question, choices, prompt)
            self._write(question, key, decision)
        self._recorded = len(self._talk.history)
        self.usage += decision.usage
        return decision

    def _ask_model(self, question: Question[Any], choices: Choices, prompt: str) -> Decision:
        """Ask the model until it gives a legal answer, or its tries or its time are used up."""
        clock_end = monotonic() + self._compute_seconds()
        self._endpoint.open()  # takes more than a second, once
        begin = monotonic()
        deadline = min(clock_end, begin + MAX_CALLS * self.settings.call_seconds)
        total = deadline - begin
        schema = choices.schema if self.settings.guidance is Guidance.ENUM else None
        opening = [
            {"role": "system", "content": self._talk.system},
            {"role": "user", "content": prompt},
        ]
        messages, attempts, usage = opening, list[Attempt](), Usage()
        while len(attempts) <= self.settings.retries:
            if deadline - monotonic() < MIN_CALL_SECONDS:
                break  # it has had its time, or has used up its bank
            self._check_match_budget(usage)
            reply = self._endpoint.ask(messages, schema, deadline, total)
            usage += reply.usage
            try:
                answer, mix, reasoning = self._read(choices, reply)
            except ReplyError as problem:
                attempts.append(Attempt(reply, problem.fault, problem.reason))
                correction = prompts.CORRECTIONS[problem.fault].format(reason=problem.reason)
                said = reply.content.strip() or reply.refusal or "(nothing)"
                messages = [
                    *opening,
                    {"role": "assistant", "content": said},
                    {"role": "user", "content": correction},
                ]
            else:
                tries = (*attempts, Attempt(reply))
                return Decision(answer, tries, mix, reasoning, usage=usage)
        fault = attempts[-1].fault if attempts else Fault.LATE
        if self.settings.on_failure is OnFailure.FORFEIT:
            return Decision(None, tuple(attempts), fault=fault, forfeit=True, usage=usage)
        answer = question.default
        if answer is None:
            answer = question.options.draw(self._build_random())
        return Decision(answer, tuple(attempts), fault=fault, usage=usage)

    def _read(self, choices: Choices, reply: Reply) -> tuple[Any, dict[str, float] | None, str]:
        """Return the answer of a reply, its mix and its reasons; raise ReplyError."""
        if reply.refusal or reply.finish == "content_filter":
            raise ReplyError(Fault.REFUSED)
        if reply.finish == "length":
            raise ReplyError(Fault.TRUNCATED)
        if not reply.content.strip():
            raise ReplyError(Fault.EMPTY)
        said = find_object(reply.content, choices.key)
        reasoning = said.get("reasoning")
        reason = reasoning if isinstance(reasoning, str) else ""
        try:
            if choices.form is AnswerForm.ONE:
                return choices.read(said[choices.key]), None, reason
            mix = choices.read_mix(said[choices.key])
        except IllegalAnswerError as problem:
            raise ReplyError(Fault.ILLEGAL, str(problem)) from None
        return choices.draw(mix, self._build_random()), mix, reason

    def _build_random(self) -> Random:
        """Return the generator of a question, which is the same where the match is resumed."""
        return Random(f"{self._seed}/{self._number}")

    def _compute_seconds(self) -> float:
        """Return the seconds that the model has for an answer.

        The time for the first one contains the allowance for the start, which is over.
        """
        seconds = self.time.move - (self._start if self._number == 1 else 0.0)
        return min(seconds - RESERVE_SECONDS, seconds * (1 - RESERVE_SHARE))

    def _check_match_budget(self, usage: Usage) -> None:
        if excess := self.settings.match_budget.describe_excess(self.usage + usage):
            raise EndpointError(f"the budget of the match is spent: {excess}")

    def _list_settings(self) -> tuple[str, ...]:
        """Return what, beside the prompt, decides what a model answers."""
        settings = self.settings
        return (
            settings.model,
            settings.form,
            settings.text,
            settings.guidance,
            str(sorted(settings.request.items())),
        )

    def _build_header(self) -> dict[str, Any]:
        settings = self.settings
        return {
            "game": self._game.name,
            "variant": self._game.write_variant(self.variant),
            "seats": self.seats,
            "model": settings.model,
            "form": settings.form,
            "text": settings.text,
            "guidance": settings.guidance,
            "shuffle": settings.shuffle,
            "request": dict(settings.request),
            "prompts": prompts.VERSION,
            "system": self._talk.system,
        }

    def _recall(self, question: Question[Any], key: str) -> Decision | None:
        """Return the decision on this question that is recorded, if there is one."""
        line = self._record and self._record.find(self._number, key)
        if not line:
            return None
        try:
            answer = question.options.read(freeze(line["answer"]))
            usage = Usage(**line["usage"])
        except (IllegalAnswerError, KeyError, TypeError):
            return None
        fault = Fault(line["fault"]) if line["fault"] else None
        return Decision(answer, (), line["mix"], line["reasoning"], fault, usage=usage)

    def _write(self, question: Question[Any], key: str, decision: Decision) -> None:
        """Record a decision."""
        if not self._record:
            return
        self._record.write(
            {
                "ask": self._number,
                "name": type(question).__name__,
                "prompt": key,
                "history": self._talk.history[self._recorded :],
                "question": self._talk.asked,
                "tries": [asdict(attempt) for attempt in decision.attempts],
                "usage": asdict(decision.usage),
                "mix": decision.mix,
                "reasoning": decision.reasoning,
                "fault": decision.fault,
                "forfeit": decision.forfeit,
                "answer": decision.answer,
            }
        )
