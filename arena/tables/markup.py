"""Texts of strangers in Markdown and HTML, where none of their characters means anything."""

from __future__ import annotations

import re

from arena.wires import to_printable

MARKDOWN_SYNTAX = re.compile(r"([\\`*_\[\]<>|~&#!$])")
"""The characters with a meaning in Markdown, within a cell of a table."""


def escape_markdown(text: str) -> str:
    """Return a text with the special characters of Markdown escaped."""
    return MARKDOWN_SYNTAX.sub(r"\\\1", to_printable(text))


def escape_html(text: str) -> str:
    """Return a text with the special characters of HTML escaped."""
    from html import escape  # with all entities, which most commands start without

    return escape(to_printable(text))


def to_html_paragraph(text: str) -> str:
    """Return a text as an HTML paragraph."""
    return f"<p>{escape_html(text)}</p>"
