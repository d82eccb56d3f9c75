"""The web part: pages, steps, followers, watched runs, each beside a bare ASGI page.

`python -m benchmarks.web --matches 1000000`; the yardstick is a Starlette application that
answers 1 kB of text, called as the pages are, in turn with them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import click
from attrs import define, frozen
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from arena.records import parse_text
from arena.tournament import Tournament
from arena.tournament.store import Store
from arena.wires import dump
from arena_web.app import build_application
from arena_web.pages.replays import build_replay
from arena_web.routes import SourcePages
from arena_web.server import freeze_objects
from arena_web.sources.tournament import open_sources, split_key
from benchmarks.million import filled
from benchmarks.ratios import Ratio, report
from benchmarks.web_streams import crowds
from benchmarks.web_watched import watched

TURNS = 9
TEXT = "x" * 1000
BOTS = {"gops": ("hard", "match"), "bs": ("liar", "caller", "counter", "honest")}
GZIP = (b"accept-encoding", b"gzip")
T = "/t/{name}/"


async def _text(_: Request) -> PlainTextResponse:
    return PlainTextResponse(TEXT)


BARE = Starlette(routes=[Route("/", _text)])
"""The yardstick."""


@frozen
class Answer:
    """What came back."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


async def call(app: ASGIApp, path: str, *more: tuple[bytes, bytes]) -> Answer:
    """Ask an application as a server does, without sockets."""
    parts: list[bytes] = []
    start: dict[str, Any] = {}
    where, _, query = path.partition("?")
    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": where,
        "raw_path": where.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"localhost"), GZIP, *more], "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
        else:
            parts.append(message.get("body", b""))

    await app(scope, receive, send)
    return Answer(start["status"], dict(start["headers"]), b"".join(parts))


async def cost(app: ASGIApp, paths: Iterable[str], *more: tuple[bytes, bytes]) -> float:
    """Return the processor seconds of one answer, threads and all."""
    asked = [*paths]
    began = process_time()
    for path in asked:
        answer = await call(app, path, *more)
        assert answer.status in {200, 304}, (path, answer.status)
    return (process_time() - began) / len(asked)


def serving(*what: Path) -> Starlette:
    """Return the application that serves these, without limits."""
    pages = SourcePages(open_sources(map(str, what)))
    freeze_objects()
    return build_application(pages.routes, limits={}, closing=[pages.close])


def played(folder: Path, game: str, matches: int) -> Path:
    """Play a small tournament whose transcripts are kept; return its database."""
    path = folder / f"{game}.db"
    Tournament(
        game, [*BOTS[game]], database=path, matches=matches, table=len(BOTS[game]),
        transcripts="all", workers=1, check=False, duplicate=False,
    ).run()  # fmt: skip
    return path


@define
class Bench:
    """An application, and the yardstick beside it."""

    app: ASGIApp
    calls: int  # of each page

    async def ratio(self, what: str, paths: Sequence[str], *more: tuple[bytes, bytes]) -> Ratio:
        """Measure one kind of page."""
        yard = await cost(BARE, ["/"] * 200)
        return Ratio(what, await cost(self.app, paths, *more) / yard)

    async def page(self, what: str, path: str) -> list[Ratio]:
        """Measure a page that was seen before, and the answer that it is still the same."""
        first = await call(self.app, path)
        found = [await self.ratio(what, [path] * self.calls)]
        if tag := first.headers.get(b"etag"):
            known = (b"if-none-match", tag)
            found.append(await self.ratio(f"{what}, 304", [path] * self.calls, known))
        return found


async def pages(app: ASGIApp, calls: int) -> list[Ratio]:
    """Return what pages of a large tournament cost."""
    bench, t = Bench(app, calls), T.format(name="large")
    return [
        *await bench.page("standings of 50 bots", t),
        *await bench.page("their matrix", t + "matrix"),
        *await bench.page("a list of 50 matches", t + "matches"),
        *await bench.page("a list of 50, by bot", t + "matches?bot=bot7"),
    ]


async def steps(app: ASGIApp, game: str, keys: Sequence[str]) -> list[Ratio]:
    """Return what replays cost: each match for the first time, then one that was seen."""
    bench, t = Bench(app, len(keys)), T.format(name=game)
    seats = range(len(BOTS[game]))
    third = len(keys) // 3
    one, every, others = keys[:third], keys[third : 2 * third], keys[2 * third :]
    warm = f"{t}m/{one[0]}/steps?eye=0"
    eyes = ("all", "public", *seats)
    all_eyes = [f"{t}m/{key}/steps?eye={eye}" for key in others for eye in eyes]
    whole = await bench.ratio(f"{game}: steps of all eyes, cold", all_eyes)
    return [
        await bench.ratio(f"{game}: steps of a seat, cold", [f"{t}m/{k}/steps?eye=0" for k in one]),
        await bench.ratio(f"{game}: steps of `all`, cold", [f"{t}m/{key}/steps" for key in every]),
        Ratio(whole.what, whole.value * len(eyes)),
        await bench.ratio(f"{game}: steps, warm", [warm] * len(keys)),
    ]


def read_and_said(path: Path) -> float:
    """Return the processor seconds of a seat's steps alone, from stored lines to JSON."""
    with Store.open(path, write=False) as store:
        texts = [store.load_transcript(*split_key(one["match"])) for one in store.find_matches()]
    began = process_time()
    for text in filter(None, texts):
        dump(build_replay(parse_text(text.decode(), ahead=False), "0"))
    return (process_time() - began) / len(texts)


def measure(folder: Path, calls: int, replays: int) -> list[Ratio]:
    """Return this turn's figures; the application is new, so that nothing is warm."""
    app = serving(*(folder / f"{name}.db" for name in ("large", *BOTS)))

    async def found() -> list[Ratio]:
        figures = await pages(app, calls)
        for game in BOTS:
            figures += await steps(app, game, [f"{deal}.0" for deal in range(replays)])
            yard = await cost(BARE, ["/"] * 200)
            alone = read_and_said(folder / f"{game}.db") / yard
            figures.append(Ratio(f"{game}: steps of a seat, cold, without a request", alone))
        return figures

    return asyncio.run(found())


def prepared(folder: Path, matches: int, replays: int) -> None:
    """Make what is served."""
    filled(folder / "large.db", matches)
    for game in BOTS:
        played(folder, game, replays)


@click.command()
@click.option("--matches", default=100_000, show_default=True, help="Of the large tournament.")
@click.option("--replays", default=30, show_default=True, help="Matches of the others.")
@click.option("--turns", default=TURNS, show_default=True)
@click.option("--part", type=click.Choice(["pages", "streams", "watched"]), help="That alone.")
def main(matches: int, replays: int, turns: int, part: str | None) -> None:
    """Measure all of it, and print the medians."""
    if part in {None, "pages"}:
        with TemporaryDirectory() as folder:
            prepared(Path(folder), matches, replays)
            report([measure(Path(folder), calls=20, replays=replays) for _ in range(turns)])
    if part in {None, "streams"}:
        report([crowds() for _ in range(min(turns, 3))])
    if part in {None, "watched"}:
        report([watched() for _ in range(turns)])


if __name__ == "__main__":
    main()
