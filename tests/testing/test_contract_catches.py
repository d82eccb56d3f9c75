"""Each test of the contract fails for a game that breaks what it is for, and says how."""

from __future__ import annotations

from typing import Any

import pytest

from arena.testing import SecretAlternatives
from tests.testing.games import boarding, chancy, face_down, faulty, gifts, leaky, offering, wiry
from tests.testing.games.higher import HIGHER, HigherPosition
from tests.testing.games.holding import TESTS, contract, describe_failure, refuses, run
from tests.testing.games.sealed import SEALED

pytestmark = pytest.mark.slow  # each broken game is tried until it breaks
TELL = "hidden_positions_stay_secret_until_an_answer"

EVENT, QUESTION = "Then list the event", "Who is asked, and may answer what, has to follow"
SCORES, ERROR = "Everybody sees `scores` after each round", "Refuse for reasons that follow"
SEALED_ADVICE = "or ask them one after the other"
"""What the contract advises, by what a leak shows in."""

LEAKS = {
    "IN_AN_EVENT": (TELL, rf"seat \d can tell.*guessed \d (odd|even).*{EVENT}"),
    "IN_THE_NUMBER_OF_MESSAGES": (TELL, rf"seat \d can tell.*'hand [^']*', 'hand.*{EVENT}"),
    "IN_THE_OPTIONS": (TELL, rf"seat \d can tell.*Lay\(options=\(\d+, \d.*{QUESTION}"),
    "IN_THE_DEFAULT": (TELL, rf"seat \d can tell.*default=\d.*{QUESTION}"),
    "IN_AN_ERROR": (TELL, rf"seat \d can tell.*illegal: not that, but \[.*{ERROR}"),
    "IN_A_LINE": (TELL, r"seat \d can tell.*\btext itself tells it"),
    "IN_A_NARRATOR": (TELL, r"seat \d can tell.*\bnarrator itself tells it"),
    "IN_THE_SCORES": (TELL, rf"seat \d can tell.*scores: 0\.\d.*{SCORES}"),
    "IN_THE_SCORES_AFTER_A_ROUND": (
        "hidden_positions_stay_secret_in_a_round",
        rf"seat \d can tell.*scores: \d.*{SCORES}.*tell it before, in an event that Secrecy\.reveals",
    ),
    "IN_THE_TURN": (TELL, rf"seat \d can tell.*Guess.*{QUESTION}"),
    "IN_A_SHARED_WIRE": (TELL, r"seat \d can tell.*gossip.*text itself tells it.*share nothing"),
    "IN_A_ROUND_THAT_ASKS_NOBODY": (TELL, rf"seat \d can tell.*guessed.*{EVENT}"),
    "BEHIND_ITS_OWN_ANSWER": (
        "hidden_positions_stay_secret_in_a_round",
        r"seat \d can tell.*from round \d on.*Secrecy\.reveals",
    ),
    "BEHIND_AN_EQUAL_REVEAL": (
        "hidden_positions_stay_secret_in_a_round",
        r"seat \d can tell.*from round \d on.*'hand \d",
    ),
    "IN_THE_DEAL": ("deals_tell_nothing", "the deal tells .*in a round"),
    "IN_A_SEALED_ASK": (
        "simultaneous_answers_stay_secret",
        rf"seat \d can tell, before it has answered.*not that, but \[.*{SEALED_ADVICE}",
    ),
    "IN_A_SELDOM_ASK": (
        "simultaneous_answers_stay_secret",
        rf"seat \d can tell, before it has answered.*not that, but \[.*{SEALED_ADVICE}",
    ),
}

CHANCE, AGAIN, SETS = (
    "all_chance_comes_from_the_table",
    "seed_and_answers_determine_the_game",
    "the_order_of_sets_does_not_matter",
)

CHANCES = {
    "BY_THE_MODULE": (CHANCE, r"`random\..*of the module.*in shuffled.*chancy\.py.*table\.random"),
    "BY_AN_IMPORTED_FUNCTION": (CHANCE, r"of the module.*in shuffled.*chancy\.py.*table\.random"),
    "BY_A_GENERATOR": (CHANCE, r"seed.*in generator.*chancy\.py.*table\.random"),
    "BY_SYSTEM": (CHANCE, r"urandom.*in shuffled.*chancy\.py.*table\.random"),
    "BY_TIME": (CHANCE, r"a clock, `time\.time`.*in generator.*chancy\.py"),
    "BY_DATE": (CHANCE, r"a clock, `datetime\.now`.*in generator.*chancy\.py"),
    "BY_COUNT": (AGAIN, "a second run went differently"),
    "SELDOM": (AGAIN, r"\A(a second run|the same case does not)"),
    "BY_SET": (SETS, "another interpreter.*order of a set"),
    "BY_HASH": (SETS, "another interpreter.*a hash"),
    "BY_ADDRESS": (SETS, "another interpreter"),
    "BEFORE_THE_REVEAL": (
        "draws_do_not_depend_on_hidden_positions",
        r"the draws depend on what seat \d may not know.*in reveal, .*chancy\.py:\d",
    ),
    "BY_THE_STOCK": (
        "draws_do_not_depend_on_hidden_positions",
        r"the draws depend on what seat \d may not know.*in show, .*chancy\.py:\d",
    ),
}

LOOPS = {
    "WITHOUT_QUESTIONS": ("every_game_ends", "end"),
    "WITH_A_LOOP": ("every_game_ends", r"end.*in \w+, .*\.py:\d"),
    "WITH_A_TIGHT_LOOP": ("every_game_ends", r"end.*in guesser, .*chancy\.py:\d"),
}

ENDLESS = {"FOR_EVER": ("every_game_ends", "has not ended after 20000 answers"), **LOOPS}

AT_ONCE = {"cpu_limit_seconds": 0.2}  # seconds of the processor: nothing but the limit ends a loop

OPTIONS, ACTIONS, FIGURES = (
    "options_contain_what_they_list",
    "actions_include_every_answer",
    "observations_range_from_0_to_1",
)

FAULTS = {
    "FORGETFUL": ("no_await_is_missing", r"rest.*never awaited.*`await` missing"),
    "WITHOUT_A_SCORE": ("scores_are_complete", "are 1 for 2 seats"),
    "WITH_A_SCORE_MORE": ("scores_are_complete", "are 3 for 2 seats"),
    "WITH_NO_NUMBER": ("scores_are_complete", "contain nan"),
    "MUTABLE": ("positions_are_frozen_data", "a Mutable can be changed"),
    "LISTING": ("positions_are_frozen_data", "unhashable type: 'list'"),
    "IDENTICAL": ("positions_are_frozen_data", "equal"),
    "LEAVING_ONE_OUT": (
        "private_events_are_told_to_every_seat",
        r"seat 1 is never told Hand.*Secrecy\.one_sided",
    ),
    "WITH_AN_UNLISTED_EVENT": ("messages_survive_a_round_trip", "Laid is not among the game's"),
    "WITH_A_TALLY": ("messages_survive_a_round_trip", r"Tally.* is read as Tally"),
    "CHANGING": ("messages_survive_a_round_trip", "OnTheTable.*chang"),
    "WITH_SHY_OPTIONS": (OPTIONS, r"\d is listed, but refused: I would rather not"),
    "WITH_AN_ILLEGAL_DEFAULT": ("defaults_and_draws_are_legal", "default.*99 is not one of"),
    "WITHOUT_REASONS": ("illegal_answers_are_refused_and_change_nothing", "without a reason"),
    "IMPATIENT": ("illegal_answers_are_refused_and_change_nothing", "chang|differently"),
    "FAILING_FOR_THREE": ("every_number_of_seats_works", "three cards.*seats=3"),
    "FAILING_LOW": ("every_option_works", "the lowest card.*'lowest': True"),
    "REFUSING": (
        "every_game_ends",
        "the rules reject an answer that their question allows: not higher",
    ),
    "GROWING": ("variants_survive_a_round_trip", "'cards': 3.*is read as"),
}

OFFERS = {
    "WITH_A_CHEAT": ("bots_play_without_fault", "the bot cheat fails: illegal: 99 is not one of"),
    "WITH_A_MOODY_BOT": ("bots_play_without_fault", "the bot moody plays differently each time"),
    "WITHOUT_ANOTHER": (
        "hidden_information",
        r"never.*only seat \d is told Hand.*; let `resample_hidden` exchange",
    ),
    "WITH_TOO_MUCH_OF_ANOTHER": (TELL, r"seat \d can tell.*'hand \d"),
    "WITH_TOO_LITTLE_OF_ANOTHER": (
        "resampling_changes_what_others_are_told",
        r"`resample_hidden` for seat \d never changed what only seat \d is",
    ),
    "WITH_FEWER_ACTIONS": (ACTIONS, r"\d+ is a possible answer, but not an action"),
    "WITH_AN_ACTION_TWICE": (ACTIONS, "an action is listed twice"),
    "WITH_LONGER_FIGURES": (FIGURES, r"\d+ numbers, but \d+ in the first"),
    "WITH_LARGER_FIGURES": (FIGURES, r"\d\.0 is not between 0 and 1"),
    "WITH_FADING_FIGURES": (FIGURES, "reading an observation changes later ones"),
    "WITH_ONE_NAME_FOR_ALL": (
        "encoders_rename_each_answer_to_another",
        "gives two answers one name",
    ),
}

GARBAGE = "garbage_is_malformed_or_illegal"

LINES = {
    "TRUSTING": (GARBAGE, r"ValueError.*in read\), for the line ''; raise MalformedLineError"),
    "UNREASONING": (GARBAGE, "'' is refused as malformed without a reason"),
    "OFF": ("answers_survive_a_round_trip", r"text: \d+ is written as '\d+'"),
    "UNSPLIT": ("answers_survive_a_round_trip", "has a newline"),
    "NUMBERS": ("answers_survive_a_round_trip", r"\d+ is not a text"),
    "SILENT": ("descriptions_are_in_words", "Hand.* has an empty description"),
    "WORDLESS": ("descriptions_are_in_words", "Guess.* is asked without a word"),
    "RAW": ("descriptions_are_in_words", "<object object.*shows an object's address"),
}

ZONES = {
    "GOSSIPING": (
        "boards_change_only_by_their_own_events",
        r"the zones of seat \d changed at Hand",
    ),
    "LEAKING": (TELL, r"seat \d can tell, by board.*board itself tells it"),
    "UNWRITTEN": ("zones_serialize_to_json", "hand0: .* cannot be written as JSON"),
    "UNEVEN": ("zones_serialize_to_json", "hand0: 1 cards, but 2 seats"),
    "OF_NOBODY": ("zones_serialize_to_json", "hand0: there is no seat 7"),
}

ANSWERS = "answers_stay_secret_until_revealed"
LATER = "secret_answers_stay_secret_in_later_rounds"
ALTERNATIVES = "secret_answers_have_alternatives"

SECRETS = {
    "IN_THE_EVENT": (ANSWERS, r"seat \d can tell.*what seat \d answered to Give.*Offered"),
    "TO_EVERYBODY": (ANSWERS, r"seat \d can tell.*what seat \d answered to Give.*Peeked"),
    "TO_THE_NEIGHBOUR": (ANSWERS, r"only seat \d is told Peeked.*is it the right seat"),
    "TO_THE_NEIGHBOUR_UNDECLARED": (
        ANSWERS,
        r"only seat \d is told Peeked.*Secrecy\.private_reveals",
    ),
    "BY_THE_NUMBER": (
        ALTERNATIVES,
        r"secret_answers\[Give\]\.at_once returns something else for each",
    ),
    "OF_NOTHING": (ALTERNATIVES, r"secret_answers\[Call\]\.at_once raises AttributeError"),
    "IN_THE_DEFAULT": (ANSWERS, r"seat \d can tell.*answered to Give.*default"),
    "IN_A_LATER_ROUND": (LATER, r"seat \d can tell.*answered to Give.*Peeked"),
    "BEHIND_AN_EQUAL_REVEAL": (ANSWERS, r"seat \d can tell.*answered to Give.*default"),
    "IN_THE_OPTIONS": (ANSWERS, r"seat \d can tell.*answered to Give.*peek"),
    "IN_A_SHARED_NARRATOR": (
        ANSWERS,
        r"seat \d can tell.*answered to Give.*It is \d.*narrator itself tells it.*share nothing",
    ),
    "IN_THE_DEFAULT_UNDECLARED": (ANSWERS, r"seat \d can tell.*Secrecy\.secret_answers"),
    "UNDECLARED": (
        ANSWERS,
        r"Turned depends on what seat \d answered to Give.*secret_answers=\{Give: Secret\(",
    ),
}

GIFTS = {
    "UNDECLARED": (
        ANSWERS,
        r"Weighed depends on what seat \d answered to Give.*later=\{Weighed: lambda",
    ),
    "AS_ADVISED": (ANSWERS, r"seat \d can tell.*what seats? \d.* answered to Give.*Weighed"),
    "REVEALING": (
        ANSWERS,
        r"seat \d can tell.*what seat \d answered to Give.*Given.*\(now no event\)",
    ),
    "WITH_THE_COIN": (ANSWERS, r"seat \d can tell.*what seats? \d.* answered to Give.*Weighed"),
    "LOWEST_GIVER": (ANSWERS, r"seat \d can tell.*seats \d and \d answered to Give.*Whispered"),
    "EQUAL_GIFTS": (ANSWERS, r"seat \d can tell.*seats \d and \d answered to Give.*Whispered"),
    "GOLD_GIVERS": (ANSWERS, r"seat \d can tell.*seat \d answered to Give.*Whispered"),
    "FAILING": (ANSWERS, r"secret_answers\[Give\]\.later\[Given\] raises TypeError"),
}

PLACES = (boarding, leaky, chancy, face_down, faulty, gifts, offering, wiry)
BROKEN = {
    **{(leaky, name): what for name, what in LEAKS.items()},
    **{(chancy, name): what for name, what in CHANCES.items()},
    **{(chancy, name): what for name, what in ENDLESS.items()},
    **{(faulty, name): what for name, what in FAULTS.items()},
    **{(offering, name): what for name, what in OFFERS.items()},
    **{(wiry, name): what for name, what in LINES.items()},
    **{(boarding, name): what for name, what in ZONES.items()},
    **{(face_down, name): what for name, what in SECRETS.items()},
    **{(gifts, name): what for name, what in GIFTS.items()},
}


@pytest.mark.parametrize(
    ("where", "name", "test", "words"),
    [(where, name, *what) for (where, name), what in BROKEN.items()],
    ids=[f"{where.__name__.rpartition('.')[2]}-{name.lower()}" for where, name in BROKEN],
)
def test_a_broken_game_is_refused(where: object, name: str, test: str, words: str) -> None:
    """The test that is meant for what is wrong with a game fails, and tells its author what."""
    refuses(getattr(where, name), test, words, **AT_ONCE if name in LOOPS else {})


def test_every_broken_game_has_its_test() -> None:
    """No game is broken for nothing."""
    games = {
        (where, name)
        for where in PLACES
        for name in vars(where)
        if name.isupper() and hasattr(getattr(where, name), "variant")
    }
    assert games - {(where, "HIGHER") for where in PLACES} == {
        *BROKEN,
        (leaky, "ONE_BY_ONE"),
        (leaky, "AS_ADVISED"),
        (faulty, "ASSERTING"),
        (offering, "TELLING_ALL_ALIKE"),
        (face_down, "SOUND"),
        (gifts, "SOUND"),
    }


def test_scores_may_follow_from_what_is_told_before() -> None:
    """Whoever does what the contract advises keeps its laws."""
    for law in (TELL, "hidden_positions_stay_secret_in_a_round"):
        run(contract(leaky.AS_ADVISED), law)


def test_what_a_seat_is_always_told_need_not_change() -> None:
    """What each seat is told alone, but the same each time, hides nothing that must be mixed."""
    law = "resampling_changes_what_others_are_told"
    run(contract(offering.TELLING_ALL_ALIKE), law)
    refuses(offering.WITH_TOO_LITTLE_OF_ANOTHER, law, "never changed")


@pytest.mark.parametrize("name", ENDLESS)
def test_no_test_waits_for_the_end_of_an_endless_game(name: str) -> None:
    """Not one test of the contract goes on for ever, whether it is for that or not."""
    made = contract(getattr(chancy, name), max_examples=2, **AT_ONCE)
    for test in TESTS:
        assert "TooLong" not in describe_failure(made, test)


def test_nothing_hidden_is_said_of_a_game_that_hides() -> None:
    """Who says so must have no other positions."""
    refuses(
        HIGHER,
        "hidden_information",
        r"`nothing_hidden = True` is set, but for seat \d there is another position",
        nothing_hidden=True,
    )


@pytest.mark.parametrize(
    "more", [{"fixed_options": {"card": 1}}, {"option_sets": ({"card": 1},)}], ids=str
)
def test_options_that_there_are_not_are_named(more: dict[str, Any]) -> None:
    """A slip of the pen in the contract is none of the game, and not passed over."""
    refuses(HIGHER, "every_game_ends", "unknown key 'card'; did you mean cards", **more)


def test_a_secret_that_comes_to_light_too_soon() -> None:
    """The seat that can tell, the wire by which, and the moment are named."""
    variant = leaky.ONE_BY_ONE.variant()
    position = leaky.OneByOne(variant, ((2, 4), (1, 6)), (3, 5), (0, 0))
    early = SecretAlternatives(position, [(0, 2), (1, 1)], [(0, 4), (1, 1)], blind_seats=(1,))
    refuses(
        leaky.ONE_BY_ONE,
        "delayed_reveals",
        r"seat 1 can tell, by text, after 1 answers.*\(2,\)|laid 2",
        secrets=(early,),
    )


def test_a_secret_that_is_said_to_be_one_for_too_long() -> None:
    """What is shown at the end of a round is no secret any more."""
    late = SecretAlternatives(
        SEALED.position, SEALED.answers, SEALED.other_answers, SEALED.blind_seats
    )
    words = r"seat 0 can tell, by text, after 3 answers"
    refuses(HIGHER, "delayed_reveals", words, secrets=(late,))


def test_a_secret_of_what_is_held() -> None:
    """Two positions are the two ways, and the answers are the same."""
    here, there = ((2, 4), (1, 6)), ((2, 4), (3, 6))
    variant, answers = HIGHER.variant(), [(0, "odd")]
    for blind, known in ((0, False), (1, True)):
        secret = SecretAlternatives(
            HigherPosition(variant, here, (3, 5), (0, 0)),
            answers,
            answers,
            blind_seats=(blind,),
            until=0,
            other_position=HigherPosition(variant, there, (1, 5), (0, 0)),
        )
        if known:
            words = "seat 1 can tell, by text, after 0 answers"
            refuses(HIGHER, "delayed_reveals", words, secrets=(secret,))
        else:
            contract(HIGHER, secrets=(secret,)).test_delayed_reveals()


def test_a_secret_of_which_there_is_one_way() -> None:
    """Two ways that are one prove nothing."""
    same = SecretAlternatives(SEALED.position, SEALED.answers, SEALED.answers, SEALED.blind_seats)
    refuses(
        HIGHER,
        "delayed_reveals",
        "both ways to continue from a secret are the same",
        secrets=(same,),
    )
