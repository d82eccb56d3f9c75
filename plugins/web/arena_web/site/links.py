"""The addresses of the pages of a static site, which are files."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from attrs import frozen

from arena_web.addresses import Links

PLAIN = r"[^A-Za-z0-9_@+-]"  # what is something else in the name of a file is spelled out


@frozen
class SiteLinks(Links):
    """Relative addresses of pages that are files."""

    def __call__(self, *parts: str, **query: object) -> str:
        """Return the address of a page; "" for parts and streams, which need a server.

        >>> SiteLinks("./")(page=2), SiteLinks("./")()
        ('./standings-2.html', './index.html')

        >>> SiteLinks("../")("m", "12.0"), SiteLinks("./")("matches", bot="x", end="")
        ('../match.html#m=12.0', './matches.html#bot=x')
        """
        if "part" in query or parts == ("events",):
            return ""
        return self.base + self._file(*parts, **query)

    def verdict(self, key: str, seat: int) -> str:
        """Return the address of the step at which a seat failed in a match.

        >>> SiteLinks("../").verdict("12.0", 1)
        '../match.html#m=12.0&verdict=1'
        """
        return f"{self('m', key)}&verdict={seat}"

    def _file(self, *parts: str, **query: object) -> str:
        words = urlencode({name: str(value) for name, value in query.items() if value})
        match parts:
            case () | ("",):
                return f"standings-{query['page']}.html" if query.get("page") else "index.html"
            case ("m", key):
                return f"match.html#m={quote(key)}"
            case ("bots", name):
                return f"bots/{quote(name_bot_file(name), safe='@~')}"
            case ("compare",) if query.get("against"):
                return _name_comparison(str(query["bot"]), str(query["against"]))
            case ("matches",):
                return f"matches.html{'#' * bool(words)}{words}"
        return parts[0] if "." in parts[0] else f"{parts[0]}.html"


def name_bot_file(name: str) -> str:
    """Return the name of the file of a bot's page.

    >>> name_bot_file("ruby/x@0a1b")
    'ruby~2fx@0a1b.html'
    """
    return re.sub(PLAIN, lambda match: f"~{ord(match[0]):x}", name) + ".html"


def name_pair_file(bot: str, against: str) -> str:
    """Return the name of the file of the page that shows two bots, in either order.

    >>> name_pair_file("x@0a1b", "match")
    'match.x.html'
    """
    stems = sorted(name_bot_file(_drop_version(bot)) for bot in (bot, against))
    return f"{stems[0].removesuffix('.html')}.{stems[1]}"


def _name_comparison(bot: str, against: str) -> str:
    return f"compare/{quote(name_pair_file(bot, against), safe='@~')}"


def _drop_version(bot: str) -> str:
    return bot.partition("@")[0]
