"""Learning by self-play: what is learned, that a seed fixes it, and that the folder bot plays it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena import Bot, Game, Greeting, Play, Question, UserError
from arena.host import HostConfig, Series, build_entrants, host
from arena.plugins import load_game
from arena.records import InMemoryFile, Recorder
from arena_pettingzoo import Learned, learn_game, measure_bot, write_bot_folder
from arena_pettingzoo.answer_parts import AllowedAnswers, AnswerParts
from arena_pettingzoo.bot_folder import check_new_folder, describe_network
from arena_pettingzoo.encodings import GameSetup
from arena_pettingzoo.learned_bot import LearnedBot, Network, compute_probabilities, find_encoder
from arena_pettingzoo.networks import LayeredNetwork
from tests.support.command import Cli
from tests.support.programs import environment
from tests.support.requirements import require_sandbox
from tests.support.toys import change

pytestmark = pytest.mark.slow

KUHN = load_game("kuhn")
GAMES: dict[str, dict[str, Any]] = {
    "kuhn": {},
    "gops": {"cards": 6},
    "hearts": {"deals": 1},
    "briscola": {},
}


def learn(name: str = "kuhn", matches: int = 600, seed: str = "1") -> Learned:
    return learn_game(name, options=GAMES[name], matches=matches, seed=seed)


def expect_share(learned: Learned, play: Play, seat: int, events: Sequence[Any] = ()) -> float:
    """Return the exact share that a bot has in this seat against one that answers evenly."""
    heard = [*events, *(event for to, event in play.drain() if to in (None, seat))]
    if play.over:
        own, other = play.scores[seat], play.scores[1 - seat]
        return (own > other) + (own == other) / 2
    ((asked, question),) = play.pending.items()
    chances: dict[Any, float] = dict.fromkeys((True, False), 1 / 2)
    if asked == seat:
        bot = LearnedBot(Network(describe_network(learned)))
        bot.greet(Greeting("kuhn", seat, 2, play.position.variant, "1"))
        for event in heard:
            bot.hear(event)
        chances = dict(bot.weigh(question))
    share = 0.0
    for answer, chance in chances.items():
        after = play.clone()
        after.answer(asked, answer)
        share += chance * expect_share(learned, after, seat, heard)
    return share


def compute_share(learned: Learned) -> float:
    """Return the exact share at Kuhn poker against chance, over some deals from both seats."""
    deals = [Play.deal(KUHN.read_variant({}), 2, str(seed)) for seed in range(24)]
    return float(
        np.mean([expect_share(learned, play.clone(), at) for play in deals for at in (0, 1)])
    )


def test_some_thousand_matches_make_a_better_player() -> None:
    """Against chance, exactly computed, the learned bot is well ahead of the untrained one."""
    untrained, trained = learn(matches=1), learn(matches=3000)
    assert compute_share(untrained) < 0.56
    assert compute_share(trained) > 0.63


def test_a_seed_and_the_matches_fix_every_weight() -> None:
    """The same give the same text; another seed, or another match, another one."""
    first, same, other, longer = (
        json.dumps(describe_network(learned))
        for learned in (learn(), learn(), learn(seed="2"), learn(matches=601))
    )
    assert first == same
    assert len({first, other, longer}) == 3


def test_a_small_last_batch_meets_no_bots_and_changes_no_share() -> None:
    """The share that is shown is that of the matches against bots so far."""
    assert learn(matches=17).share == learn(matches=16).share is not None


def test_an_interrupt_keeps_what_was_learned() -> None:
    """It is what so many matches alone would have taught."""
    seen: list[int] = []

    def interrupt(learned: Learned) -> None:
        seen.append(learned.matches)
        if len(seen) == 3:
            raise KeyboardInterrupt

    stopped = learn_game("kuhn", matches=100_000, seed="1", progress=interrupt)
    assert stopped.interrupted
    assert stopped.matches == seen[-1] < 100_000
    alone = learn_game("kuhn", matches=stopped.matches, seed="1")
    assert describe_network(stopped) == describe_network(alone)


class NumpyBot(Bot):
    """Plays by the learner's own network, in numpy and in double precision."""

    def __init__(self, learned: Learned) -> None:
        self.setup, self.parts = learned.setup, learned.parts
        weights: list[Any] = [each.astype(float) for each in learned.network.parameters]
        self.network = LayeredNetwork(*weights)

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.encoder = find_encoder(self.setup.game)(greeting)

    def hear(self, event: Any) -> None:
        self.encoder.tell(event)

    def weigh(self, question: Question[Any]) -> list[float]:
        observation: Any = np.array([self.encoder.observation()], float)
        allowed = AllowedAnswers.join(
            [self.parts.list_rows(question, getattr(self.encoder, "rename", None))]
        )
        _, outputs = self.network.compute(observation)
        return compute_probabilities(allowed.compute_logarithms(outputs).tolist())

    def choose(self, question: Question[Any]) -> Any:
        options: Any = question.options
        heights = np.cumsum(self.weigh(question))
        return options[int(np.searchsorted(heights, self.random.random(), side="right"))]


def play_matches(
    game: Game, options: dict[str, Any], bot: Any, seats: int
) -> list[list[tuple[int, Any]]]:
    """Play a match from each seat against chance; return who answered what."""
    others = [f"other{number}=random" for number in range(1, seats)]
    named = f"mine={bot}" if isinstance(bot, Path) else bot
    series = Series(
        game, game.read_variant(options), build_entrants(game, [named, *others]), "whole matches"
    )
    played = []
    for spec, entrants in series.iter_matches(seats):
        file = InMemoryFile()
        result = host(spec, entrants, HostConfig(), [Recorder(spec, file)])
        assert not result.outcome.verdicts
        lines = [json.loads(line) for line in file.text.splitlines()]
        played.append([(line["from"], line["answer"]) for line in lines if "answer" in line])
    return played


@pytest.mark.parametrize("name", GAMES)
def test_the_folder_bot_answers_as_the_learned_network(name: str, tmp_path: Path) -> None:
    """In whole matches from each seat every answer of the program is that of the network."""
    learned = learn(name, matches=60)
    write_bot_folder(learned, tmp_path / "mine")
    game, seats = learned.setup.game, learned.setup.seats

    def mine() -> Bot:
        return NumpyBot(learned)

    program = play_matches(game, GAMES[name], tmp_path / "mine", seats)
    here = play_matches(game, GAMES[name], mine, seats)
    assert program == here


@pytest.mark.parametrize("name", GAMES)
def test_plain_python_weighs_as_numpy_does(name: str) -> None:
    """Each probability is the same but for the last digits, also of a choice of three cards."""
    learned = learn(name, matches=40)
    setup, pairs = learned.setup, list[tuple[LearnedBot, NumpyBot]]()
    play = Play.deal(setup.variant, setup.seats, "1")
    for seat in range(setup.seats):
        pair = LearnedBot(Network(describe_network(learned))), NumpyBot(learned)
        for bot in pair:
            bot.greet(Greeting(name, seat, setup.seats, setup.variant, "1"))
        pairs.append(pair)
    while play.pending:
        for to, event in play.drain():
            for seat in range(setup.seats) if to is None else (to,):
                for bot in pairs[seat]:
                    bot.hear(event)
        for seat, question in dict(play.pending).items():
            plain, numeric = pairs[seat]
            answers, shares = zip(*plain.weigh(question), strict=True)
            assert answers == tuple(question.options)  # type: ignore[arg-type]
            assert shares == pytest.approx(numeric.weigh(question), abs=1e-9)
            play.answer(seat, plain.choose(question))


def test_the_folder_bot_needs_no_numpy(mark: str, tmp_path: Path) -> None:
    """It answers with the game's package and the arena alone."""
    write_bot_folder(learn(matches=16), tmp_path / "mine")
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['arena_pettingzoo'] = None\n"
        f"sys.path.insert(0, {str(tmp_path / 'mine')!r})\n"
        "import bot\n"
        "from arena import Greeting, Play\n"
        "made = bot.LearnedBot(bot.Network.load(bot.NETWORK_FILE))\n"
        "from arena_kuhn import Kuhn\n"
        "made.greet(Greeting('kuhn', 0, 2, Kuhn(), '1'))\n"
        "(question,) = Play.deal(Kuhn(), 2, '1').pending.values()\n"
        "print(made.choose(question))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment(mark),
        check=False,
    )
    assert done.stdout.strip() in {"True", "False"}, done.stderr


def test_another_table_is_refused() -> None:
    """A bot that was trained for six cards says so where there are five."""
    learned = learn("gops", matches=1)
    bot = LearnedBot(Network(describe_network(learned)))
    variant = learned.setup.game.read_variant({"cards": 5})
    with pytest.raises(
        ValueError, match=r'has learned gops with 2 seats and the options {"cards": 6'
    ):
        bot.greet(Greeting("gops", 0, 2, variant, "1"))


def test_a_game_without_an_encoder_is_learned_by_the_default_one() -> None:
    """The bot observes with it, too."""
    game = change(KUHN, encoder=None)
    learned = learn_game(game, matches=32, seed="1")
    assert learned.network.from_input.shape[0] == 512
    bot = LearnedBot(Network(describe_network(learned)), game)
    bot.greet(Greeting("kuhn", 0, 2, game.read_variant({}), "1"))
    (question,) = Play.deal(game.read_variant({}), 2, "1").pending.values()
    assert sum(share for _, share in bot.weigh(question)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "options", "table"),
    [
        ("coup", {"order": "arrival"}, 3),  # answers that come too late are withdrawn
        ("briscola", {}, 4),  # two teams
        ("gops", {"cards": 3, "ties": "split"}, 3),  # scores that are fractions
    ],
)
def test_other_tables_are_learned(name: str, options: dict[str, Any], table: int) -> None:
    """Matches with more seats, with teams, and where the first answer counts."""
    learned = learn_game(name, options=options, table=table, matches=40, seed="1")
    assert (learned.matches, learned.setup.seats) == (40, table)
    assert learned.share is not None
    assert 0 <= learned.share <= 1


@pytest.mark.parametrize(
    ("game", "given", "message"),
    [
        ("bs", {"matches": 1}, "does not list its actions"),
        ("kuhn", {"matches": 1, "table": 3}, "3"),
        ("kuhn", {"matches": 0}, "matches"),
        ("gops", {"matches": 1, "options": {"cards": 1}}, "nobody had a choice"),
        ("kuhn", {}, "say for how many matches or seconds"),
        ("kuhn", {"matches": 1, "options": {"cards": 4}}, "unknown option 'cards'"),
    ],
)
def test_what_cannot_be_learned_is_refused(game: str, given: Any, message: str) -> None:
    """With a line that says why."""
    with pytest.raises(UserError, match=message):
        learn_game(game, **given)


def test_selections_are_sums_of_what_they_select() -> None:
    """Unless two would be alike, as where their order counts."""
    parts = AnswerParts.of(GameSetup.of("hearts", None, {}))
    assert (len(parts.parts), parts.splits, parts.width) == (2 * 51, True, 3)
    ordered = change(KUHN, actions=lambda *_: ((1, 2), (2, 1)))
    parts = AnswerParts.of(GameSetup.of(ordered, None, {}))
    assert (parts.parts, parts.splits, parts.width) == (["[1, 2]", "[2, 1]"], False, 1)


def test_answers_are_drawn_by_their_probabilities() -> None:
    """Each of some questions at once, with as many answers as it has."""
    allowed = AllowedAnswers.join(
        [np.array([[0], [1]]), np.array([[2]]), np.array([[0], [1], [2]])]
    )
    outputs = np.log(np.array([[1.0, 3.0, 9.0]] * 3))
    logarithms = allowed.compute_logarithms(outputs)
    expected = [1 / 4, 3 / 4, 1, 1 / 13, 3 / 13, 9 / 13]
    assert np.exp(logarithms) == pytest.approx(expected)
    random = np.random.default_rng(1)
    drawn = np.array([allowed.draw(logarithms, random) for _ in range(4000)])
    counts = [
        np.mean(drawn[:, at] == answer)
        for at, most in enumerate((2, 1, 3))
        for answer in range(most)
    ]
    assert counts == pytest.approx(expected, abs=0.03)


def test_gradients_are_slopes() -> None:
    """They are what small steps change, of every weight and bias."""
    random = np.random.default_rng(1)
    small: list[Any] = [
        each.astype(float) for each in LayeredNetwork.create(3, 4, 2, random).parameters
    ]
    network = LayeredNetwork(*small)
    network.hidden_bias += random.random(4)
    observations: Any = random.random((5, 3))
    wanted: Any = random.random((5, 2))

    def measure() -> float:
        return float((network.compute(observations)[1] * wanted).sum())

    hidden, _ = network.compute(observations)
    found = network.find_gradients(observations, hidden, wanted)
    for weights, gradient in zip(network.parameters, found, strict=True):
        for at in np.ndindex(weights.shape):
            before = weights[at]
            weights[at] = before + 1e-5
            above = measure()
            weights[at] = before - 1e-5
            below = measure()
            weights[at] = before
            assert gradient[at] == pytest.approx((above - below) / 2e-5, abs=1e-6)


def test_the_folder_is_measured_against_each_bundled_bot(tmp_path: Path) -> None:
    """In deals of its own; with intervals that hold the share; the same each time."""
    learned = learn(matches=16)
    write_bot_folder(learned, tmp_path / "mine")
    first, again = ([*measure_bot(learned, tmp_path / "mine", deals=10)] for _ in range(2))
    assert first == again
    assert [each.opponent for each in first] == ["random", "careful", "optimal"]
    for each in first:
        assert each.deals == 10
        assert each.share.low < each.share.value < each.share.high


def test_the_command_writes_a_bot_and_prints_its_shares(cli: Cli, tmp_path: Path) -> None:
    """It says what repeats it, and refuses a folder that is there."""
    words = "learn kuhn --matches 64 --seed 1 --out mine"
    done = cli(*words.split())
    assert done.returncode == 0, done.stderr
    assert "--seed 1 --matches 64" in done.stdout
    assert [line.split()[1] for line in done.stdout.splitlines() if "│" in line] == [
        "random",
        "careful",
        "optimal",
    ]
    again = cli(*f"{words}2 --json".split())
    packed = json.loads(again.stdout)
    assert (packed["matches"], packed["seed"], packed["folder"]) == (64, "1", "mine2")
    assert [each["opponent"] for each in packed["against"]] == ["random", "careful", "optimal"]
    networks = [(tmp_path / name / "network.json").read_text() for name in ("mine", "mine2")]
    assert networks[0] == networks[1]
    refused = cli(*words.split())
    assert (refused.returncode, refused.stderr) == (
        2,
        "arena: mine already exists; name a new folder\n",
    )


def test_a_folder_that_cannot_be_written_is_refused_before_learning(tmp_path: Path) -> None:
    """Also one below a file; one whose parents are missing is not."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is not a folder that you may write"):
        check_new_folder(tmp_path / "file" / "mine")
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(UserError, match="already exists"):
        check_new_folder(tmp_path / "link")
    check_new_folder(tmp_path / "new" / "mine")


CUP = """
game = "kuhn"
matches = 6
workers = 1
[[entrant]]
bot = "mine"
untrusted = true
[[entrant]]
bot = "careful"
"""


def test_a_learned_bot_plays_a_tournament_in_a_sandbox(cli: Cli, tmp_path: Path) -> None:
    """Within the usual limits, without a verdict."""
    require_sandbox()
    write_bot_folder(learn(matches=16), tmp_path / "mine")
    (tmp_path / "cup.toml").write_text(CUP)
    done = cli("tournament", "run", "cup.toml")
    assert done.returncode == 0, done.stderr
    listed = cli("matches", "cup.toml", "--json")
    seats = [seat for line in listed.stdout.splitlines() for seat in json.loads(line)["seats"]]
    assert len(seats) == 12
    assert not any(seat.get("verdict") for seat in seats)
