"""Submitting bots by `git push`: the tree pushed to `main` becomes an archive.

There is no repository here: each push contains everything that it needs. Git unpacks it in a
sandbox and makes it an archive, and the hill forgets it. So nothing can be fetched, no hook can
run, and nothing grows. The hill's answer is in the output of the push, and a refused push fails.

The protocol is version 0 of receive-pack over HTTP (gitprotocol-pack, gitprotocol-http); the
repository always looks empty. Only git reads a pack, and only reading it shows how much work it is
(1 kB can unpack to 300 MB, and git needs every byte). So the sandbox limits git's memory and
processor time. A push first gets a short try, which is enough for every bot of usual size. Only a
push that needs longer waits for others of its kind, and counts as an upload even if it is refused.
So hostile packs delay others by a second each, and only a few times an hour.

Git shows its user the text of an HTTP error when it asks for references, but not when it pushes. So
during a push all errors, even those from before this module, are sent in git's own protocol.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, TypeVar

from attrs import evolve, frozen
from dulwich.errors import GitProtocolError
from dulwich.protocol import SIDE_BAND_CHANNEL_DATA, SIDE_BAND_CHANNEL_PROGRESS, Protocol, pkt_line
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.host import BOT_FILE, remove_folder, run_in_sandbox, temporary_folder
from arena.rules import StorageError
from arena.sandbox import AUTO, Resources, Sandbox, find_sandbox
from arena.tournament.file import get_data_folder
from arena.wires import to_printable
from arena_hill import unzip
from arena_hill.db.accounts import Principal, TokenRevokedError
from arena_hill.db.submissions import SubmissionDeniedError
from arena_hill.hill_access import HillAccess
from arena_hill.host_problems import log_problem
from arena_hill.unzip import MAX_MEMBERS, MAX_UPLOAD_BYTES
from arena_hill.web.identity import READ_ONLY_MESSAGE
from arena_hill.web.uploads import receive_upload
from arena_web.http.worker_threads import (
    BUSY_MESSAGE,
    MAX_WAITING,
    RETRY_SECONDS,
    LimitedThreads,
    WorkerThreads,
)

T = TypeVar("T")
FLUSH = pkt_line(None)
ZERO_ID = "0" * 40  # the name of no object
CAPABILITIES = b"report-status side-band-64k ofs-delta object-format=sha1 agent=arena"
SIDE_BAND = "side-band-64k"
MAX_COMMANDS = 100

ROOT = "/git/"
MAX_HEAD_BYTES = 1 << 16  # bytes of a push before its pack
UPLOAD_LIMITS = {f"POST {ROOT}": MAX_UPLOAD_BYTES + MAX_HEAD_BYTES}
"""The maximum body sizes of pushes, for the security middleware."""

PUSH_TOO_LARGE = (
    f"a push may have at most {MAX_UPLOAD_BYTES >> 20} MB: leave out large files and long history"
    " (push from a clone made with git clone --depth 1)"
)

SERVICE = "git-receive-pack"
MAIN_BRANCH = "refs/heads/main"
UNAUTHORIZED, TOO_LARGE = 401, 413
FOLDER_PREFIX = ".push-"  # of the folders in which packs are unpacked
UNPACK_SECONDS = 60.0  # seconds for that
UNPACK_RESOURCES = Resources(memory_mb=128, cpu_seconds=10.0, processes=16, disk_mb=64, files=1000)
LANES = ((4, evolve(UNPACK_RESOURCES, cpu_seconds=1.0)), (1, UNPACK_RESOURCES))
"""How many pushes are unpacked at once, with which resources: a short try, and then a long one."""

TOO_COSTLY = (
    f"git needs more than {UNPACK_RESOURCES.memory_mb} MB of memory or"
    f" {UNPACK_RESOURCES.cpu_seconds:g} s of processor time to unpack this push: leave out large"
    " files and long history (push from a clone made with git clone --depth 1)"
)
ARCHIVE = "bot.zip"
BOT_FILE_PATTERN = f"^[0-9]+ blob [^\t]*\t([^/]+/)?{re.escape(BOT_FILE)}$"  # a line of git ls-tree
NO_BOT_STATUS, MANY_FILES_STATUS, LARGE_TREE_STATUS = 3, 4, 5  # exit statuses
OWN_END = "exit status ([0-9]|[0-9][0-9]|1[01][0-9]|12[0-8])"  # by itself, and not by a signal
OUT_OF_MEMORY = "(?i)out of memory|cannot allocate memory"  # in what it says
REFUSALS = {
    f"exit status {NO_BOT_STATUS}": (
        f"there is no {BOT_FILE} at the top of the repository: push the bot's folder by itself"
    ),
    f"exit status {MANY_FILES_STATUS}": (
        f"there are more than {MAX_MEMBERS} files and folders; at most {MAX_MEMBERS} are allowed"
    ),
    f"exit status {LARGE_TREE_STATUS}": (
        f"the files have more than {unzip.MAX_UNPACKED_BYTES >> 20} MB; at most"
        f" {unzip.MAX_UNPACKED_BYTES >> 20} MB are allowed"
    ),
}
"""Why a tree is refused, by how the script ends."""

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
git -c pack.threads=1 index-pack --stdin --fsck-objects --max-input-size={MAX_UPLOAD_BYTES} \\
    > ../pack
{{ git -c core.quotePath=false ls-tree -r -t -l "$1^{{commit}}" || echo $? > ../failed; }} |
    head -n {MAX_MEMBERS + 1} > ../tree
[ "$(wc -l < ../tree)" -le {MAX_MEMBERS} ] || exit {MANY_FILES_STATUS}
[ ! -e ../failed ] || exit "$(cat ../failed)"
grep -Eq '{BOT_FILE_PATTERN}' ../tree || exit {NO_BOT_STATUS}
total=0
while read -r mode kind id size name; do
    [ "$size" = - ] || total=$((total + size))
done < ../tree
[ "$total" -le {unzip.MAX_UNPACKED_BYTES} ] || exit {LARGE_TREE_STATUS}
git archive --format=zip --output=../{ARCHIVE} "$1^{{commit}}"
"""
"""The script in the sandbox: it reads a pack and writes the archive of a commit.

`git init` would change modes, which not every sandbox allows; this is all that a repository needs.
One thread needs as much memory on every machine.
The tree is looked at before it is written, and only so far: a few small ones make a billion files.
"""


class BadPushError(Exception):
    """Bytes that are not a valid push; the message gives the reason."""


class PackTooCostlyError(Exception):
    """A pack that git cannot unpack within the limits of a sandbox."""


class UnreadablePackError(Exception):
    """A pack that git refuses; the message is git's output."""


def build_routes(hills: Iterable[HillAccess]) -> list[BaseRoute]:
    """Return the routes for pushes, for the hills that allow them."""
    return [route for access in hills if access.config.git for route in GitEndpoint(access).routes]


class GitEndpoint:
    """The endpoint for pushes of bots, which are submitted like uploads."""

    def __init__(self, access: HillAccess) -> None:
        self._access = access
        self._threads = WorkerThreads()
        self._lanes = [
            UnpackLane(LimitedThreads(parallel), sandbox)
            for parallel, resources in LANES
            if (sandbox := find_sandbox(AUTO, resources))
        ]
        self._folder = get_data_folder(access.spec)
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
        async with receive_upload(request, self._access, author) as upload:
            sent = await self._threads.ask(partial(_read_push, upload.file))
            if sent is None:  # it asks whether it would be let in
                return _build_response(b"", "result")
            there = f"{request.base_url}hill/{self._access.name}/submissions/"
            if why := self._find_refusal(sent.push):
                return _build_response(_build_answer(sent.push, "", "refused", [why]), "result")
            take = partial(self._take_push, author, request.path_params["bot"], sent, there)
            for lane in self._lanes:
                try:
                    answer, queued = await lane.run(take)
                except PackTooCostlyError:
                    upload.count()
                    continue
                if queued:
                    upload.count()
                return _build_response(answer, "result")
            raise HTTPException(422, TOO_COSTLY)

    async def refuse_fetch(self, _: Request) -> Response:
        """Refuse a fetch with an explanation."""
        return PlainTextResponse("bots can be pushed here, but not fetched\n", 403)

    async def _identify_submitter(self, request: Request) -> Principal:
        """Return the author, if the token may submit bots; raise HTTPException otherwise."""
        key = _read_password(request.headers.get("authorization", ""))
        found = await self._access.identify(key)
        if found is None:
            said = "this password is unknown: use a token that you have created on the hill's page"
            raise HTTPException(401, said, {"WWW-Authenticate": 'Basic realm="arena"'})
        if not found.can_submit:
            raise HTTPException(403, READ_ONLY_MESSAGE)
        return found

    def _find_refusal(self, push: Push) -> str:
        """Return the reason why a push is refused, with advice, or ""."""
        if not self._lanes:
            return "this hill has no sandbox to unpack pushes: use the upload form"
        if any(command.ref != MAIN_BRANCH for command in push.commands):
            return "push to the branch main: git push URL HEAD:main"
        if any(command.new == ZERO_ID for command in push.commands):
            return "bots cannot be withdrawn with git: use the bot's page on the hill"
        return ""

    def _take_push(
        self, author: Principal, bot: str, sent: ReceivedPush, there: str, sandbox: Sandbox
    ) -> tuple[bytes, bool]:
        """Submit the bot of a push, in a thread.

        Return the answer with the submission's address, and whether the push was taken. Raise
        PackTooCostlyError.
        """

        def refuse(unpacked: str, refused: str, said: Sequence[str]) -> tuple[bytes, bool]:
            return _build_answer(sent.push, unpacked, refused, said), False

        try:
            with temporary_folder(self._folder, prefix=FOLDER_PREFIX) as work:
                commit = sent.push.commands[-1].new
                data = _extract_archive(commit, sent.read_pack(), work, sandbox)
            submission, fresh = self._access.submit(author, bot, data)
        except PackTooCostlyError:
            raise
        except UnreadablePackError as problem:
            return refuse("the pack is not valid", "not unpacked", str(problem).splitlines())
        except (SubmissionDeniedError, TokenRevokedError) as problem:
            return refuse("", "refused", [str(problem)])
        except (StorageError, OSError) as problem:
            log_problem("a push could not be stored", problem, bot=bot)
            return refuse("", "not stored", [NOT_STORED_MESSAGE])
        except Exception as problem:  # noqa: BLE001  # whatever it is, git shows it to nobody
            log_problem("a push could not be processed", problem, bot=bot)
            said = "this is the hill's fault; its log has the details"
            return refuse("", "the host failed", [said])
        what = "is received" if fresh else "has the same files: nothing changed"
        said = f"submission {submission.id} {what}: see {there}{submission.id}"
        return _build_answer(sent.push, "", "", [said]), True


@frozen
class UnpackLane:
    """Threads that unpack pushes, and the sandbox whose limits hold there."""

    threads: LimitedThreads
    sandbox: Sandbox

    async def run(self, take: Callable[[Sandbox], T]) -> T:
        """Return the result of a function that unpacks a push in the sandbox."""
        work = partial(take, self.sandbox)
        return await self.threads.run(work, MAX_WAITING, RETRY_SECONDS, BUSY_MESSAGE)


@frozen
class ReceivedPush:
    """A push in a file: what it begins with, and where its pack is."""

    push: Push
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


def _extract_archive(commit: str, pack: bytes, work: Path, sandbox: Sandbox) -> bytes:
    """Return the archive of a commit in a pack.

    Raises:
        SubmissionDeniedError: where its tree is no bot's.
        UnreadablePackError: where git refuses the pack.
        PackTooCostlyError: where a limit has ended git, whichever it was.
        OSError: where the sandbox or the disk fails.
    """
    words = ("/bin/sh", "-c", UNPACK_SCRIPT, "sh", commit)
    ran = run_in_sandbox(words, work, sandbox, UNPACK_SECONDS, stdin=pack)
    if ran.problem in REFUSALS:
        raise SubmissionDeniedError(REFUSALS[ran.problem], 422)
    if re.fullmatch(OWN_END, ran.problem) and not re.search(OUT_OF_MEMORY, ran.stderr):
        said = [to_printable(line) for line in ran.stderr.replace(str(work), "").splitlines()]
        raise UnreadablePackError("\n".join(said) or ran.problem)
    if ran.problem:
        raise PackTooCostlyError(ran.problem)
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


@frozen
class RefUpdate:
    """The update of one ref in a push."""

    old: str
    new: str
    ref: str


@frozen
class Push:
    """A push: its commands and the client's capabilities; the pack with the objects follows."""

    commands: tuple[RefUpdate, ...]
    capabilities: frozenset[str]


def build_advertisement() -> bytes:
    """Return the advertisement before a push: an empty repository."""
    nothing = ZERO_ID.encode() + b" capabilities^{}\0" + CAPABILITIES + b"\n"
    return pkt_line(b"# service=git-receive-pack\n") + FLUSH + pkt_line(nothing) + FLUSH


def read_push(stream: IO[bytes]) -> Push | None:
    """Read a push up to its pack; return None for a probe without commands. Raises BadPushError."""
    commands: list[RefUpdate] = []
    capabilities: frozenset[str] = frozenset()
    for line in _read_packet_lines(stream):
        command, _, names = line.removesuffix(b"\n").partition(b"\0")
        capabilities |= {capability.decode(errors="replace") for capability in names.split()}
        if not command.startswith(b"shallow "):  # a cut history matters to nobody here
            commands.append(_parse_ref_update(command))
        if len(commands) > MAX_COMMANDS:
            raise BadPushError(f"a push has at most {MAX_COMMANDS} commands")
    if not commands:
        return None
    return Push(tuple(commands), capabilities)


def build_answer(push: Push, unpacked: str, refused: Sequence[str], said: Sequence[str]) -> bytes:
    """Return the answer to a push.

    Args:
        push: what was sent.
        unpacked: why the pack could not be read; empty where it could.
        refused: for each command, why it is not done; empty where it is.
        said: lines that its author is shown.
    """
    lines = [f"unpack {unpacked or 'ok'}"]
    for command, why in zip(push.commands, refused, strict=True):
        lines.append(f"ng {command.ref} {why}" if why else f"ok {command.ref}")
    report = b"".join(pkt_line(f"{line}\n".encode()) for line in lines) + FLUSH
    if SIDE_BAND not in push.capabilities:
        return report
    return _build_side_bands("".join(f"{line}\n" for line in said), report)


def build_failure(said: str) -> bytes:
    """Return the answer to a push that was not processed, with the reason."""
    return _build_side_bands(f"{said}\n", pkt_line(b"unpack refused\n") + FLUSH)


def _build_side_bands(progress: str, report: bytes) -> bytes:
    """Return lines for the author and a report for git, each in its band."""
    answer = bytearray()

    def write(data: bytes) -> int:
        answer.extend(data)
        return len(data)

    protocol = Protocol(BytesIO().read, write)
    protocol.write_sideband(SIDE_BAND_CHANNEL_PROGRESS, progress.encode())
    protocol.write_sideband(SIDE_BAND_CHANNEL_DATA, report)
    return bytes(answer) + FLUSH


def _read_packet_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield packet lines up to a flush; raise BadPushError."""
    try:
        yield from Protocol(stream.read, lambda _: None).read_pkt_seq()
    except GitProtocolError as problem:
        raise BadPushError(f"not a packet line: {problem}") from None


def _parse_ref_update(said: bytes) -> RefUpdate:
    try:
        found = re.fullmatch(r"([0-9a-f]{40}) ([0-9a-f]{40}) ([!-~]{1,200})", said.decode("ascii"))
    except UnicodeDecodeError:
        found = None
    if not found:
        raise BadPushError("not a valid command of a push")
    return RefUpdate(*found.groups())
