"""Bots by `git push`: the tree of what is pushed to `main` is sent as a bot, as archives are.

There is no repository here: each push comes with all that it needs, is unpacked in a sandbox, made
an archive by git itself, and forgotten. So nothing can be fetched, no hook can run, and nothing
grows. What the hill answers stands in the push's output, and a push that is refused fails.

Git shows its user the text of an HTTP error where it asks what there is, and nothing of it where it
pushes. So there all that goes wrong, also before a push comes here, is said in git's own protocol.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.host import FILE, remove, run_contained, temporary
from arena.rules import StorageError
from arena.sandbox import AUTO, Resources, Sandbox, sandbox
from arena.tournament import folder
from arena.wires import printable
from arena_web.guard import Buckets, too_many
from arena_web.hill.gitwire import NOTHING, BadPush, Push, advertisement, answer, failure, read_push
from arena_web.hill.office import Office
from arena_web.hill.people import Visitor
from arena_web.hill.quotas import UPLOADS_OF_AUTHOR, Denied
from arena_web.hill.uploads import LARGEST
from arena_web.hill.visiting import READS_ALONE
from arena_web.threads import Threads

ROOT = "/git/"
UPLOADS = {f"POST {ROOT}": 2 * LARGEST}
"""How long the bodies of pushes may be, for the guard: long enough that most who send too much are
told what to do."""

TOO_LONG = (
    f"a push may have {LARGEST >> 20} MB: leave out large files, and a long history (push from a"
    " clone made by git clone --depth 1)"
)

SERVICE = "git-receive-pack"
MAIN = "refs/heads/main"
UNAUTHORIZED, TOO_LARGE = 401, 413
PREFIX = ".push-"  # of the folders in which packs are unpacked
LONGEST = 60.0  # seconds for that
BOUNDS = Resources(memory_mb=512, cpu_seconds=30.0, processes=16, disk_mb=64, files=1000)
ARCHIVE = "bot.zip"
BOT = f"^([^/]+/)?{re.escape(FILE)}$"  # what there is in a bot's tree
NO_BOT = 3  # the exit status that says so
NO_BOT_SAID = f"there is no {FILE} at the top of the repository: push the bot's folder by itself"
NOT_STORED = (
    "the hill cannot store it now; that is the host's fault, and nothing was counted:"
    " push it again later"
)
UNPACK = f"""
set -e
export GIT_DIR=. GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1
mkdir -p repository/objects repository/refs
cd repository
echo ref: {MAIN} > HEAD
git index-pack --stdin --fsck-objects --max-input-size={LARGEST} > ../pack
git ls-tree -r --name-only "$1^{{commit}}" | grep -Eq '{BOT}' || exit {NO_BOT}
git archive --format=zip --output=../{ARCHIVE} "$1^{{commit}}"
"""
"""What runs in the sandbox: it makes the archive of a commit, of a pack that is its input.

`git init` would change modes, which not every sandbox allows; this is all that a repository needs.
"""

log = structlog.get_logger()


def routes(offices: Iterable[Office]) -> list[BaseRoute]:
    """Return where bots are pushed to: at the hills whose files say that they are."""
    return [route for one in offices if one.config.git for route in Git(one).routes]


class Unreadable(Exception):
    """A pack that is no good; the text is what git said."""


class Git:
    """Where bots are pushed to; it takes them as a hill's office takes uploads."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._threads = Threads()
        self._buckets = Buckets(UPLOADS_OF_AUTHOR)
        self._sandbox = sandbox(AUTO, BOUNDS)
        self._folder = folder(office.spec)
        for left in self._folder.glob(f"{PREFIX}*"):  # of a server that was killed
            remove(left)

    @property
    def routes(self) -> list[BaseRoute]:
        """Return where it is."""
        bot = f"{ROOT}{{bot}}.git"
        return [
            Route(f"{bot}/info/refs", self.refs),
            Route(f"{bot}/{SERVICE}", self.receive, methods=["POST"]),
            Route(f"{bot}/{{rest:path}}", self.nothing),
        ]

    async def refs(self, request: Request) -> Response:
        """Tell who may push that there is nothing yet."""
        if request.query_params.get("service") != SERVICE:
            return await self.nothing(request)
        await self._sender(request)
        return _said(advertisement(), "advertisement")

    async def receive(self, request: Request) -> Response:
        """Take a push."""
        author = await self._sender(request)
        try:
            push = read_push(await request.body())
        except BadPush as problem:
            raise HTTPException(400, str(problem)) from None
        if push is None:  # it asks whether it would be let in
            return _said(b"", "result")
        wait = self._buckets.wait(str(author.id), "upload")
        if refused := too_many("upload", wait):
            raise HTTPException(429, refused.title)
        there = f"{request.base_url}hill/{self._office.name}/submissions/"
        work = partial(self._taken, author, request.path_params["bot"], push, there)
        return _said(await self._threads.ask(work), "result")

    async def nothing(self, _: Request) -> Response:
        """Say that nothing can be fetched."""
        return PlainTextResponse("bots can be pushed here, but not fetched\n", 403)

    async def _sender(self, request: Request) -> Visitor:
        """Return who may send bots; raise HTTPException for who may not."""
        key = _key(request.headers.get("authorization", ""))
        found = await self._office.who(key)
        if found is None:
            said = "this password is unknown: use a token that you have created on the hill's page"
            raise HTTPException(401, said, {"WWW-Authenticate": 'Basic realm="arena"'})
        if not found.sends:
            raise HTTPException(403, READS_ALONE)
        return found

    def _taken(self, author: Visitor, bot: str, push: Push, there: str) -> bytes:
        """Send the bot of a push; return the answer, with its address: its number below `there`."""
        end = partial(_answer, push)
        if why := self._refusal(push):
            return end("", "not taken", [why])
        try:
            self._office.check_room()
            data = self._archive(push.commands[-1].new, push.pack)
            one, fresh = self._office.accept(author.id, bot, data)
        except Unreadable as problem:
            return end("the pack is no good", "not unpacked", str(problem).splitlines())
        except Denied as problem:
            return end("", "refused", [str(problem)])
        except (StorageError, OSError):
            log.exception("a push could not be stored", bot=bot)
            return end("", "not stored", [NOT_STORED])
        except Exception:
            log.exception("a push could not be taken", bot=bot)
            return end("", "the host failed", ["that is the hill's fault; its log has the details"])
        what = "is received" if fresh else "has the same files, so nothing is new"
        return end("", "", [f"submission {one.id} {what}: see {there}{one.id}"])

    def _refusal(self, push: Push) -> str:
        """Say why a push is not looked at, and what to do; nothing where it is."""
        if self._sandbox is None:
            return "this hill has no sandbox to unpack a push in: use its form"
        if any(command.ref != MAIN for command in push.commands):
            return "push to the branch main: git push URL HEAD:main"
        if any(command.new == NOTHING for command in push.commands):
            return "a bot cannot be withdrawn by git: use its page on the hill"
        return TOO_LONG if len(push.pack) > LARGEST else ""

    def _archive(self, commit: str, pack: bytes) -> bytes:
        """Return the archive of a commit in a pack; raise Unreadable, or OSError."""
        assert self._sandbox
        with temporary(self._folder, prefix=PREFIX) as work:
            return _archive(commit, pack, work, self._sandbox)


def _archive(commit: str, pack: bytes, work: Path, contained: Sandbox) -> bytes:
    words = ("/bin/sh", "-c", UNPACK, "sh", commit)
    ran = run_contained(words, work, contained, LONGEST, given=pack)
    if ran.why == f"exit status {NO_BOT}":
        raise Denied(NO_BOT_SAID, 422)
    if ran.why:
        said = [printable(one) for one in ran.said.replace(str(work), "").splitlines()]
        raise Unreadable("\n".join(said) or ran.why)
    with open(work / ARCHIVE, "rb", opener=_plainly) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise Unreadable(f"packed it has {found.st_size:,} bytes; {LARGEST:,} are allowed")
        return file.read()


def _plainly(path: str, flags: int) -> int:
    """Open a file, and no link or pipe in its place."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _answer(push: Push, unpacked: str, refused: str, said: Sequence[str]) -> bytes:
    return answer(push, unpacked, [refused] * len(push.commands), said)


def render_failure(method: str, status: int, said: str, headers: Mapping[str, str]) -> Response:
    """Return what git shows its user of something that went wrong."""
    if method == "POST" and status != UNAUTHORIZED:  # for which git asks for another password
        return _said(failure(TOO_LONG if status == TOO_LARGE else said), "result")
    return PlainTextResponse(f"{said}\n", status, headers)


RENDERERS = {ROOT: render_failure}


def _said(body: bytes, what: str) -> Response:
    kind = f"application/x-{SERVICE}-{what}"
    return Response(body, media_type=kind, headers={"Cache-Control": "no-cache"})


def _key(header: str) -> str:
    """Return the password of basic authentication, or the name where it stands alone."""
    kind, _, given = header.partition(" ")
    if kind.lower() != "basic":
        return ""
    try:
        name, _, password = base64.b64decode(given, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return ""
    return password or name
