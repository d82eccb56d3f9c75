"""What the address of a page asks for: all that a page has to know of a request."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen


@frozen
class PageQuery:
    """The parameters in the address of a page, of its path and behind the question mark.

    >>> PageQuery({"bot": "match"}, {"page": "2"}).get("page"), PageQuery().get("page", "1")
    ('2', '1')
    """

    path: Mapping[str, str] = field(factory=dict)
    parameters: Mapping[str, str] = field(factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """Return a parameter behind the question mark, or the default if it is not there."""
        return self.parameters.get(name, default)
