"""Submitting bots by `git push`: the tree pushed to `main` becomes an archive.

There is no repository here: each push contains everything that it needs. It is unpacked in a
sandbox (`pushed_tree.py`) and made an archive, and the hill forgets it. So nothing can be fetched,
no hook can run, and nothing grows. The hill's answer is in the output of the push, and a refused
push fails. The protocol is that of `receive_pack`.

A push first gets a short try, which is enough for every bot of usual size. Only a push that needs
longer waits for others of its kind, and counts as an upload even if it is refused. So hostile packs
delay others by a second each, and only a few times an hour.

Git shows its user the text of an HTTP error when it asks for references, but not when it pushes. So
during a push all errors, even those from before this module, are sent in git's own protocol.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, TypeVar

from attrs import evolve, frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.host import remove_folder, temporary_folder
from arena.rules import StorageError
from arena.sandbox import AUTO, Sandbox, find_sandbox
from arena_hill.db.accounts import TokenRevokedError
from arena_hill.db.author_actions import Receipt
from arena_hill.denials import SubmissionDeniedError
from arena_hill.host_problems import log_problem
from arena_hill.units import MB
from arena_hill.unzip import MAX_UPLOAD_BYTES
from arena_hill.web.hill_requests import AuthorRequest
from arena_hill.web.pushed_tree import (
    MAIN_BRANCH,
    UNPACK_RESOURCES,
    PackTooCostlyError,
    UnreadablePackError,
    extract_archive,
)
from arena_hill.web.receive_pack import (
    SERVICE,
    ZERO_ID,
    BadPushError,
    Push,
    build_advertisement,
    build_answer,
    build_failure,
    read_push,
)
from arena_hill.web.served_hill import ServedHill
from arena_hill.web.uploads import Upload, receive_upload
from arena_web.http.worker_threads import WorkerThreads

T = TypeVar("T")
ROOT = "/git/"
MAX_HEAD_BYTES = 1 << 16  # bytes of a push before its pack
UPLOAD_LIMITS = {f"POST {ROOT}": MAX_UPLOAD_BYTES + MAX_HEAD_BYTES}
"""The maximum body sizes of pushes, for the security middleware."""

PUSH_TOO_LARGE_MESSAGE = (
    f"a push may have at most {MAX_UPLOAD_BYTES // MB} MB: leave out large files and long history"
    " (push from a clone made with git clone --depth 1)"
)

UNAUTHORIZED, TOO_LARGE = 401, 413
FOLDER_PREFIX = ".push-"  # of the folders in which packs are unpacked
LANES = ((4, evolve(UNPACK_RESOURCES, cpu_seconds=1.0)), (1, UNPACK_RESOURCES))
"""How many pushes are unpacked at once, with which resources: a short try, and then a long one."""

TOO_COSTLY_MESSAGE = (
    f"git needs more than {UNPACK_RESOURCES.memory_mb} MB of memory or"
    f" {UNPACK_RESOURCES.cpu_seconds:g} s of processor time to unpack this push: leave out large"
    " files and long history (push from a clone made with git clone --depth 1)"
)
NOT_STORED_MESSAGE = (
    "the hill cannot store your bot now; this is the host's fault and does not count:"
    " push again later"
)
NO_SANDBOX_MESSAGE = "this hill has no sandbox to unpack pushes: use the upload form"
OTHER_BRANCH_MESSAGE = "push to the branch main: git push URL HEAD:main"
DELETION_MESSAGE = "bots cannot be withdrawn with git: use the bot's page on the hill"
HOST_FAILED_MESSAGE = "this is the hill's fault; its log has the details"


def build_routes(served: ServedHill) -> list[BaseRoute]:
    """Return the routes for pushes; none if the hill does not allow them."""
    return GitEndpoint(served).routes if served.access.hill.config.git else []


class GitEndpoint:
    """The endpoint for pushes of bots, which are submitted like uploads."""

    def __init__(self, served: ServedHill) -> None:
        self._served = served
        self._threads = WorkerThreads()
        self._lanes = [
            UnpackLane(WorkerThreads(parallel), sandbox)
            for parallel, resources in LANES
            if (sandbox := find_sandbox(AUTO, resources))
        ]
        self._folder = served.access.hill.spec.data_folder
        for folder in self._folder.glob(f"{FOLDER_PREFIX}*"):  # of a server that was killed
            remove_folder(folder)

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
        hill_request = await self._identify_submitter(request)
        async with receive_upload(hill_request) as upload:
            push = await self._threads.ask(partial(_read_push, upload.file))
            if push is None:  # it asks whether it would be let in
                return _build_response(b"", "result")
            if obstacle := self._find_obstacle(push.head):
                answer = PushAnswer(push.head, [obstacle], "refused")
                return _build_response(answer.body, "result")
            return await self._submit(hill_request, push, upload)

    async def _submit(
        self, hill_request: AuthorRequest, push: ReceivedPush, upload: Upload
    ) -> Response:
        """Submit the bot of a push: with a short try first, then with a long one."""
        take = partial(self._take_push, hill_request, push)
        for lane in self._lanes:
            answer = await lane.run(take)
            if answer.counts:
                upload.count()
            if not answer.is_too_costly:
                break
        return _build_response(answer.body, "result")

    async def refuse_fetch(self, _: Request) -> Response:
        """Refuse a fetch with an explanation."""
        return PlainTextResponse("bots can be pushed here, but not fetched\n", 403)

    async def _identify_submitter(self, request: Request) -> AuthorRequest:
        """Return the request with its author, whose token may submit; else raise 401 or 403."""
        token = _read_password(request.headers.get("authorization", ""))
        author = await self._served.identify(token)
        if author is None:
            reason = (
                "this password is unknown: use a token that you have created on the hill's page"
            )
            raise HTTPException(401, reason, {"WWW-Authenticate": 'Basic realm="arena"'})
        hill_request = AuthorRequest(request, self._served, author)
        hill_request.check_can_submit()
        return hill_request

    def _find_obstacle(self, push: Push) -> str:
        """Return the reason to refuse a push before its pack is read, or ""."""
        if not self._lanes:
            return NO_SANDBOX_MESSAGE
        if any(command.ref != MAIN_BRANCH for command in push.commands):
            return OTHER_BRANCH_MESSAGE
        if any(command.new == ZERO_ID for command in push.commands):
            return DELETION_MESSAGE
        return ""

    def _take_push(
        self, hill_request: AuthorRequest, push: ReceivedPush, sandbox: Sandbox
    ) -> PushAnswer:
        """Unpack and submit the bot of a push, in a thread; no error leaves it."""
        access, bot = hill_request.access, hill_request.bot
        try:
            data = self._extract_archive(push, sandbox)
            receipt = access.intake.submit(hill_request.author, bot, data)
        except Exception as problem:  # noqa: BLE001  # git shows an HTTP error to nobody
            return _explain_failure(push.head, problem, bot)
        site = hill_request.request.base_url
        line = _describe_receipt(receipt, f"{site}hill/{access.hill.name}/submissions/")
        return PushAnswer(push.head, [line], counts=receipt.is_new)

    def _extract_archive(self, push: ReceivedPush, sandbox: Sandbox) -> bytes:
        """Return the archive of a push's last commit."""
        with temporary_folder(self._folder, prefix=FOLDER_PREFIX) as work:
            return extract_archive(push.head.commands[-1].new, push.read_pack(), work, sandbox)


@frozen
class PushAnswer:
    """The answer to a push that was read, of which everything is done or nothing."""

    push: Push
    lines: Sequence[str]  #: what the author reads
    refusal: str = ""  #: in git's report on each ref; empty if the push is taken
    unpack_problem: str = ""  #: in git's report on the pack; empty if that was unpacked
    counts: bool = False  #: whether the push counts as an upload
    is_too_costly: bool = False  #: whether git needed more than the sandbox allows

    @property
    def body(self) -> bytes:
        """The answer in git's protocol."""
        refusals = [self.refusal] * len(self.push.commands)
        return build_answer(self.push, self.unpack_problem, refusals, self.lines)


def _explain_failure(push: Push, problem: Exception, bot: str) -> PushAnswer:
    """Return the answer to a push that failed; what is the host's fault is logged."""
    match problem:
        case PackTooCostlyError():
            return PushAnswer(
                push, [TOO_COSTLY_MESSAGE], "not unpacked", "the limits are exceeded",
                counts=True, is_too_costly=True,
            )  # fmt: skip
        case UnreadablePackError():
            lines = str(problem).splitlines()
            return PushAnswer(push, lines, "not unpacked", "the pack is not valid")
        case SubmissionDeniedError() | TokenRevokedError():
            return PushAnswer(push, [str(problem)], "refused")
        case StorageError() | OSError():
            log_problem("a push could not be stored", problem, bot=bot)
            return PushAnswer(push, [NOT_STORED_MESSAGE], "not stored")
        case _:
            log_problem("a push could not be processed", problem, bot=bot)
            return PushAnswer(push, [HOST_FAILED_MESSAGE], "the host failed")


def _describe_receipt(receipt: Receipt, address: str) -> str:
    """Describe what became of a push for its author; `address` is that of all submissions."""
    submission_id = receipt.submission.id
    outcome = "is received" if receipt.is_new else "has the same files: nothing changed"
    return f"submission {submission_id} {outcome}: see {address}{submission_id}"


@frozen
class UnpackLane:
    """Threads that unpack pushes, and the sandbox whose limits hold there."""

    threads: WorkerThreads
    sandbox: Sandbox

    async def run(self, take: Callable[[Sandbox], T]) -> T:
        """Return the result of a function that unpacks a push in the sandbox."""
        work = partial(take, self.sandbox)
        return await self.threads.ask(work)


@frozen
class ReceivedPush:
    """A push in a file: its head, and where its pack is."""

    head: Push
    file: IO[bytes]
    pack_start: int

    def read_pack(self) -> bytes:
        """Return the pack."""
        self.file.seek(self.pack_start)
        return self.file.read()


def _read_push(file: IO[bytes]) -> ReceivedPush | None:
    """Read a push from a file; return None for a probe. Raises HTTPException."""
    try:
        push = read_push(file)
        return ReceivedPush(push, file, file.tell()) if push else None
    except BadPushError as problem:
        raise HTTPException(400, str(problem)) from None


def render_failure(method: str, status: int, reason: str, headers: Mapping[str, str]) -> Response:
    """Render an error in a form that git shows to the user."""
    if method == "POST" and status != UNAUTHORIZED:  # for which git asks for another password
        return _build_response(
            build_failure(PUSH_TOO_LARGE_MESSAGE if status == TOO_LARGE else reason), "result"
        )
    return PlainTextResponse(f"{reason}\n", status, headers)


RENDERERS = {ROOT: render_failure}


def _build_response(body: bytes, what: str) -> Response:
    kind = f"application/x-{SERVICE}-{what}"
    return Response(body, media_type=kind, headers={"Cache-Control": "no-cache"})


def _read_password(header: str) -> str:
    """Return the password of basic authentication, or the user name if there is none."""
    kind, _, credentials = header.partition(" ")
    if kind.lower() != "basic":
        return ""
    try:
        name, _, password = base64.b64decode(credentials, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return ""
    return password or name
