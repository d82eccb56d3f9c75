"""One-line messages for usage errors; those of click name Python types."""

from __future__ import annotations

from typing import Any

import click


def describe_usage_error(problem: click.ClickException) -> str:
    """Describe a usage error in one line, with the command for help."""
    return f"{_describe(problem)}{_format_hint(problem)}"


def _describe(problem: click.ClickException) -> str:
    match problem:
        case click.MissingParameter():
            kind = getattr(problem.param, "param_type_name", "parameter")
            return f"missing {kind} {_get_name(problem)}"
        case click.BadParameter():
            reason = _describe_bad_value(problem)
            return f"{name}: {reason}" if (name := _get_name(problem)) else reason
        case click.NoSuchOption(option_name=name, possibilities=guesses):
            return f"unknown option {name}{_format_guess(guesses)}"
    command = getattr(problem, "command_name", None)  # click < 8.4 has no NoSuchCommand
    if command:
        guesses = getattr(problem, "possibilities", None)
        return f"unknown command {command!r}{_format_guess(guesses)}"
    text = problem.format_message()
    starts_with_word = text[1:2].islower()
    return (text[:1].lower() + text[1:] if starts_with_word else text).removesuffix(".")


def _describe_bad_value(problem: click.BadParameter) -> str:
    """Describe an invalid value; for numbers, include the allowed range."""
    value, is_refused, _ = problem.message.partition(" is not ")
    allowed = _describe_numbers(problem.param.type) if problem.param else ""
    if is_refused and allowed:
        return f"{value} is not {allowed}"
    return problem.message.removesuffix(".")


def _describe_numbers(kind: Any) -> str:
    """Describe the numbers that a parameter allows; return "" for other types."""
    noun = _name_number(kind)
    if not noun:
        return ""
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    is_open = getattr(kind, "min_open", False)  # the bound is excluded
    if least is not None and most is not None:
        return f"{noun} between {least} and {most}" if is_open else f"{noun} from {least} to {most}"
    if least is not None:
        return f"{noun} {'above' if is_open else 'of at least'} {least}"
    return noun if most is None else f"{noun} of at most {most}"


def _name_number(kind: Any) -> str:
    if isinstance(kind, click.types.IntParamType):
        return "a whole number"
    if isinstance(kind, click.types.FloatParamType):
        return "a number of seconds" if kind.name == "seconds" else "a number"
    return ""


def _get_name(problem: click.BadParameter) -> str:
    """Return the name of the invalid parameter as typed, or "" if it is unknown."""
    param = problem.param
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    if param is None:
        return problem.param_hint if isinstance(problem.param_hint, str) else ""
    return param.metavar or param.human_readable_name.upper()


def _format_guess(guesses: Any) -> str:
    return f"; did you mean {guesses[0]}?" if guesses else ""


def _format_hint(problem: click.ClickException) -> str:
    context = getattr(problem, "ctx", None)
    return f" (see {context.command_path} --help)" if context else ""
