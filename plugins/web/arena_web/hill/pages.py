"""The pages of an open hill: what is played, how to take part, and what an author needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.tournament import id_of
from arena_web.hill import authors, oauth
from arena_web.hill.office import Office
from arena_web.hill.people import Scope, Taken, TooManyKeysError
from arena_web.hill.register import Register
from arena_web.hill.sessions import leave, signed_in, signed_out
from arena_web.hill.standing import IN
from arena_web.hill.submissions import Step, Submission
from arena_web.hill.terms import bot_file, check_of, terms_of
from arena_web.hill.unpacking import MEMBERS, SIZE
from arena_web.hill.uploads import LARGEST
from arena_web.hill.visits import Visit
from arena_web.tables import Row
from arena_web.tournaments import times_of

Make = Callable[[Visit], Awaitable[Response]]
NEWEST = 10  # submissions that came in
LOOKED_THROUGH = 500  # of these, for those whose source is public
LONGEST_LABEL = 80  # characters


def routes(offices: Mapping[str, Office]) -> list[BaseRoute]:
    """Return the pages of these hills, by their names; those of their tournaments lead there."""

    def at(path: str, make: Make, method: str = "GET") -> Route:
        async def answer(request: Request) -> Response:
            return await make(await Visit.of(offices, request))

        return Route(f"/hill/{{hill}}/{path}", answer, methods=[method])

    for office in offices.values():
        office.contest.takes_part = f"hill/{office.name}/"
    return [
        at("", front),
        at("languages", shown_languages),
        at("sources", sources),
        *oauth.routes(offices),
        at("join/{secret}", invitation),
        at("join/{secret}", join, "POST"),
        at("leave", sign_out, "POST"),
        at("author", show_author, "POST"),
        at("keys", make_key, "POST"),
        at("keys/{number:int}/end", end_key, "POST"),
        at("submissions/{number:int}", authors.submission),
        at("submissions/{number:int}/source", authors.source),
        at("bots/{bot}", authors.bot),
        at("bots/{bot}/matches.zip", authors.matches),
        at("bots/{bot}/withdraw", authors.withdraw, "POST"),
        at("bots/{bot}/publish", authors.publish, "POST"),
    ]


async def front(visit: Visit) -> Response:
    """Show what is played, how to take part, and to an author its own bots."""
    return await _front(visit)


async def _front(visit: Visit, status: int = 200, problem: str = "") -> Response:
    spec = visit.office.spec
    rows = await visit.rows()
    return visit.page(
        "front.html",
        status,
        spec=spec,
        rows=[*terms_of(spec)],
        checked=check_of(spec),
        example=bot_file(spec),
        came=await _came(visit, rows),
        **times_of(await visit.office.see()),
        waiting=len(await visit.ask(Register.waiting)),
        largest=LARGEST,
        unpacked=SIZE,
        files=MEMBERS,
        address=visit.address,
        pushed=visit.git_url(),
        mine=await _mine(visit, rows) if visit.author else None,
        problem=problem,
        notice=await visit.office.ask(visit.office.find_notice),
    )


@frozen
class Came:
    """A submission that came in, as everybody sees it."""

    id: int
    name: str
    state: str
    known: bool  #: has the tournament a page about it?
    readable: bool  #: may everybody see its source?


async def _came(visit: Visit, rows: Mapping[str, Row]) -> list[Came]:
    """Return the submissions that came in last."""
    last = await visit.ask(lambda one: one.submissions(states=[Step.FIT], limit=NEWEST))
    stand, shown = await visit.standings(last), await visit.shown_as()
    return [
        Came(
            one.id,
            shown(one.bot),
            stand[one.id].state,
            id_of(shown(one.bot), one.version) in rows,
            authors.is_public(visit, one),
        )
        for one in last
    ]


async def _mine(visit: Visit, rows: Mapping[str, Row]) -> dict[str, Any]:
    """Return what the front page says to an author."""
    author = visit.me.id
    used = await visit.office.ask(partial(visit.office.used, author))
    newest = await visit.ask(partial(_newest, bots=used["submissions"]))
    stand, shown = await visit.standings(newest), await visit.shown_as()
    return {
        "bots": [(one, stand[one.id], _playing(shown(one.bot), rows)) for one in newest],
        "used": used,
        "keys": await visit.ask(partial(Register.keys, author=author)),
    }


def _newest(register: Register, bots: Iterable[str]) -> list[Submission]:
    """Return what was sent last of each bot."""
    return [one for bot in bots for one in register.submissions(bot=bot, limit=1)]


def _playing(bot: str, rows: Mapping[str, Row]) -> Row | None:
    """Return how the version of a bot stands that takes part; None where none does."""
    return next((row for row in rows.values() if row.name == bot and not row.state), None)


async def sources(visit: Visit) -> Response:
    """List the bots that are in, and whose source everybody may see."""
    sent = await visit.ask(lambda one: one.submissions(states=[Step.FIT], limit=LOOKED_THROUGH))
    public = [one for one in sent if authors.is_public(visit, one)]
    stand = await visit.standings(public)
    shown = [one for one in public if stand[one.id].state == IN]
    return visit.page("sources.html", sent=shown)


async def shown_languages(visit: Visit) -> Response:
    """Show what bots can be written in here."""
    found = await visit.office.ask_in_turn(visit.office.languages)
    return visit.page("languages.html", languages=found)


async def invitation(visit: Visit) -> Response:
    """Show an invitation, without using it up: programs that look at mail open links, too."""
    name = await visit.ask(lambda one: one.invited(visit.request.path_params["secret"]))
    return visit.page("join.html", 200 if name else 410, name=name)


async def join(visit: Visit) -> Response:
    """Take up an invitation."""
    try:
        key = await visit.ask(lambda one: one.join(visit.request.path_params["secret"]))
    except Taken as problem:
        return visit.page("refused.html", 409, said=str(problem))
    if key is None:
        return visit.page("join.html", 410, name=None)
    return signed_in(visit.back(""), visit.office, key)


async def sign_out(visit: Visit) -> Response:
    """End the session of this browser."""
    await leave(visit.request, visit.office)
    return signed_out(visit.back(""), visit.office)


async def show_author(visit: Visit) -> Response:
    """Show the author's name in the standings, or no more."""
    author, form = visit.me, await visit.form()
    public = form.get("public") == "yes"
    await visit.ask(lambda one: one.show_author(author.id, public=public))
    return visit.back("#mine")


async def make_key(visit: Visit) -> Response:
    """Make a token, and show it, once."""
    author, form = visit.me, await visit.form()
    scope = form.get("scope", "")
    if scope not in (Scope.SUBMIT, Scope.READ):
        raise HTTPException(422, "permissions: choose `submit` or `read`")
    label = form.get("label", "").strip()[:LONGEST_LABEL] or "token"
    try:
        key = await visit.ask(lambda one: one.make_key(author.id, Scope(scope), label))
    except TooManyKeysError as problem:
        return await _front(visit, 422, str(problem))
    pushed = visit.git_url(f"{author.name}:$ARENA_TOKEN@")
    return visit.page("key.html", key=key, scope=scope, address=visit.address, pushed=pushed)


async def end_key(visit: Visit) -> Response:
    """End a token, or a session in another browser."""
    author, number = visit.me, visit.number
    if not await visit.ask(lambda one: one.end_key(author.id, number)):
        raise HTTPException(404)
    return visit.back("#keys")
