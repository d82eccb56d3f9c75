"""A tournament as a static site: the server's pages, with all data in shards.

A page that is opened from a disk may neither fetch nor load a module, but it may load a script. So
data come as scripts, which hand what they hold to a function of `list.js`:

- `arena.shard("r00017", "BASE64")` has the replays of neighbouring matches, in one deflate stream.
  Their deals are settled, so a shard never changes, and is written only once.
- `arena.list("l00003", {...})` has a part of the list of all matches, as columns. What was played
  with is not in it, so matches stand in it as soon as they are stored.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import zlib
from base64 import b64encode
from collections import Counter, deque
from collections.abc import Callable, Container, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import combinations, groupby
from pathlib import Path
from sys import intern
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlencode

from attrs import define, field, frozen
from starlette.requests import Request
from starlette.responses import StreamingResponse

from arena import End, Fault, UserError
from arena.players import WorkerPool
from arena.records import Transcript, UnreadableTranscriptError
from arena.tournament.match_record import MatchRecord
from arena.tournament.store import Store
from arena.wires import describe_unknown_format, dump
from arena_web.app import FILES, TEMPLATES, find_count
from arena_web.http.security import RESPONSE_HEADERS
from arena_web.pages import bots, head_to_head, matches, standings
from arena_web.pages.feed import build_feed
from arena_web.pages.matches import RESULTS, list_eyes, list_steps
from arena_web.sources import TournamentSource, TournamentView, ViewParts, open_sources, split_key
from arena_web.visibility import (
    load_public_transcript,
    withholds_hands,
)

INDEX = "site.json"
NAMED_FOLDERS = ("data", "bots", "compare")  # with files that a later run may leave as they are
FORMAT = 1

PLAIN = r"[^A-Za-z0-9_@+-]"  # what is something else in the name of a file is spelled out

T = TypeVar("T")
Key = tuple[int, int]
MAX_DEFLATED_BYTES, MAX_RAW_BYTES = 128_000, 1_500_000  # bytes at which a shard is closed
COMPRESSION_LEVEL = 7  # of deflate: 9 takes twice as long and makes 3 % less of it

DEALS_PER_LIST = 2500  # in a list

META_POLICY = RESPONSE_HEADERS["Content-Security-Policy"].replace("frame-ancestors 'none'; ", "")
"""The content security policy, without directives that only work in a header."""

SiteFile = tuple[str, bytes]
"""A file of the site: its path and its content."""

ReplayChoice = int | Literal["best", "all"]
"""Which matches have a replay: see `write_site`."""

LATEST_MATCHES = 3  # of each bot, and with a verdict, that have a replay among the best
CHUNK_MATCHES = 64  # matches that a process makes shards of at once
Progress = Callable[[int, int], None]


def write_site(
    what: str,
    out: Path,
    *,
    replays: ReplayChoice = "best",
    transcripts: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> int:
    """Write a tournament's pages to a folder; return the number of matches with a replay.

    Args:
        what: the tournament's file, or its database.
        out: the folder; a site that was written there before is brought up to date.
        replays: of which matches: "best", those that pages show (the latest of each bot, with and
            without a verdict, and the records), of "all", or of the newest, so many of them.
        transcripts: write them, too?
        jobs: processes that build replays at once.
        progress: called with the number of replays that are written, and to be written.

    Raises:
        UserError: where it cannot be read or written, or the folder holds something else.
    """
    tournament = _open_tournament(what)
    index = read_index(out)
    with tournament.open() as store:
        aliases = sorted(store.entrants.aliases.values())
        found = list_matches(store)
        public = _list_public(store, found)
        held = withholds_hands(store)
    records = _list_records(tournament) if replays == "best" else set()
    known = _parse_index(index, tournament.name, public, transcripts=transcripts)
    if known.aliases != aliases:  # what is there may have a name that is hidden now
        _delete_named_files(out)
        known = ReplayIndex(aliases)
    done = known.shard_numbers
    new = set() if held else public
    wanted = [key for key in _choose_replays(found, new, replays, records) if key not in done]
    # first, so that it is known whose folder it is, whatever happens
    _write_index(tournament, out, known, transcripts=transcripts)
    try:
        for shard in _report_progress(
            _build_all_shards(tournament, wanted, jobs), progress, len(wanted)
        ):
            _write_shard(out, known, shard, transcripts=transcripts)
    except BaseException:  # an interrupt, a full disk: the next run goes on from here
        with suppress(UserError):
            _write_index(tournament, out, known, transcripts=transcripts)
        raise
    _write_pages(tournament, out, found, known, transcripts=transcripts)
    return len(known.shard_numbers)


@define
class ReplayIndex:
    """The index of the replays in a site: the keys of each shard, and who was hidden in them."""

    aliases: list[str] = field(factory=list)  # of hidden names, in order
    shards: list[tuple[Key, ...]] = field(factory=list)

    @property
    def shard_numbers(self) -> dict[Key, int]:
        """The shard numbers by match."""
        return {key: number for number, keys in enumerate(self.shards) for key in keys}


def _open_tournament(what: str) -> TournamentSource:
    (source,) = open_sources([what]).values()
    if not isinstance(source, TournamentSource):
        raise UserError(f"{what} is not a tournament; name a tournament's file or database")
    return source


def _list_public(store: Store, found: Sequence[ListedMatch]) -> set[Key]:
    """Return the matches of decided deals; open deals are queried last, to be safe."""
    open_deals = {deal.number for deal, _ in store.list_todo()}
    return {match.key for match in found if match.recorded and match.key[0] not in open_deals}


def _parse_index(
    index: dict[str, Any], name: str, public: set[Key], *, transcripts: bool
) -> ReplayIndex:
    """Return the replay index of an earlier run; raise UserError for another tournament."""
    aliases = index.get("aliases", [])
    shards = [tuple((deal, turn) for deal, turn in keys) for keys in index.get("shards", [])]
    known = ReplayIndex(aliases, shards)
    if not index:
        return known
    if index["name"] != name or not public.issuperset(known.shard_numbers):
        raise UserError("the folder contains the site of another tournament; name another folder")
    return known if index["transcripts"] or not transcripts else ReplayIndex(aliases)


def _delete_named_files(out: Path) -> None:
    """Delete the files of an earlier run that have names of bots, in them or as their own."""
    try:
        for folder in NAMED_FOLDERS:
            for path in (out / folder).glob("*"):
                path.unlink()
    except OSError as problem:
        raise UserError(f"{problem.filename} cannot be deleted: {problem.strerror}") from None


def _list_records(tournament: TournamentSource) -> set[Key]:
    """Return the matches that the start page names, such as the longest one."""
    news = _run(tournament.load_view(ViewParts(news=True))).news
    return {split_key(record.match) for record in news.records}


def _choose_replays(
    found: Sequence[ListedMatch], public: set[Key], replays: ReplayChoice, records: Container[Key]
) -> list[Key]:
    """Return the keys of the matches to replay, in order."""
    some = [match.key for match in found if match.key in public]
    if replays == "all":
        return some
    if replays == "best":
        shown = _list_latest(match for match in reversed(found) if match.key in public)
        return [key for key in some if key in shown or key in records]
    return some[len(some) - min(replays, len(some)) :]


def _list_latest(found: Iterable[ListedMatch]) -> set[Key]:
    """Return the latest matches of each bot, and those in which it had a verdict.

    `found` are matches, the newest first.
    """
    latest: set[Key] = set()
    counts = Counter[tuple[str, bool]]()
    for match in found:
        for bot, _, _, verdict in match.seats:
            kinds = {(bot, False), (bot, bool(verdict))}
            if any(counts[kind] < LATEST_MATCHES for kind in kinds):
                latest.add(match.key)
            counts.update(kinds)
    return latest


def _build_all_shards(
    tournament: TournamentSource, wanted: Sequence[Key], jobs: int
) -> Iterator[tuple[int, ReplayShard]]:
    """Yield shards, each with the number of matches processed so far."""
    chunks = [wanted[at : at + CHUNK_MATCHES] for at in range(0, len(wanted), CHUNK_MATCHES)]
    make = partial(build_shards, tournament.address)
    made = (
        map(make, chunks)
        if jobs == 1
        else _map_in_processes(make, chunks, min(jobs, len(chunks) or 1))
    )
    for at, some in enumerate(made):
        yield from ((at * CHUNK_MATCHES, shard) for shard in some)


def _map_in_processes(
    make: Callable[[Sequence[Key]], list[ReplayShard]], chunks: Sequence[Sequence[Key]], jobs: int
) -> Iterator[list[ReplayShard]]:
    """Build shards in other processes, in order, with a bounded number in memory.

    So an interrupt waits for no work that has not been begun.
    """
    under_way: deque[Future[list[ReplayShard]]] = deque()
    with WorkerPool(jobs) as pool:
        for chunk in chunks:
            if len(under_way) == jobs:
                yield under_way.popleft().result()
            under_way.append(pool.submit(make, chunk))
        while under_way:
            yield under_way.popleft().result()


def _report_progress(
    made: Iterable[tuple[int, ReplayShard]], progress: Progress | None, planned: int
) -> Iterator[ReplayShard]:
    """Pass the shards on, and report the progress."""
    for at, shard in made:
        yield shard
        if progress:
            progress(min(planned, at + len(shard.keys)), planned)


def _write_shard(out: Path, known: ReplayIndex, shard: ReplayShard, *, transcripts: bool) -> None:
    number = len(known.shards)
    name = name_data_file("r", number)
    write_file(out / "data" / f"{name}.js", shard.to_script(name))
    if transcripts:
        write_file(out / "data" / f"{name_data_file('t', number)}.jsonl.gz", shard.transcripts)
    known.shards.append(shard.keys)


def _write_pages(
    tournament: TournamentSource,
    out: Path,
    found: Sequence[ListedMatch],
    known: ReplayIndex,
    *,
    transcripts: bool,
) -> None:
    """Write everything except shards: lists, pages, and the index for the next run."""
    numbers = []
    for number, body in build_lists(found, known.shard_numbers):
        write_file(out / "data" / f"{name_data_file('l', number)}.js", body)
        numbers.append(number)
    for path, body in build_pages(tournament, numbers, transcripts=transcripts):
        write_file(out / path, body)
    _write_index(tournament, out, known, transcripts=transcripts)


def _write_index(
    tournament: TournamentSource, out: Path, known: ReplayIndex, *, transcripts: bool
) -> None:
    """Write the index for the next run."""
    index = {
        "format": FORMAT,
        "name": tournament.name,
        "deals": DEALS_PER_LIST,
        "transcripts": transcripts,
        "aliases": known.aliases,
        "shards": known.shards,
    }
    write_file(out / INDEX, (dump(index) + "\n").encode())


def build_pages(
    tournament: TournamentSource, lists: Sequence[int], *, transcripts: bool
) -> Iterator[SiteFile]:
    """Return the files of all pages by their paths, without the data."""
    yield from ((f"static/{name}", file.body) for name, file in FILES.items())
    yield from _run(_render_pages(tournament, lists, transcripts=transcripts))


def _run(made: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine; who calls this may have a loop of its own running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, made).result()


async def _render_pages(
    source: TournamentSource, lists: Sequence[int], *, transcripts: bool
) -> list[SiteFile]:
    await source.styles.finish()
    tournament = await source.load_view(ViewParts(history=True, news=True))
    request, summary = _build_request(), tournament.summary
    names = sorted({standing.entry.name for standing in summary.standings})
    ids = [*names, *(standing.entry.id for standing in summary.standings)]
    selectable = standings.list_selectable(summary)
    settings: dict[str, Any] = {
        "lists": " ".join(map(str, lists)),
        "deals": DEALS_PER_LIST,
        "game": summary.game,
        "bots": [*selectable],
        "labels": selectable,
        "count": find_count(summary.game),
        "titles": {row.name: row.entry.title for row in summary.standings if row.entry.title},
        "results": RESULTS,
        "verdicts": [str(fault) for fault in Fault],
        "ends": [*(str(end) for end in End), "cancelled"],
        "transcripts": transcripts,
    }
    pages = {
        **{
            SiteLinks("")(page=page if page > 1 else None): (
                "standings.html",
                await standings.show_standings(tournament, _build_request({"page": str(page)})),
            )
            for page in range(1, standings.count_pages(summary) + 1)
        },
        "matrix.html": ("matrix.html", await head_to_head.show_head_to_head(tournament, request)),
        "curves.html": ("curves.html", await standings.show_rating_history(tournament, request)),
        "left.html": ("left.html", await standings.show_departed(tournament, request)),
        "matches.html": ("site_matches.html", settings),
        "match.html": ("site_match.html", settings),
    }
    files = [(path, _render_page(tournament, *page)) for path, page in pages.items()]
    packed = await standings.get_standings(tournament, request)
    files += [
        ("standings.json", bytes(packed.body)),
        ("matches.csv", await _build_csv(tournament)),
        ("feed.atom", build_feed(tournament, SiteLinks("./"))),
    ]
    comparable = bots.choose_comparable(summary)
    files += [await _render_bot(tournament, bot, comparable) for bot in ids]
    return [*files, *await _render_comparisons(tournament, comparable)]


async def _render_bot(tournament: TournamentView, bot: str, comparable: Sequence[str]) -> SiteFile:
    found = await bots.show_bot(tournament, _build_request(bot=bot))
    values = {**found, "comparable": comparable}
    return f"bots/{name_bot_file(bot)}", _render_page(tournament, "bot.html", values, "../")


async def _render_comparisons(
    tournament: TournamentView, comparable: Sequence[str]
) -> list[SiteFile]:
    """Return a page for each two of the best bots, and one for the two that are best of all."""
    files = []
    pairs = [("compare.html", "./", comparable[:2])] if comparable[1:] else []
    for bot, against in combinations(sorted(comparable, key=name_bot_file), 2):
        pairs.append((f"compare/{name_pair_file(bot, against)}", "../", [bot, against]))
    for path, root, (bot, against) in pairs:
        request = _build_request({"bot": bot, "against": against})
        found = await bots.show_comparison(tournament, request)
        stems = {name: name_bot_file(name).removesuffix(".html") for name in comparable}
        values = {**found, "comparable": comparable, "bots": stems}
        files.append((path, _render_page(tournament, "compare.html", values, root)))
    return files


def _build_request(query: Mapping[str, str] | None = None, **path: str) -> Request:
    """Return a request for a page, as a server has it."""
    asked = urlencode(query or {}).encode()
    scope = {"type": "http", "query_string": asked, "headers": [], "path_params": path}
    return Request(scope)


async def _build_csv(tournament: TournamentView) -> bytes:
    answer = await matches.download_csv(tournament, _build_request())
    assert isinstance(answer, StreamingResponse)
    return b"".join([str(part).encode() async for part in answer.body_iterator])


def _render_page(
    tournament: TournamentView, name: str, found: Mapping[str, Any], root: str = "./"
) -> bytes:
    to = SiteLinks(root)
    page = TEMPLATES.get_template(name)
    values = {
        "root": root,
        "home": to(),
        "to": to,
        "source": tournament.name,
        "of_tournament": True,
    }
    about = {"title": tournament.title, "about": tournament.about}
    return page.render(**values, **about, **found, policy=META_POLICY).encode()


@frozen
class SiteLinks:
    """Relative addresses of pages, like `arena_web.app.Links` for a server."""

    base: str  # the way to the first page, such as `./` or `../`

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
    return re.sub(PLAIN, lambda found: f"~{ord(found[0]):x}", name) + ".html"


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


@frozen
class ListedMatch:
    """A match in a list."""

    key: Key
    end: str
    stage: str
    seats: tuple[tuple[str, float | None, int | None, str], ...]  # id, score, place, verdict
    recorded: bool

    @property
    def has_verdict(self) -> bool:
        """Whether a player got a verdict."""
        return any(verdict for *_, verdict in self.seats)


def list_matches(store: Store) -> list[ListedMatch]:
    """Return all stored matches, in the order of their keys."""
    return [*map(_abridge, store.find_matches())]


def _abridge(match: MatchRecord) -> ListedMatch:
    """Return what a list shows of a match: all matches are in memory at once."""
    seats = tuple(
        [(intern(seat.id), seat.score, seat.place, seat.verdict or "") for seat in match.seats]
    )
    return ListedMatch(match.key, intern(match.outcome), intern(match.stage), seats, match.recorded)


def build_lists(
    found: Iterable[ListedMatch], shard_of: Mapping[Key, int]
) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers of lists with their files; `shard_of` gives the shard of a match."""
    for number, group in groupby(found, lambda match: match.key[0] // DEALS_PER_LIST):
        text = dump(_build_columns([*group], shard_of))
        yield number, f'arena.list("{name_data_file("l", number)}", {text});\n'.encode()


def _build_columns(some: list[ListedMatch], shard_of: Mapping[Key, int]) -> dict[str, Any]:
    bots = sorted({seat[0] for match in some for seat in match.seats})
    at = {bot: index for index, bot in enumerate(bots)}
    return {
        "bots": bots,
        "keys": [f"{match.key[0]}.{match.key[1]}" for match in some],
        "ends": [match.end for match in some],
        "stages": [match.stage for match in some],
        "seats": [[at[seat[0]] for seat in match.seats] for match in some],
        "scores": [[seat[1] for seat in match.seats] for match in some],
        "places": [[seat[2] for seat in match.seats] for match in some],
        "verdicts": [
            [seat[3] for seat in match.seats] if match.has_verdict else 0 for match in some
        ],
        "shards": [shard_of.get(match.key, -1) for match in some],
    }


@frozen
class ReplayShard:
    """The replays of some matches in one file."""

    keys: tuple[Key, ...]
    stream: bytes  # of `{KEY: {"eyes": [...], "steps": {eye: [...]}}}`, deflated
    transcripts: bytes  # JSON lines, one match behind the other, gzipped

    def to_script(self, name: str) -> bytes:
        """Return the shard as a script."""
        return f'arena.shard("{name}", "{b64encode(self.stream).decode()}");\n'.encode()


def name_data_file(letter: str, number: int) -> str:
    """Return the name of a data file.

    >>> name_data_file("r", 17)
    'r00017'
    """
    return f"{letter}{number:05}"


@define
class _OpenReplayShard:
    """A shard that is being written."""

    keys: list[Key] = field(factory=list)
    raw: int = 0
    deflated: int = 0
    parts: list[bytes] = field(factory=list)
    texts: list[str] = field(factory=list)
    _packer: zlib._Compress = field(
        factory=lambda: zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, -15)
    )

    def add(self, key: Key, steps: str, text: str) -> None:
        piece = f'{"," if self.keys else "{"}"{key[0]}.{key[1]}":{steps}'.encode()
        made = self._packer.compress(piece) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self.parts.append(made)
        self.raw += len(piece)
        self.deflated += len(made)
        self.keys.append(key)
        self.texts.append(text)

    @property
    def is_full(self) -> bool:
        return self.raw >= MAX_RAW_BYTES or self.deflated >= MAX_DEFLATED_BYTES

    def close(self) -> ReplayShard:
        end = self._packer.compress(b"}") + self._packer.flush()
        texts = gzip.compress("".join(self.texts).encode(), mtime=0)
        return ReplayShard(tuple(self.keys), b"".join([*self.parts, end]), texts)


def build_shards(address: str, keys: Sequence[Key]) -> list[ReplayShard]:
    """Yield shards of those of these matches that are public and can be replayed."""
    filled, found = _OpenReplayShard(), []
    with Store.open(address, write=False, aliased=True) as store:
        for key, transcript in _load_public(store, keys):
            try:
                steps = dump_steps(transcript)
            except UserError:  # of a game that is not installed, or broken
                continue
            filled.add(key, steps, transcript.text)
            if filled.is_full:
                found.append(filled.close())
                filled = _OpenReplayShard()
    return [*found, filled.close()] if filled.keys else found


def _load_public(store: Store, keys: Sequence[Key]) -> Iterator[tuple[Key, Transcript]]:
    """Yield the public transcripts, which are those of decided deals."""
    for deal, rotation in keys:
        with suppress(UnreadableTranscriptError):
            if found := load_public_transcript(store, deal, rotation):
                yield (deal, rotation), found


def dump_steps(transcript: Transcript) -> str:
    """Return the steps of all viewers as JSON."""
    eyes = list_eyes(transcript.header.names)
    steps = list_steps(transcript, [eye.partition(":")[0] for eye in eyes])
    return dump({"eyes": eyes, "steps": steps})


def write_file(path: Path, body: bytes) -> None:
    """Write a file atomically, unless its content is unchanged."""
    try:
        if path.exists() and path.read_bytes() == body:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        try:
            beside.write_bytes(body)
            beside.replace(path)
        except BaseException:  # a full disk, an interrupt
            beside.unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror}") from None


def read_index(out: Path) -> dict[str, Any]:
    """Return the index that an earlier run wrote; an empty dict if there is none.

    Raises:
        UserError: if the folder holds something else.
    """
    try:
        if not out.exists() or not any(out.iterdir()):
            return {}
        found = json.loads((out / INDEX).read_text(encoding="utf-8"))
        if found["format"] == FORMAT:
            return dict(found)
        if type(found["format"]) is int:
            reason = describe_unknown_format(found["format"], FORMAT)
            raise UserError(f"{out / INDEX}: {reason}")
    except (ValueError, KeyError, TypeError):
        pass
    except OSError as problem:
        if not isinstance(problem, FileNotFoundError):
            raise UserError(f"{out} cannot be written: {problem.strerror}") from None
    raise UserError(f"{out} is not empty and was not written by `arena site`; name another folder")
