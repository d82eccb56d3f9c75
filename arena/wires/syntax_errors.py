"""What is wrong in a text of JSON or TOML, in the words of the arena.

The libraries speak to whoever wrote the parser (`Expecting value: line 1 column 1 (char 0)`), and
each in its own way; a release of Python may change their words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import JSONDecodeError

JSON_REASONS = {
    "Expecting value": "a value is missing",
    "Expecting property name": "a name in double quotes is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Illegal trailing comma": "there is a comma behind the last value",
    "Extra data": "there is more behind the value",
    "Unterminated string": "a text has no closing quotation mark",
    "Invalid control character": "a text has a control character or a line break",
    "Invalid \\": "a text has a backslash that stands for nothing",
}
"""By the beginning of what Python's library says."""

TOML_REASONS = {
    "Invalid value": "the value is missing, or a text without quotation marks",
    "Invalid statement": "this is neither NAME = VALUE nor [TABLE]",
    "Invalid initial character": "a name is missing",
    "Expected '='": "= is missing behind the name",
    "Expected newline": "there is more behind the value",
    "Expected ']": "a closing bracket is missing",
    "Expected \"'": "a text has no closing quotation mark",
    "Expected '\"": "a text has no closing quotation mark",
    "Unclosed array": "a closing bracket is missing",
    "Unclosed inline table": "a closing brace is missing",
    "Unterminated string": "a text has no closing quotation mark",
    "Illegal character": "a text has a control character or a line break",
    "Unescaped": "a text has a backslash that stands for nothing",
    "Cannot overwrite": "this name is there twice",
    "Cannot declare": "this table is there twice",
    "Duplicate inline": "this name is there twice",
}
"""By the beginning of what Python's library says."""

TOML_PLACE = re.compile(r"(.+) \(at (?:(line \d+, column \d+)|(end of document))\)", re.DOTALL)


def describe_json_error(problem: Exception) -> str:
    """Return why a text is not JSON, with the place, in a few words.

    >>> import json
    >>> for text in ('{"a": 1', '', '[1] x'):
    ...     try:
    ...         json.loads(text)
    ...     except ValueError as problem:
    ...         print(describe_json_error(problem))
    a comma is missing (column 8)
    it is empty
    there is more behind the value (column 5)
    """
    match problem:
        case JSONDecodeError(doc=text) if not text.strip():
            return "it is empty"
        case JSONDecodeError():
            several = f"line {problem.lineno}, " if "\n" in problem.doc.strip() else ""
            reason = _find_reason(JSON_REASONS, problem.msg)
            return f"{reason} ({several}column {problem.colno})"
        case UnicodeEncodeError():
            return "a text has half a character (a lone surrogate)"
        case RecursionError():
            return "it is nested too deeply"
    return _describe_value_error(problem)


def describe_toml_error(problem: Exception) -> str:
    """Return why a text is not TOML, with the place, in a few words.

    >>> import tomllib
    >>> for text in ("a = ", "a = b c", "a = [1"):
    ...     try:
    ...         tomllib.loads(text)
    ...     except ValueError as problem:
    ...         print(describe_toml_error(problem))
    the value is missing, or a text without quotation marks (at the end)
    the value is missing, or a text without quotation marks (line 1, column 5)
    a closing bracket is missing (at the end)
    """
    if isinstance(problem, RecursionError):
        return "its tables and lists are nested too deeply"
    place = TOML_PLACE.fullmatch(str(problem))
    if not place:
        return _describe_value_error(problem)
    return f"{_find_reason(TOML_REASONS, place[1])} ({place[2] or 'at the end'})"


def _describe_value_error(problem: Exception) -> str:
    """Return the text of an error of another kind, but for one of Python's on whole numbers."""
    return "a number is too long" if "int_max_str_digits" in str(problem) else str(problem)


def _find_reason(reasons: Mapping[str, str], text: str) -> str:
    """Return the arena's words, or the library's where it has none."""
    known = (reasons[start] for start in reasons if text.startswith(start))
    return next(known, text[:1].lower() + text[1:])


def describe_unknown_format(found: object, known: int) -> str:
    """Say that a file has another format than the one that this version reads.

    >>> describe_unknown_format(2, 1)
    'format 2 is not supported (this version reads 1)'
    """
    return f"format {found!r} is not supported (this version reads {known})"
