"""The moments that decided a match: what changed, and what would have been better."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from arena import (
    Between,
    Game,
    Hint,
    HintedAnswer,
    HintSource,
    Mark,
    MarkedLine,
    OneOf,
    Options,
    Part,
    Question,
    SomeOf,
    Text,
)
from arena.host import configure, play_match
from arena.plugins import get_plugins
from arena.records import Transcript, parse_text
from arena.wires import is_marked
from arena_web.hints import find_hint_source
from arena_web.matches.notes import annotate
from arena_web.protocol.messages import SeatOutcome
from arena_web.review.idle_answers import find_idle_answers
from arena_web.review.judgments import AnswerJudge, Judgment
from arena_web.review.moments import (
    MAX_MOMENTS,
    Findings,
    Moment,
    find_moments,
    name_apart,
)
from arena_web.review.own_answers import find_own_answers, has_choice
from arena_web.review.reviewer import ABOUT_CHANCES, NO_REVIEW, review_match
from arena_web.review.selection import MomentSelector
from arena_web.review.statements import (
    Agreement,
    Alternative,
    Reason,
    Statement,
    drop_repeats,
    write,
)
from arena_web.review.summaries import ALL_BEST, NO_ROUND, UNSURE, Kind, Summary
from arena_web.review.weighing import list_costs
from tests.support.requirements import require_solver

MATCHES = [
    ("gops", "easy", "hard", "medium"),
    ("bs", "liar", "honest", "counter"),
    ("hearts", "careful", "counter", "low"),
    ("briscola", "thrifty", "counter", "random", "counter"),
    ("coup", "bold", "counter", "honest"),
    ("kuhn", "random", "optimal"),
]


def find(transcript: Transcript, seat: int) -> Findings:
    """Return the moments of a seat by the score."""
    return find_moments(get_plugins().find_game(transcript.header.game), transcript, seat)


@pytest.mark.parametrize("seated", MATCHES, ids=lambda seated: seated[0])
def test_every_game_has_moments(seated: tuple[str, ...]) -> None:
    """They lead to a question of the seat or to the end of a round, and go with the result."""
    game, *bots = seated
    played = play_match(game, bots, seed="3", options={"deals": 1} if game == "hearts" else {})
    assert played.outcome.scores
    lines = {line.number: line.value for line in played.transcript.lines}
    for seat, score in enumerate(played.outcome.scores):
        found = find(played.transcript, seat)
        assert len(found.moments) <= MAX_MOMENTS
        changes = [abs(moment.change) for moment in found.moments]
        assert changes == sorted(changes, reverse=True)
        assert len({moment.title for moment in found.rounds}) == len(found.rounds)
        ahead = score - max(other for at, other in enumerate(played.outcome.scores) if at != seat)
        for moment in found.moments:
            assert moment.span[0] < moment.line <= moment.span[1] + 2
            assert all(lines[own.line]["to"] == seat for own in moment.answers)
            assert moment.words
            assert moment.change
            assert not ahead or (moment.change > 0) == (ahead > 0)
            for source in get_plugins().list_hint_sources(game):
                judge = AnswerJudge(source)
                said = write(judge.explain_round(moment, None))
                assert said.endswith(".") or (source.contrast and not said)
                better = write(judge.explain_round(moment, SeatOutcome.WON))
                assert better.endswith(".") or not (
                    better or any(own.truth and own not in moment.wrong for own in moment.choices)
                )
                assert re.search(" chosen the same| also have chosen ", better) or (
                    " have chosen " not in better
                )
    assert any(find(played.transcript, seat).moments for seat in range(len(bots)))


def test_answers_are_called_what_the_buttons_said() -> None:
    """What bets and passes are called at Kuhn poker depends on what was told before, not after."""
    said = set()
    for seed in map(str, range(8)):
        played = play_match("kuhn", ["random", "random"], seed=seed)
        game = get_plugins().find_game("kuhn")
        first, *others = find_own_answers(game, played.transcript, 0)
        said.add((first.say(first.answer), *(own.say(own.answer) for own in others)))
    assert said == {("pass",), ("bet",), ("pass", "call"), ("pass", "fold")}


def test_of_two_answers_the_one_is_blamed_that_is_never_right() -> None:
    """Who passes the jack and then calls with it has erred the second time."""
    played = play_match("kuhn", ["random", "optimal"], seed="6")
    (source,) = get_plugins().list_hint_sources("kuhn")
    (moment,) = review_match(played.transcript, 0, source).moments
    assert moment.better.startswith(
        "Optimal play would have chosen fold, not call: -1.00 chips on average, instead of"
        " -2.00 chips. The jack beats nothing"
    )


@pytest.mark.parametrize(
    ("seed", "seat", "said"),
    [
        ("12", 0, "In 53\xa0% of such cases optimal play chooses call, too. The queen"),
        ("8", 1, "In 33\xa0% of such cases optimal play chooses the same. The queen"),
        (
            "4",
            1,
            "You folded the jack. Medium 1 held the queen. Optimal play would also have chosen fold.",
        ),
    ],
)
def test_an_answer_that_the_solution_gives_is_no_mistake(seed: str, seat: int, said: str) -> None:
    """The review says how often the solution gives it, and why, and that none was a mistake."""
    played = play_match("kuhn", ["random", "optimal"], seed=seed)
    (source,) = get_plugins().list_hint_sources("kuhn")
    review = review_match(played.transcript, seat, source)
    (moment,) = review.moments
    assert moment.better.startswith(said)
    assert (review.summary.text, review.method) == (
        "You made no mistake: the cards decided against you.",
        "",
    )


@pytest.mark.parametrize(
    ("seed", "outcome", "summary"),
    [
        ("1", SeatOutcome.WON, "You made no mistake: the cards decided for you."),
        ("4", SeatOutcome.WON, "You won, but made a mistake:"),
        ("6", SeatOutcome.LOST, "You made a mistake:"),
        ("11", SeatOutcome.LOST, "You made no mistake: the cards decided against you."),
    ],
)
def test_the_only_round_is_told_for_its_answers_alone(
    seed: str, outcome: SeatOutcome, summary: str
) -> None:
    """That it changed the score most, or is the end, says nothing."""
    played = play_match("kuhn", ["random", "optimal"], seed=seed)
    (source,) = get_plugins().list_hint_sources("kuhn")
    review = review_match(played.transcript, 0, source)
    assert (review.outcome, review.summary.text) == (outcome, summary)
    assert [told.title for told in review.moments] == ["This hand"]
    assert all(told.better for told in review.moments)


def test_nothing_has_decided_a_void_match() -> None:
    """It has rounds and a score, but no result."""
    played = play_match("gops", ["easy", "easy"], seed="1", options={"cards": 3})
    assert review_match(played.transcript, 0, None).summary.text
    *lines, end = played.transcript.text.splitlines()
    void = json.loads(end)["outcome"] | {"end": "void", "places": None, "scores": None}
    text = "\n".join([*lines, json.dumps({"outcome": void}), ""])
    assert review_match(parse_text(text), 0, None) == NO_REVIEW
    assert not NO_REVIEW.reply.summary


@pytest.mark.parametrize(
    ("shares", "worths", "is_no_mistake"),
    [
        ((0.7, 0.3), (None, None), True),
        ((0.97, 0.03), (None, None), False),
        ((0.97, 0.03), (1.0, 1.0), True),
        ((1.0, 0.0), (1.0, 1.0), True),
        ((1.0, 0.0), (1.0, 0.9), False),
        ((1.0,), (None,), False),
    ],
)
def test_an_answer_is_good_by_its_share_or_by_what_it_is_worth(
    shares: tuple[float, ...], worths: tuple[float | None, ...], is_no_mistake: bool
) -> None:
    """A share of a few per cent may be noise of who samples, unless nothing is worth more."""
    played = play_match("kuhn", ["random", "random"], seed="1")
    own, *_ = find_own_answers(get_plugins().find_game("kuhn"), played.transcript, 0)
    answers = zip((not own.answer, own.answer), shares, worths, strict=False)
    hint = Hint("", [HintedAnswer(answer, share, "", worth) for answer, share, worth in answers])
    source = HintSource("kuhn", "Test", lambda _: hint)
    judgment = Judgment(own, source, hint)
    assert judgment.is_good == is_no_mistake
    said = Agreement("Test", judgment.share, SeatOutcome.LOST, is_right=False).text
    assert ("no answer that is worth more" in said) == (judgment.share == 0)


def test_the_end_is_told_where_it_turned_the_match() -> None:
    """Somebody shoots the moon with the last trick, in which nobody has a choice."""
    bots, options = ["low", "shooter", "low", "low"], {"deals": 1}
    matches = (play_match("hearts", bots, seed=seed, options=options) for seed in range(99))
    played = next(played for played in matches if played.outcome.scores == (-26, 0, -26, -26))
    (source,) = get_plugins().list_hint_sources("hearts")
    *_, end = review_match(played.transcript, 0, source).moments
    assert (end.title, end.moment.change) == ("Deal 1, trick 13, the end", -26)
    assert " shoots the moon! " in " ".join(end.moment.words)
    assert end.better == "You had nothing to decide here."


def test_a_match_of_several_deals_is_reviewed_as_a_whole() -> None:
    """Each deal has its costliest answer, with what was led before it and with a link of its own.

    The source of hints says why another answer was better, in the words of the game.
    """
    played = play_match("hearts", ["random", "low", "low", "low"], seed="4", options={"deals": 4})
    (source,) = get_plugins().list_hint_sources("hearts")
    review = review_match(played.transcript, 0, source)
    titles = [moment.title for moment in review.moments]
    assert len({*titles}) == len(titles)
    assert {told.moment.chapter for told in review.moments} == {f"Deal {n}" for n in range(1, 5)}
    for told in review.moments:
        assert re.search(r"In 100 deals .* came out [\d.]+ points better than", told.better)
        verb = "lead" if ", trick " in told.title else "pass"
        assert f" {verb}" in told.moment.words[0]


def test_what_the_source_of_hints_finds_hardly_worse_is_not_blamed() -> None:
    """A cost for which no reason is found may come from how the bots play on."""
    played = play_match("hearts", ["random", "low", "low"], seed="4", options={"deals": 1})
    (source,) = get_plugins().list_hint_sources("hearts")
    silent = evolve(source, contrast=lambda *_: None)
    review = review_match(played.transcript, 0, silent)
    assert review.summary.text.startswith(UNSURE)
    assert "would have" not in " ".join(moment.better for moment in review.moments)


def test_whoever_shoots_the_moon_and_wins_reads_of_it() -> None:
    """The last trick of a deal brings it, though nobody has a choice there."""
    played = play_match("hearts", ["shooter", "low", "low", "low"], seed="10")
    found = find(played.transcript, 0)
    moons = [line for line in played.transcript.text.splitlines() if '"deal":[0,26,26,26]' in line]
    assert (found.outcome, len(moons)) == (SeatOutcome.WON, MAX_MOMENTS)
    told = [moment for moment in found.moments if "You shoot the moon!" in moment.words]
    assert len(told) == len(moons)
    judge = AnswerJudge(None)
    assert not any(judge.explain_round(moment, SeatOutcome.WON) for moment in told)


def test_rounds_of_one_heading_without_numbers_are_counted() -> None:
    """A narrator that tells no number of a round leaves the count to the review."""
    words = ["Ann: hello.", "Bob leads."]
    moments = [
        Moment(n, (n, n + 1), title, words) for n, title in enumerate(["Deal 1"] * 2 + ["Deal 2"])
    ]
    named = name_apart(moments)
    assert [moment.title for moment in named] == ["Deal 1", "Deal 1, round 2", "Deal 2"]
    assert [moment.chapter for moment in named] == ["Deal 1", "Deal 1", ""]
    lines = [MarkedLine(f"Trick {n}: you lead.", part=Part("trick", n)) for n in (1, 2, 1)]
    numbered = [evolve(at, words=[line]) for at, line in zip(moments, lines, strict=True)]
    named = name_apart(numbered)
    assert [moment.title for moment in named] == ["Deal 1, trick 1", "Deal 1, trick 2", "Deal 2"]
    assert named[0].words == ["You lead."]


def test_what_no_choice_would_have_changed_is_not_told() -> None:
    """At BS another seat called the last claim; a lie that was caught says whose hand proved it."""
    played = play_match("bs", ["liar", "counter", "counter"], seed="5")
    source = find_hint_source(
        "bs", played.transcript.header.read_variant(get_plugins().find_game("bs")), 3
    )
    findings = find(played.transcript, 0)
    selector = MomentSelector(findings, (), AnswerJudge(source))
    scored = selector.add_end(selector.select_by_score())
    assert findings.end is None
    assert scored.summary.text == "The turn in which you lost most ground:"
    caught, *_ = [told.reply for told in scored.moments]
    assert caught.title == "Your turn: queens"  # as the log says it
    assert caught.better.startswith(
        "You held no queens, so you had to lie. An expert bot would have chosen 9"
    )
    weighed = review_match(played.transcript, 0, source).reply
    assert weighed.title == "Why you did not win"
    for shown in (scored.moments, weighed.moments):
        assert len({moment.title for moment in shown}) == len(shown)


def test_the_end_that_says_nothing_is_told_only_if_it_turned_the_match() -> None:
    """That the source of hints agrees, or that there was no choice, is nothing."""
    lost = MarkedLine("Bob wins.", Mark.LOST)
    end = Moment(9, (8, 9), "Turn 9, the end", [lost], change=-1)
    for is_turn in (False, True):
        findings = Findings(SeatOutcome.LOST, (), end=end, is_turned_by_end=is_turn)
        selector = MomentSelector(findings, (), AnswerJudge(None))
        told = selector.add_end(selector.select_by_score(UNSURE))
        assert len(told.moments) == is_turn
        assert told.summary.text.endswith(" How it ended:") == is_turn


def test_a_trifle_is_no_loss_beside_a_large_one() -> None:
    """Who took a pile of ten cards does not read of one that took a single card."""
    moments = [
        Moment(n, (n, n + 1), f"Turn {n}", (), change)
        for n, change in enumerate([-10, -2, -3, 0, 1])
    ]
    findings = Findings(SeatOutcome.LOST, moments)
    assert [findings.is_weighty(moment) for moment in moments] == [True, False, True, True, True]


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (Summary(Kind.COSTLY, 1), "Your answer that cost you most:"),
        (Summary(Kind.COSTLY, 2), "Your answers that cost you most:"),
        (Summary(Kind.BEHIND, 2, unit="trick"), "The tricks in which you lost most ground:"),
        (Summary(Kind.AHEAD, 2, costly=1),
         "The rounds in which you gained most ground, and an answer of yours that cost you something:"),
        (Summary(costly=2, verdict=NO_ROUND),
         "No single round decided it. Your answers that cost you most:"),
        (Summary(Kind.LOSSES, 1, has_end=True), "Your answer that led to a loss, and how it ended:"),
        (Summary(verdict="You made no mistake.", has_end=True), "You made no mistake. How it ended:"),
        (Summary(Kind.MISTAKES_OF_WINNER, 3), "You won, but made 3 mistakes:"),
        (Summary(verdict=NO_ROUND, unit="turn"), "No single turn decided it."),
    ],
)  # fmt: skip
def test_a_summary_says_what_moments_are_and_whether_there_are_several(
    summary: Summary, text: str
) -> None:
    """One moment is not called several, and the end is named if it is told for itself."""
    assert summary.text == text


def test_what_was_said_is_recognised_by_its_facts() -> None:
    """An agreement is the same whatever it calls the answer; it is repeated for a new reason."""
    agreement = Agreement("Test", 1.0, SeatOutcome.LOST, is_right=False)
    again = evolve(agreement, answer="the king")
    first, second = Reason("One."), Reason("Two.")
    other = Alternative("A test", (("the ace", 1.0),), "")
    told: list[list[Statement]] = [
        [agreement, first], [again, first], [again, first, second], [other, second, first],
    ]  # fmt: skip
    *agreed, (repeated,) = drop_repeats(told, SeatOutcome.LOST)
    assert agreed == [[agreement, first], [], [again, second]]
    assert repeated.text == "Here, too, a test would have chosen the ace."
    assert drop_repeats(told[:3], SeatOutcome.WON) == [[agreement, first], [], []]


def test_what_could_not_change_anything_is_no_decision() -> None:
    """In BS these are boasts, and passes where another call decides; at Kuhn poker there are none."""
    kinds = Counter[tuple[Any, bool]]()
    game = get_plugins().find_game("bs")
    for own in find_own_answers(
        game, play_match("bs", ["liar", "counter", "counter"], seed="5").transcript, 0
    ):
        options = own.state.question.options
        kinds[options[1] if isinstance(options, OneOf) else "cards", own.is_idle] += 1
    assert {*kinds} == {("cards", False), ("Peanut Butter", True), ("BS", True), ("BS", False)}
    for seed in map(str, range(8)):
        played = play_match("kuhn", ["random", "random"], seed=seed)
        assert not find_all_idle_answers(get_plugins().find_game("kuhn"), played.transcript)


@pytest.mark.parametrize(
    ("game", "bots", "seed"),
    [
        ("bs", ["counter", "honest", "liar", "honest"], "17"),
        ("coup", ["counter", "honest", "bold"], "1"),
        ("briscola", ["counter", "thrifty"], "1"),
    ],
)
def test_nothing_is_said_twice_of_a_win(game: str, bots: list[str], seed: str) -> None:
    """A reason stands once, and so does that the source of hints agrees."""
    transcript = play_match(game, bots, seed=seed).transcript
    variant = transcript.header.read_variant(get_plugins().find_game(game))
    review = review_match(transcript, 0, find_hint_source(game, variant, len(bots)))
    assert review.outcome is SeatOutcome.WON
    assert review.moments
    sentences = Counter(
        sentence for told in review.moments for sentence in re.findall(r"[^.]+\.", told.better)
    )
    assert sentences.most_common(1)[0][1] == 1


@pytest.mark.parametrize(("seed", "titles"), [("1", []), ("2", ["Deal 1, trick 13"])])
def test_a_win_tells_no_bare_record_of_a_round(seed: str, titles: list[str]) -> None:
    """At Hearts that others take points says nothing; that one shoots the moon says all."""
    bots, options = ["careful", "careful", "low", "careful"], {"deals": 3}
    played = play_match("hearts", bots, seed=seed, options=options)
    scores = played.outcome.scores or ()
    variant = played.transcript.header.read_variant(get_plugins().find_game("hearts"))
    source = find_hint_source("hearts", variant, len(bots))
    review = review_match(played.transcript, scores.index(max(scores)), source)
    assert review.outcome is SeatOutcome.WON
    assert [told.title for told in review.moments] == titles
    assert (review.summary.text == "No single trick decided it.") == (not titles)


def test_a_win_tells_the_round_in_which_the_lead_was_taken_for_good() -> None:
    """Even where the last card of a hand had to be played: without it, the match was lost."""
    played = play_match("briscola", ["counter", "thrifty"], seed="3").transcript
    findings = find_moments(get_plugins().find_game("briscola"), played, 0)
    assert findings.turn
    assert not findings.turn.choices
    review = review_match(played, 0, None)
    assert review.summary.text == "The trick in which you took the lead for good:"
    assert [told.title for told in review.moments] == ["Trick 20"]


def test_a_gain_is_not_told_with_what_would_have_been_better() -> None:
    """At Coup a bluff of others that one let pass is no comment on a turn that went well."""
    game = get_plugins().find_game("coup")
    gains = list[str]()
    for seed in map(str, range(8)):
        played = play_match("coup", ["counter", "honest", "bold"], seed=seed).transcript
        if find_moments(game, played, 0).outcome is SeatOutcome.WON:
            review = review_match(played, 0, None)
            gains += [told.better for told in review.moments]
    assert any("You were right to doubt" in better for better in gains)
    assert not any("you could have challenged" in better for better in gains)


def test_a_call_that_was_proved_right_is_no_mistake() -> None:
    """At BS a right call is never among the answers that cost something; a wrong one is told."""
    calls = Counter[bool]()
    for seed in map(str, range(4)):
        bots = ["caller:chance=1", "liar", "honest"]
        played = play_match("bs", bots, seed=seed, options={"max_turns": 20}).transcript
        variant = played.header.read_variant(get_plugins().find_game("bs"))
        review = review_match(played, 0, find_hint_source("bs", variant, played.seats))
        for told in review.moments:
            for own in told.moment.choices:
                if own.answer == "BS":
                    is_right = is_marked(own.truth, Mark.WON)
                    assert own.truth not in told.better  # the words of the round tell it
                    assert not (is_right and "instead of" in told.better)
                    calls[is_right] += 1
    assert calls[False]


def find_all_idle_answers(game: Game, transcript: Transcript) -> set[int]:
    """Return the lines of the answers of all seats that changed nothing."""
    seats = range(transcript.seats)
    return {line for seat in seats for line in find_idle_answers(game, transcript, seat)}


def test_of_several_who_challenge_at_once_one_changes_something() -> None:
    """At Coup others are asked more after the needless ones, but nobody is told anything else."""
    game = get_plugins().find_game("coup")
    doubts = {"doubts": lambda *_: True}
    doubter = configure(type("Doubter", (game.bots["honest"],), doubts), name="doubter")
    transcript = play_match("coup", ["bold", *[doubter] * 3], seed="1").transcript
    idle, decisive = find_all_idle_answers(game, transcript), list[int]()
    challenges = list[int]()
    for line in transcript.lines:
        match line.value:
            case {"answer": "challenge"}:
                challenges.append(line.number)
            case {"event": {"tell": "Challenged"}}:
                decisive += [len({*challenges} - idle)] if len(challenges) > 1 else []
                challenges = []
    assert decisive
    assert {*decisive} == {1}


def test_who_is_forced_to_an_answer_is_not_blamed_for_it() -> None:
    """The last card of a hand is no choice, and the end says that there was none."""
    played = play_match("gops", ["random", "match"], seed="2", options={"cards": 5})
    game = get_plugins().find_game("gops")
    *chosen, forced = find_own_answers(game, played.transcript, 0)
    assert not forced.is_choice
    assert all(own.is_choice for own in chosen)
    moment = Moment(1, (0, 1), "Round 5", ["It ends."], answers=[forced])
    said = write(AnswerJudge(None).explain_round(moment, SeatOutcome.LOST))
    assert said.startswith("You had nothing to decide here. ")


@pytest.mark.parametrize(
    ("options", "is_choice"),
    [
        (OneOf(["A"]), False),
        (OneOf(["A", "B"]), True),
        (SomeOf(("A", "B"), 2, 2), False),
        (SomeOf(("A", "A", "A"), 1, 1), False),
        (SomeOf(("A", "B"), 1, 2), True),
        (Between(3, 3), False),
        (Text("[a-z]+", "a"), False),
    ],
)
def test_a_choice_needs_a_second_answer(options: Options[Any], is_choice: bool) -> None:
    """Cards that are alike are one answer, and so are all that one has."""
    narrator = get_plugins().find_game("gops").build_narrator(0, ["Ann", "Bob"])
    assert has_choice(narrator, Question(options)) == is_choice


def test_a_solved_game_has_moments_of_what_its_answers_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The costliest answers of who has lost, in points if in no chances."""
    require_solver()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    played = play_match("gops", ["ordered", "match"], seed="1", options={"cards": 5})
    assert played.outcome.scores
    loser = played.outcome.scores.index(min(played.outcome.scores))
    notes = [
        evolve(note, cost=note.cost and evolve(note.cost, chances=None))
        for note in annotate(played.transcript)
    ]
    costs = [cost for _, cost in list_costs(notes, loser)]
    found = review_match(played.transcript, loser, None, lambda _: notes)
    assert (found.summary, found.method) == (Summary(Kind.COSTLY, 1), "")
    said = [moment.better for moment in found.moments]
    worst = sorted(costs, key=lambda cost: -cost.amount)[: len(said)]
    for better, cost in zip(said, worst, strict=True):
        assert better.startswith("You bid ")
        assert f" cost you {cost.amount:.1f} points on average: " in better
        assert better.endswith(f"a perfect player chooses {cost.best}.")


def test_who_has_won_a_solved_game_reads_what_answers_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers that made it less likely to win stand among the rounds that decided."""
    require_solver()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    added = 0
    for seed in map(str, range(12)):
        played = play_match("gops", ["easy", "ordered"], seed=seed, options={"cards": 7})
        review = review_match(played.transcript, 0, None)
        if review.outcome is SeatOutcome.WON:
            costs = [cost for _, cost in list_costs(annotate(played.transcript), 0)]
            costly = [cost for cost in costs if cost.chances and cost.chances.lost > 0.05]
            decisive = {moment.span for moment in find(played.transcript, 0).moments}
            said = [told for told in review.moments if "Your chance to win fell " in told.better]
            assert bool(said) == bool(costly)
            assert len(said) <= len(costly)
            others = [told for told in review.moments if told.moment.span not in decisive]
            assert review.summary.costly == len(others)
            assert (ABOUT_CHANCES in review.method) == bool(costly)
            spans = [told.moment.span for told in review.moments]
            assert spans == sorted(spans)
            added += len(others)
    assert added


def test_whoever_plays_a_solved_game_without_a_fault_is_blamed_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solution draws lots, so that its hint is mostly another answer: that is no fault."""
    require_solver()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    played = play_match("gops", ["nash-win", "match"], seed="3", options={"cards": 5})
    assert played.outcome.scores == (4, 6)
    source, *_ = get_plugins().list_hint_sources("gops")
    found = review_match(played.transcript, 0, source)
    assert found.summary.text.startswith(ALL_BEST)
    for told in found.moments:
        assert re.fullmatch(r"(You had nothing .* here\. )?You bid .* held .*\.", told.better)
