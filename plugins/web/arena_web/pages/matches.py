"""Pages of matches: lists, single matches, replays, downloads, the matches of one bot."""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_left, bisect_right
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response, StreamingResponse

from arena import End, Fault, Game, IllegalAnswerError, UserError, join_words
from arena.plugins import get_plugins
from arena.records import SUFFIX, Replayer, Spectator, Transcript, Viewer
from arena.tables import escape_formula
from arena.tournament.exported_results import COLUMNS, build_rows
from arena.tournament.store import MatchFilter, Store
from arena.wires import to_printable
from arena_web.addresses import build_attachment_headers
from arena_web.match_announcements import describe_result
from arena_web.match_keys import Key, parse_key
from arena_web.pages.page_query import PageQuery
from arena_web.pages.standings import list_selectable
from arena_web.rounds import list_rounds
from arena_web.sources import MatchView
from arena_web.texts import find_count
from arena_web.tournament_views import TournamentView
from arena_web.transcript_folders import TranscriptFolder
from arena_web.visibility import MatchSummary, VisiblePlayer

RESULTS = ("won", "lost")
"""What a list of a bot's matches can be limited to."""

PAGE_MATCHES = 50  # matches
FILTERS = ("bot", "against", "result", "verdict", "end")
CHUNK_MATCHES = 500  # matches of a file for programs, read at once


async def list_matches(tournament: TournamentView, query: PageQuery) -> dict[str, Any]:
    """Return a page of a tournament's matches, the newest first."""
    snapshot = tournament.snapshot
    filters = {name: query.get(name) for name in FILTERS}
    names = {standing.entry.name for standing in snapshot.summary.standings}
    ids = {standing.entry.id for standing in snapshot.summary.standings}
    if {filters["bot"], filters["against"]} - names - ids - {""}:
        raise HTTPException(404)
    if filters["result"] not in ("", *RESULTS):
        raise HTTPException(404)
    some = {name: value or None for name, value in filters.items()}
    after = query.get("after") or _find_start(query.get("deal"))
    which = MatchFilter(**some, after=parse_key(after), limit=PAGE_MATCHES + 1, newest=True)
    matches = await tournament.list_matches(which)
    more = matches[PAGE_MATCHES - 1].key if len(matches) > PAGE_MATCHES else ""
    labels = list_selectable(snapshot.summary, [filters["bot"], filters["against"]])
    return {
        "game": snapshot.summary.game,
        "matches": matches[:PAGE_MATCHES],
        "own": list_bot_matches(matches[:PAGE_MATCHES], filters["bot"]) if filters["bot"] else [],
        "results": RESULTS if filters["bot"] else (),
        "asked": filters,
        "labels": labels,
        "more": more,
        "paged": bool(after),
        "bots": [*labels],
        "verdicts": [str(fault) for fault in Fault],
        "ends": [*(str(end) for end in End), "cancelled"],
    }


def _find_start(deal: str) -> str:
    """Return the key after which a list goes on with a deal, the newest first; empty for none.

    >>> _find_start("12"), _find_start("fish")
    ('13.0', '')
    """
    return f"{int(deal) + 1}.0" if re.fullmatch(r"[0-9]{1,8}", deal) else ""


@frozen
class BotMatch:
    """A match as one of its players sees it."""

    match: MatchSummary
    own: VisiblePlayer
    result: str  #: won, tied, lost, or void
    score: str  #: its own and the best other one
    others: tuple[VisiblePlayer, ...]


def list_bot_matches(matches: Iterable[MatchSummary], bot: str) -> list[BotMatch]:
    """Return matches from the side of a bot, given by its name or `NAME@VERSION`."""
    return [
        _build_bot_match(match, own)
        for match in matches
        for own in [next(iter(_find_players(match, bot)), None)]
        if own is not None
    ]


def _find_players(match: MatchSummary, bot: str) -> list[VisiblePlayer]:
    return [
        player
        for player in match.players
        if bot in (player.name, f"{player.name}@{player.version}")
    ]


def _build_bot_match(match: MatchSummary, own: VisiblePlayer) -> BotMatch:
    others = tuple(player for player in match.players if player.seat != own.seat)
    against = [player for side in match.sides if own not in side for player in side]
    result, score = _describe_result(own, against), _format_score(own, against, match.game)
    return BotMatch(match, own, result, score, others)


def _describe_result(own: VisiblePlayer, others: Iterable[VisiblePlayer]) -> str:
    if own.place is None:
        return "void"
    if own.place > 1:
        return "lost"
    return "tied" if any(other.place == 1 for other in others) else "won"


def _format_score(own: VisiblePlayer, others: Iterable[VisiblePlayer], game: str) -> str:
    scores: list[Any] = [other.score for other in others if other.score is not None]
    if own.score is None:
        return ""
    pair = [own.score, *([max(scores)] if scores else [])]
    return " : ".join(map(find_count(game).format, pair))


async def list_transcripts(shelf: TranscriptFolder, query: PageQuery) -> dict[str, Any]:
    """Return a page of a folder's transcripts."""
    number, text = query.get("number"), query.get("text").strip()
    first = int(number) if re.fullmatch(r"[0-9]{1,8}", number) else 1
    matches = await shelf.list_matches(query.get("after"), PAGE_MATCHES + 1, first, text)
    return {
        "text": text,
        "matches": matches[:PAGE_MATCHES],
        "more": matches[PAGE_MATCHES - 1].key if len(matches) > PAGE_MATCHES else "",
        "count": len(shelf.list_files()),
    }


async def show_match(source: MatchView, query: PageQuery) -> dict[str, Any]:
    """Return the page of one match."""
    summary = await source.find_match(query.path["key"])
    return {
        "game": summary.game,
        "match": summary,
        "said": describe_result(
            [join_words([player.label for player in side]) for side in summary.sides],
            [side[0].place for side in summary.sides],
            [side[0].score for side in summary.sides],
            find_count(summary.game),
            several=len(summary.sides) < len(summary.players),
        ),
        "eyes": list_eyes(summary.names),
    }


def list_eyes(names: Sequence[str]) -> list[str]:
    """Return the viewers of a match as its page lists them: `all`, `public`, `SEAT: NAME`."""
    seats = [f"{seat}: {to_printable(name)}" for seat, name in enumerate(names)]
    return [*(spectator.value for spectator in Spectator), *seats]


async def get_steps(source: MatchView, query: PageQuery) -> Response:
    """Return the steps of a match in one view, as JSON."""
    eye = query.get("eye", Spectator.ALL)
    return await source.load_with(query.path["key"], partial(_build_steps, eye=eye))


def _build_steps(transcript: Transcript, eye: str) -> Response:
    try:
        return JSONResponse(
            build_replay(transcript, eye, weighed=True),  # whoever may see one eye may see all
            headers={"Cache-Control": "no-cache"},  # a name may be hidden, or the match replayed
        )
    except UserError:  # no such eye, a game that is not installed, a file that is broken
        raise HTTPException(404) from None


def build_replay(
    transcript: Transcript,
    eye: str = Spectator.ALL,
    names: Sequence[str] | None = None,
    *,
    weighed: bool = False,
) -> dict[str, Any]:
    """Return the steps of one viewer; `names` replace those of the transcript.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    labels = names or transcript.header.names
    return {
        "names": [to_printable(name) for name in labels],
        "steps": list_steps(transcript, [eye], labels, weighed=weighed)[eye],
    }


def list_steps(
    transcript: Transcript,
    eyes: Sequence[str],
    names: Sequence[str] | None = None,
    *,
    weighed: bool = False,
) -> dict[str, list[dict[str, Any]]]:
    """Return the steps of several viewers, reading each line once.

    Turning points have the `weight` of their round where one may see all, or if they are `weighed`.

    Raises:
        UserError: if there is no such eye, or a line cannot be shown.
    """
    sights = [parse_eye(eye, transcript.seats) for eye in eyes]
    game = get_plugins().find_game(transcript.header.game)
    replayer = Replayer.of(game, transcript.header, sights, names, page=True)
    views = [[step.json] for step in replayer.begin()]
    for line in transcript.lines:
        for packed, step in zip(views, replayer.take(line), strict=False):
            if step:
                packed.append(step.json)
    if weighed or Spectator.ALL in sights:  # it takes the answers of all
        weigh = _weigh_rounds(game, transcript)
        for packed_step in chain.from_iterable(views):
            if "turn" in packed_step:
                packed_step["weight"] = weigh(packed_step["l"])
    return dict(zip(eyes, views, strict=True))


def _weigh_rounds(game: Game, transcript: Transcript) -> Callable[[int], float]:
    """Return a function from a line to how many points changed hands in its round."""
    try:
        rounds = list_rounds(game, transcript)
    except (UserError, IllegalAnswerError):  # shown, but not as a match
        return lambda _: 0.0
    answers = [line.number for line in transcript.lines if isinstance(line.value.get("from"), int)]
    ends = [round_.end for round_ in rounds[1:]]
    changes = [
        sum(abs(new - old) for old, new in zip(before.scores, after.scores, strict=True))
        for before, after in pairwise(rounds)
    ]

    def weigh(line: int) -> float:
        latest = bisect_right(answers, line)
        at = bisect_left(ends, answers[latest - 1]) if latest else len(changes)
        return changes[at] if at < len(changes) else 0.0

    return weigh


def parse_eye(eye: str, seats: int) -> Viewer:
    """Return the viewer that `all`, `public` or a seat's number names.

    Raises:
        UserError: if it is none of these.
    """
    if eye in [*Spectator]:
        return Spectator(eye)
    numbers = [str(seat) for seat in range(seats)]
    if eye not in numbers:
        raise UserError(f"no such view: choose all, public or a seat (0 to {seats - 1})")
    return numbers.index(eye)


async def download_transcript(source: MatchView, query: PageQuery) -> Response:
    """Return a transcript as a file for `arena verify`."""
    key = query.path["key"]
    transcript = await source.load_transcript(key)
    headers = build_attachment_headers(f"{source.name}-{key}{SUFFIX}")
    return Response(transcript.text, media_type="application/jsonl", headers=headers)


async def download_csv(tournament: TournamentView, _: PageQuery) -> Response:
    """Stream all matches as CSV."""
    headers = build_attachment_headers(f"{tournament.name}-matches.csv")
    return StreamingResponse(iterate_csv(tournament), media_type="text/csv", headers=headers)


async def iterate_csv(tournament: TournamentView) -> AsyncIterator[str]:
    """Yield the parts of a CSV file with all matches, one line per seat."""
    after: Key | None = None
    yield _format_csv([], heading=True)
    while True:
        text, after = await tournament.ask_in_turn(partial(_read_chunk, after=after))
        yield text
        if after is None:
            return


def _read_chunk(store: Store, *, after: Key | None) -> tuple[str, Key | None]:
    """Return the next lines and the match to continue after; None after the last."""
    rows = [*build_rows(store.find_matches(MatchFilter(limit=CHUNK_MATCHES, after=after)))]
    return _format_csv(rows), (rows[-1]["deal"], rows[-1]["rotation"]) if rows else None


def _format_csv(rows: Iterable[Mapping[str, Any]], *, heading: bool = False) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    if heading:
        writer.writeheader()
    writer.writerows({name: escape_formula(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
