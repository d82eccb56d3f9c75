"""The web part: pages, steps, followers, each beside a bare ASGI page.

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
from arena_web.matches.replay_steps import build_replay
from arena_web.protocol.json_format import to_json
from arena_web.routes import SourcePages
from arena_web.server import freeze_objects
from arena_web.sources import open_sources
from benchmarks.million import fill_database
from benchmarks.ratios import Ratio, print_medians
from benchmarks.web_streams import measure_crowds

TURNS = 9
TEXT = "x" * 1000
BOTS = {"gops": ("hard", "match"), "bs": ("liar", "caller", "counter", "honest")}
GZIP = (b"accept-encoding", b"gzip")
T = "/t/{name}/"


async def _respond(_: Request) -> PlainTextResponse:
    return PlainTextResponse(TEXT)


BARE = Starlette(routes=[Route("/", _respond)])
"""The yardstick."""


@frozen
class PageResponse:
    """The response of an application."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


async def call(app: ASGIApp, path: str, *more: tuple[bytes, bytes]) -> PageResponse:
    """Send a GET request to an application as a server does, without sockets."""
    parts: list[bytes] = []
    start: dict[str, Any] = {}
    plain, _, query = path.partition("?")
    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": plain,
        "raw_path": plain.encode(), "query_string": query.encode(), "root_path": "",
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
    return PageResponse(start["status"], dict(start["headers"]), b"".join(parts))


async def measure_cost(app: ASGIApp, paths: Iterable[str], *more: tuple[bytes, bytes]) -> float:
    """Return the processor seconds per response, those of all threads included."""
    requests = [*paths]
    began = process_time()
    for path in requests:
        answer = await call(app, path, *more)
        assert answer.status in {200, 304}, (path, answer.status)
    return (process_time() - began) / len(requests)


def build_app(*databases: Path) -> Starlette:
    """Build the application that serves these databases, without rate limits."""
    pages = SourcePages(open_sources(map(str, databases)))
    freeze_objects()
    return build_application(pages.routes, limits={}, on_shutdown=[pages.close])


def play_tournament(folder: Path, game: str, matches: int) -> Path:
    """Play a small tournament that keeps its transcripts; return its database."""
    path = folder / f"{game}.db"
    Tournament(
        game, [*BOTS[game]], database=path, matches=matches, table=len(BOTS[game]),
        transcripts="all", workers=1, check=False, duplicate=False,
    ).run()  # fmt: skip
    return path


@define
class PageBench:
    """Measures pages of an application beside the yardstick."""

    app: ASGIApp
    calls: int  # of each page

    async def measure_kind(
        self, name: str, paths: Sequence[str], *more: tuple[bytes, bytes]
    ) -> Ratio:
        """Measure pages of one kind."""
        bare = await measure_cost(BARE, ["/"] * 200)
        return Ratio(name, await measure_cost(self.app, paths, *more) / bare)

    async def measure_page(self, name: str, path: str) -> list[Ratio]:
        """Measure a page that is cached, and the response 304 for a client that has it."""
        first = await call(self.app, path)
        ratios = [await self.measure_kind(name, [path] * self.calls)]
        if tag := first.headers.get(b"etag"):
            condition = (b"if-none-match", tag)
            ratios.append(await self.measure_kind(f"{name}, 304", [path] * self.calls, condition))
        return ratios


async def measure_pages(app: ASGIApp, calls: int) -> list[Ratio]:
    """Return the cost of the pages of a large tournament."""
    bench, t = PageBench(app, calls), T.format(name="large")
    await call(app, t + "feed.atom")  # waits for the records, which are found in the background
    return [
        *await bench.measure_page("standings of 50 bots", t),
        *await bench.measure_page("their matrix", t + "matrix"),
        *await bench.measure_page("a list of 50 matches", t + "matches"),
        *await bench.measure_page("a list of 50, by bot", t + "matches?bot=bot7"),
    ]


async def measure_steps(app: ASGIApp, game: str, keys: Sequence[str]) -> list[Ratio]:
    """Return the cost of replays: each match for the first time, then one that is cached."""
    bench, t = PageBench(app, len(keys)), T.format(name=game)
    seats = range(len(BOTS[game]))
    third = len(keys) // 3
    seat_keys, all_keys, eye_keys = keys[:third], keys[third : 2 * third], keys[2 * third :]
    warm = f"{t}m/{seat_keys[0]}/steps?eye=0"
    eyes = ("all", "public", *seats)
    all_eyes = [f"{t}m/{key}/steps?eye={eye}" for key in eye_keys for eye in eyes]
    whole = await bench.measure_kind(f"{game}: steps of all eyes, cold", all_eyes)
    return [
        await bench.measure_kind(
            f"{game}: steps of a seat, cold", [f"{t}m/{k}/steps?eye=0" for k in seat_keys]
        ),
        await bench.measure_kind(
            f"{game}: steps of `all`, cold", [f"{t}m/{key}/steps" for key in all_keys]
        ),
        Ratio(whole.name, whole.value * len(eyes)),
        await bench.measure_kind(f"{game}: steps, warm", [warm] * len(keys)),
    ]


def measure_reading(path: Path) -> float:
    """Return the processor seconds of a seat's steps alone: from stored lines to JSON."""
    with Store.open(path, write=False) as store:
        texts = [store.transcripts.load(*match.key) for match in store.matches.find_matches()]
    began = process_time()
    for text in filter(None, texts):
        dump(to_json(build_replay(parse_text(text.decode(), ahead=False), "0")))
    return (process_time() - began) / len(texts)


def measure(folder: Path, calls: int, replays: int) -> list[Ratio]:
    """Return the ratios of one turn; the application is new, so that nothing is cached."""
    app = build_app(*(folder / f"{name}.db" for name in ("large", *BOTS)))

    async def measure_all() -> list[Ratio]:
        figures = await measure_pages(app, calls)
        for game in BOTS:
            figures += await measure_steps(app, game, [f"{deal}.0" for deal in range(replays)])
            bare = await measure_cost(BARE, ["/"] * 200)
            alone = measure_reading(folder / f"{game}.db") / bare
            figures.append(Ratio(f"{game}: steps of a seat, cold, without a request", alone))
        return figures

    return asyncio.run(measure_all())


def prepare(folder: Path, matches: int, replays: int) -> None:
    """Create the databases that are served."""
    fill_database(folder / "large.db", matches)
    for game in BOTS:
        play_tournament(folder, game, replays)


@click.command()
@click.option(
    "--matches", default=100_000, show_default=True, help="Matches of the large tournament."
)
@click.option("--replays", default=30, show_default=True, help="Matches of the other tournaments.")
@click.option("--turns", default=TURNS, show_default=True, help="Number of measurements.")
@click.option("--part", type=click.Choice(["pages", "streams"]), help="Measure this part alone.")
def main(matches: int, replays: int, turns: int, part: str | None) -> None:
    """Measure all parts, or one, and print the medians."""
    if part in {None, "pages"}:
        with TemporaryDirectory() as folder:
            prepare(Path(folder), matches, replays)
            print_medians([measure(Path(folder), calls=20, replays=replays) for _ in range(turns)])
    if part in {None, "streams"}:
        print_medians([measure_crowds() for _ in range(min(turns, 3))])


if __name__ == "__main__":
    main()
