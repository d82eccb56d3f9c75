"""English for the lines that people read: lists, counts, ranges and shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SHORTEST_SECONDS = 0.001  # that are written as such


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """Return words joined with commas and a conjunction; "" if there are none.

    >>> join_words(["Ann"]), join_words(["Ann", "Bob", "Eve"]), join_words(["1", "3"], "or")
    ('Ann', 'Ann, Bob and Eve', '1 or 3')
    """
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def format_count(number: int, unit: str) -> str:
    """Return a number with its unit, in the plural where needed.

    >>> format_count(1, "trick"), format_count(13, "trick")
    ('1 trick', '13 tricks')
    """
    return f"{number} {unit}{'' if number == 1 else 's'}"


def format_choices(numbers: Sequence[int]) -> str:
    """Return the numbers that are allowed in words, such as those of players.

    >>> format_choices(range(2, 5)), format_choices(range(2, 7, 2)), format_choices(range(2, 3))
    ('2 to 4', '2, 4 or 6', '2')
    """
    least, most = min(numbers), max(numbers)
    if 0 < most - least == len(numbers) - 1:
        return f"{least} to {most}"
    return join_words(map(str, sorted(numbers)), "or")


def describe_number(
    noun: str,
    least: object = None,
    most: object = None,
    *,
    above: bool = False,
    below: bool = False,
) -> str:
    """Describe the numbers that are allowed; `VALUE is not` stands before it in all messages.

    With `above` the least is not allowed itself, with `below` the most.

    >>> describe_number("a whole number", 1, 9), describe_number("a number", 0.0, above=True)
    ('a whole number from 1 to 9', 'a number above 0')
    >>> describe_number("a number", 0, 0.5, above=True)
    'a number above 0 and at most 0.5'
    """
    low, high = (str(bound).removesuffix(".0") for bound in (least, most))
    if least is None and most is None:
        return noun
    if most is None:
        return f"{noun} {'above' if above else 'of at least'} {low}"
    if least is None:
        return f"{noun} {'below' if below else 'of at most'} {high}"
    if above == below:
        return f"{noun} between {low} and {high}" if above else f"{noun} from {low} to {high}"
    lower, upper = ("above", "at most") if above else ("of at least", "below")
    return f"{noun} {lower} {low} and {upper} {high}"


def format_seconds(seconds: float) -> str:
    """Write a time of some seconds, or of less.

    >>> format_seconds(12.5), format_seconds(0.0264), format_seconds(0.0004)
    ('12.5 s', '0.026 s', 'under 0.001 s')
    """
    if 0 <= seconds < SHORTEST_SECONDS:
        return f"under {SHORTEST_SECONDS} s"
    return f"{seconds:.3g} s" if abs(seconds) >= 1 else f"{seconds:.3f} s"


def format_share(share: float) -> str:
    r"""Write a share or a probability; its percent sign stays on the line of the figure.

    >>> format_share(0.254)
    '25\xa0%'
    """
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
