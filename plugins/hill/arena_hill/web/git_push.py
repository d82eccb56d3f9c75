"""Submitting bots by `git push`: the tree pushed to `main` becomes an archive.

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

from arena.extend import (
    AUTO,
    Resources,
    Sandbox,
    StorageError,
    find_sandbox,
    get_data_folder,
    to_printable,
)
from arena.host import BOT_FILE, remove_folder, run_in_sandbox, temporary_folder
from arena_hill.auth.identity import READ_ONLY_MESSAGE
from arena_hill.db.authors import Identity
from arena_hill.db.quotas import AUTHOR_RATE_LIMITS, SubmissionDeniedError
from arena_hill.db.uploads import MAX_UPLOAD_BYTES
from arena_hill.service import HillService
from arena_hill.web.git_protocol import (
    ZERO_ID,
    BadPushError,
    Push,
    build_advertisement,
    build_answer,
    build_failure,
    read_push,
)
from arena_web.http.security import RateLimiter, build_rate_refusal
from arena_web.http.worker_threads import WorkerThreads

ROOT = "/git/"
UPLOAD_LIMITS = {f"POST {ROOT}": 2 * MAX_UPLOAD_BYTES}
"""How long the bodies of pushes may be, for the guard: long enough that most who send too much are
told what to do."""

PUSH_TOO_LARGE = (
    f"a push may have at most {MAX_UPLOAD_BYTES >> 20} MB: leave out large files and long history"
    " (push from a clone made with git clone --depth 1)"
)

SERVICE = "git-receive-pack"
MAIN_BRANCH = "refs/heads/main"
UNAUTHORIZED, TOO_LARGE = 401, 413
FOLDER_PREFIX = ".push-"  # of the folders in which packs are unpacked
UNPACK_SECONDS = 60.0  # seconds for that
UNPACK_RESOURCES = Resources(memory_mb=512, cpu_seconds=30.0, processes=16, disk_mb=64, files=1000)
ARCHIVE = "bot.zip"
BOT_FILE_PATTERN = f"^([^/]+/)?{re.escape(BOT_FILE)}$"  # what there is in a bot's tree
NO_BOT_STATUS = 3  # the exit status that says so
NO_BOT_MESSAGE = (
    f"there is no {BOT_FILE} at the top of the repository: push the bot's folder by itself"
)
NOT_STORED_MESSAGE = (
    "the hill cannot store your bot now; this is the host's fault and does not count:"
    " push again later"
)
UNPACK_SCRIPT = f"""
set -e
export GIT_DIR=. GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1
mkdir -p repository/objects repository/refs
cd repository
echo ref: {MAIN_BRANCH} > HEAD
git index-pack --stdin --fsck-objects --max-input-size={MAX_UPLOAD_BYTES} > ../pack
git ls-tree -r --name-only "$1^{{commit}}" | grep -Eq '{BOT_FILE_PATTERN}' || exit {NO_BOT_STATUS}
git archive --format=zip --output=../{ARCHIVE} "$1^{{commit}}"
"""
"""The script in the sandbox: it reads a pack and writes the archive of a commit.

`git init` would change modes, which not every sandbox allows; this is all that a repository needs.
"""

log = structlog.get_logger()


def build_routes(services: Iterable[HillService]) -> list[BaseRoute]:
    """Return the routes for pushes, for the hills that allow them."""
    return [
        route for service in services if service.config.git for route in GitEndpoint(service).routes
    ]


class UnreadablePackError(Exception):
    """A pack that is not valid; the message is git's output."""


class GitEndpoint:
    """The endpoint for pushes of bots, which are submitted like uploads."""

    def __init__(self, service: HillService) -> None:
        self._service = service
        self._threads = WorkerThreads()
        self._buckets = RateLimiter(AUTHOR_RATE_LIMITS)
        self._sandbox = find_sandbox(AUTO, UNPACK_RESOURCES)
        self._folder = get_data_folder(service.spec)
        for left in self._folder.glob(f"{FOLDER_PREFIX}*"):  # of a server that was killed
            remove_folder(left)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes for pushes."""
        bot = f"{ROOT}{{bot}}.git"
        return [
            Route(f"{bot}/info/refs", self.advertise),
            Route(f"{bot}/{SERVICE}", self.receive, methods=["POST"]),
            Route(f"{bot}/{{rest:path}}", self.refuse_fetch),
        ]

    async def advertise(self, request: Request) -> Response:
        """Advertise an empty repository to authors who may push."""
        if request.query_params.get("service") != SERVICE:
            return await self.refuse_fetch(request)
        await self._identify_submitter(request)
        return _build_response(build_advertisement(), "advertisement")

    async def receive(self, request: Request) -> Response:
        """Process a push."""
        author = await self._identify_submitter(request)
        try:
            push = read_push(await request.body())
        except BadPushError as problem:
            raise HTTPException(400, str(problem)) from None
        if push is None:  # it asks whether it would be let in
            return _build_response(b"", "result")
        wait = self._buckets.wait(str(author.id), "upload")
        if refused := build_rate_refusal("upload", wait):
            raise HTTPException(429, refused.title)
        there = f"{request.base_url}hill/{self._service.name}/submissions/"
        work = partial(self._take_push, author, request.path_params["bot"], push, there)
        return _build_response(await self._threads.ask(work), "result")

    async def refuse_fetch(self, _: Request) -> Response:
        """Refuse a fetch with an explanation."""
        return PlainTextResponse("bots can be pushed here, but not fetched\n", 403)

    async def _identify_submitter(self, request: Request) -> Identity:
        """Return the author, if the token may submit bots; raise HTTPException otherwise."""
        key = _read_password(request.headers.get("authorization", ""))
        found = await self._service.identify(key)
        if found is None:
            said = "this password is unknown: use a token that you have created on the hill's page"
            raise HTTPException(401, said, {"WWW-Authenticate": 'Basic realm="arena"'})
        if not found.can_submit:
            raise HTTPException(403, READ_ONLY_MESSAGE)
        return found

    def _take_push(self, author: Identity, bot: str, push: Push, there: str) -> bytes:
        """Submit the bot of a push; return the answer with the submission's address."""
        end = partial(_build_answer, push)
        if why := self._find_refusal(push):
            return end("", "refused", [why])
        try:
            self._service.check_disk_space()
            data = self._extract_archive(push.commands[-1].new, push.pack)
            submission, fresh = self._service.submit(author.id, bot, data)
        except UnreadablePackError as problem:
            return end("the pack is not valid", "not unpacked", str(problem).splitlines())
        except SubmissionDeniedError as problem:
            return end("", "refused", [str(problem)])
        except (StorageError, OSError):
            log.exception("a push could not be stored", bot=bot)
            return end("", "not stored", [NOT_STORED_MESSAGE])
        except Exception:
            log.exception("a push could not be processed", bot=bot)
            return end("", "the host failed", ["this is the hill's fault; its log has the details"])
        what = "is received" if fresh else "has the same files: nothing changed"
        return end("", "", [f"submission {submission.id} {what}: see {there}{submission.id}"])

    def _find_refusal(self, push: Push) -> str:
        """Return the reason why a push is refused, with advice, or ""."""
        if self._sandbox is None:
            return "this hill has no sandbox to unpack pushes: use the upload form"
        if any(command.ref != MAIN_BRANCH for command in push.commands):
            return "push to the branch main: git push URL HEAD:main"
        if any(command.new == ZERO_ID for command in push.commands):
            return "bots cannot be withdrawn with git: use the bot's page on the hill"
        return PUSH_TOO_LARGE if len(push.pack) > MAX_UPLOAD_BYTES else ""

    def _extract_archive(self, commit: str, pack: bytes) -> bytes:
        """Return the archive of a commit in a pack; raise UnreadablePackError, or OSError."""
        assert self._sandbox
        with temporary_folder(self._folder, prefix=FOLDER_PREFIX) as work:
            return _extract_archive(commit, pack, work, self._sandbox)


def _extract_archive(commit: str, pack: bytes, work: Path, contained: Sandbox) -> bytes:
    words = ("/bin/sh", "-c", UNPACK_SCRIPT, "sh", commit)
    ran = run_in_sandbox(words, work, contained, UNPACK_SECONDS, stdin=pack)
    if ran.problem == f"exit status {NO_BOT_STATUS}":
        raise SubmissionDeniedError(NO_BOT_MESSAGE, 422)
    if ran.problem:
        said = [to_printable(line) for line in ran.stderr.replace(str(work), "").splitlines()]
        raise UnreadablePackError("\n".join(said) or ran.problem)
    with open(work / ARCHIVE, "rb", opener=_open_regular) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_UPLOAD_BYTES:
            raise UnreadablePackError(
                f"the archive has {found.st_size:,} bytes; at most {MAX_UPLOAD_BYTES:,} are allowed"
            )
        return file.read()


def _open_regular(path: str, flags: int) -> int:
    """Open a regular file; raise OSError for a link or a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _build_answer(push: Push, unpacked: str, refused: str, said: Sequence[str]) -> bytes:
    return build_answer(push, unpacked, [refused] * len(push.commands), said)


def render_failure(method: str, status: int, said: str, headers: Mapping[str, str]) -> Response:
    """Render an error in a form that git shows to the user."""
    if method == "POST" and status != UNAUTHORIZED:  # for which git asks for another password
        return _build_response(
            build_failure(PUSH_TOO_LARGE if status == TOO_LARGE else said), "result"
        )
    return PlainTextResponse(f"{said}\n", status, headers)


RENDERERS = {ROOT: render_failure}


def _build_response(body: bytes, what: str) -> Response:
    kind = f"application/x-{SERVICE}-{what}"
    return Response(body, media_type=kind, headers={"Cache-Control": "no-cache"})


def _read_password(header: str) -> str:
    """Return the password of basic authentication, or the user name if there is none."""
    kind, _, given = header.partition(" ")
    if kind.lower() != "basic":
        return ""
    try:
        name, _, password = base64.b64decode(given, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return ""
    return password or name
