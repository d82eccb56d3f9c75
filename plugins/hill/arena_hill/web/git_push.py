"""Submitting bots by `git push`: the tree pushed to `main` becomes an archive.

There is no repository here: each push comes with all that it needs, is unpacked in a sandbox, made
an archive by git itself, and forgotten. So nothing can be fetched, no hook can run, and nothing
grows. What the hill answers stands in the push's output, and a push that is refused fails.

It is protocol version 0 of receive-pack over HTTP (gitprotocol-pack, gitprotocol-http), to which
the hill always has an empty repository. What is read here of a push are bytes of strangers. Git
itself would unpack all of a pack before it says how much it is (900 MB of zeros come in 0.9 MB), so
packs are measured first, by a look that ends where that is too much (gitformat-pack).

Git shows its user the text of an HTTP error where it asks what there is, and nothing of it where it
pushes. So there all that goes wrong, also before a push comes here, is said in git's own protocol.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO

from attrs import frozen
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
from arena_hill.db.database import Principal, TokenRevokedError
from arena_hill.db.submissions import SubmissionDeniedError
from arena_hill.problems import log_problem
from arena_hill.service import HillService
from arena_hill.unzip import MAX_MEMBERS, MAX_UPLOAD_BYTES
from arena_hill.web.requests import READ_ONLY_MESSAGE, receive_upload
from arena_web.http.caches import (
    BUSY_MESSAGE,
    MAX_WAITING,
    RETRY_SECONDS,
    LimitedThreads,
    WorkerThreads,
)

FLUSH = pkt_line(None)
ZERO_ID = "0" * 40  # the name of no object
CAPABILITIES = b"report-status side-band-64k ofs-delta object-format=sha1 agent=arena"
SIDE_BAND = "side-band-64k"
MAX_COMMANDS = 100

MAX_OBJECTS = 50_000  # of a pack
MAX_UNPACKED_BYTES = 128 << 20  # bytes of all objects together
HEADER = struct.Struct(">4s4xI")
OFFSET_DELTA, REFERENCE_DELTA = 6, 7  # kinds of objects that are made of another one
ID_BYTES = 20  # bytes of the name of that
CHUNK_BYTES = 1 << 16  # bytes that are inflated at once
SLACK_BYTES = 64  # by which what does not shrink is longer
MAX_DELTA_HEADER_BYTES = 40  # bytes of the two sizes at the beginning of a delta

ROOT = "/git/"
MAX_HEAD_BYTES = 1 << 16  # bytes of a push before its pack
UPLOAD_LIMITS = {f"POST {ROOT}": MAX_UPLOAD_BYTES + MAX_HEAD_BYTES}
"""The maximum body sizes of pushes, for the security middleware."""

PUSH_TOO_LARGE = (
    f"a push may have at most {MAX_UPLOAD_BYTES >> 20} MB: leave out large files and long history"
    " (push from a clone made with git clone --depth 1)"
)

PACK_TOO_LARGE = (
    f"a push may unpack to at most {MAX_UNPACKED_BYTES >> 20} MB in {MAX_OBJECTS:,} objects: leave"
    " out large files and long history (push from a clone made with git clone --depth 1)"
)

SERVICE = "git-receive-pack"
MAIN_BRANCH = "refs/heads/main"
UNAUTHORIZED, TOO_LARGE = 401, 413
FOLDER_PREFIX = ".push-"  # of the folders in which packs are unpacked
UNPACK_SECONDS = 60.0  # seconds for that
UNPACK_RESOURCES = Resources(memory_mb=512, cpu_seconds=10.0, processes=16, disk_mb=64, files=1000)
SMALL_PACK_BYTES = 8 << 20  # bytes, unpacked, of a push that waits for no larger one
PARALLEL_SMALL, PARALLEL_LARGE = 2, 1  # pushes that are unpacked at once
ARCHIVE = "bot.zip"
BOT_FILE_PATTERN = f"^[0-9]+ blob [^\t]*\t([^/]+/)?{re.escape(BOT_FILE)}$"  # a line of git ls-tree
NO_BOT_STATUS, MANY_FILES_STATUS, LARGE_TREE_STATUS = 3, 4, 5  # exit statuses
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
git index-pack --stdin --fsck-objects --max-input-size={MAX_UPLOAD_BYTES} > ../pack
git -c core.quotePath=false ls-tree -r -t -l "$1^{{commit}}" | head -n {MAX_MEMBERS + 1} > ../tree
[ "$(wc -l < ../tree)" -le {MAX_MEMBERS} ] || exit {MANY_FILES_STATUS}
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
The tree is looked at before it is written, and only so far: a few small ones make a billion files.
"""


class BadPushError(Exception):
    """Bytes that are not a valid push; the message gives the reason."""


class PackTooLargeError(Exception):
    """A pack of too many objects, or one that unpacks to too much."""


class UnreadablePackError(Exception):
    """A pack that is not valid; the message is git's output."""


def build_routes(services: Iterable[HillService]) -> list[BaseRoute]:
    """Return the routes for pushes, for the hills that allow them."""
    return [
        route for service in services if service.config.git for route in GitEndpoint(service).routes
    ]


class GitEndpoint:
    """The endpoint for pushes of bots, which are submitted like uploads."""

    def __init__(self, service: HillService) -> None:
        self._service = service
        self._threads = WorkerThreads()
        self._small, self._large = LimitedThreads(PARALLEL_SMALL), LimitedThreads(PARALLEL_LARGE)
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
        async with receive_upload(request, self._service, author) as upload:
            sent = await self._threads.ask(partial(_read_push, upload.file))
            if sent is None:  # it asks whether it would be let in
                return _build_response(b"", "result")
            there = f"{request.base_url}hill/{self._service.name}/submissions/"
            work = partial(self._take_push, author, request.path_params["bot"], sent, there)
            lane = self._small if sent.unpacked_bytes <= SMALL_PACK_BYTES else self._large
            answer, queued = await lane.run(work, MAX_WAITING, RETRY_SECONDS, BUSY_MESSAGE)
            if queued:
                upload.count()
            return _build_response(answer, "result")

    async def refuse_fetch(self, _: Request) -> Response:
        """Refuse a fetch with an explanation."""
        return PlainTextResponse("bots can be pushed here, but not fetched\n", 403)

    async def _identify_submitter(self, request: Request) -> Principal:
        """Return the author, if the token may submit bots; raise HTTPException otherwise."""
        key = _read_password(request.headers.get("authorization", ""))
        found = await self._service.identify(key)
        if found is None:
            said = "this password is unknown: use a token that you have created on the hill's page"
            raise HTTPException(401, said, {"WWW-Authenticate": 'Basic realm="arena"'})
        if not found.can_submit:
            raise HTTPException(403, READ_ONLY_MESSAGE)
        return found

    def _take_push(
        self, author: Principal, bot: str, sent: ReceivedPush, there: str
    ) -> tuple[bytes, bool]:
        """Submit the bot of a push, in a thread.

        Return the answer with the submission's address, and whether the push was taken.
        """

        def refuse(unpacked: str, refused: str, said: Sequence[str]) -> tuple[bytes, bool]:
            return _build_answer(sent.push, unpacked, refused, said), False

        if why := self._find_refusal(sent.push):
            return refuse("", "refused", [why])
        try:
            data = self._extract_archive(sent.push.commands[-1].new, sent.read_pack())
            submission, fresh = self._service.submit(author, bot, data)
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

    def _find_refusal(self, push: Push) -> str:
        """Return the reason why a push is refused, with advice, or ""."""
        if self._sandbox is None:
            return "this hill has no sandbox to unpack pushes: use the upload form"
        if any(command.ref != MAIN_BRANCH for command in push.commands):
            return "push to the branch main: git push URL HEAD:main"
        if any(command.new == ZERO_ID for command in push.commands):
            return "bots cannot be withdrawn with git: use the bot's page on the hill"
        return ""

    def _extract_archive(self, commit: str, pack: bytes) -> bytes:
        """Return the archive of a commit in a pack; raise UnreadablePackError, or OSError."""
        assert self._sandbox
        with temporary_folder(self._folder, prefix=FOLDER_PREFIX) as work:
            return _extract_archive(commit, pack, work, self._sandbox)


@frozen
class ReceivedPush:
    """A push in a file: what it begins with, where its pack is, and to how much that unpacks."""

    push: Push
    file: IO[bytes]
    pack_start: int
    unpacked_bytes: int

    def read_pack(self) -> bytes:
        """Return the pack."""
        self.file.seek(self.pack_start)
        return self.file.read()


def _read_push(file: IO[bytes]) -> ReceivedPush | None:
    """Read a push from a file; return None for a probe. Raises HTTPException."""
    try:
        push, start = read_push(file), file.tell()
        return ReceivedPush(push, file, start, measure_pack(file.read())) if push else None
    except BadPushError as problem:
        raise HTTPException(400, str(problem)) from None
    except PackTooLargeError:
        raise HTTPException(422, PACK_TOO_LARGE) from None


def _extract_archive(commit: str, pack: bytes, work: Path, contained: Sandbox) -> bytes:
    words = ("/bin/sh", "-c", UNPACK_SCRIPT, "sh", commit)
    ran = run_in_sandbox(words, work, contained, UNPACK_SECONDS, stdin=pack)
    if ran.problem in REFUSALS:
        raise SubmissionDeniedError(REFUSALS[ran.problem], 422)
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


def measure_pack(pack: bytes) -> int:
    """Return the bytes to which a pack unpacks; raise PackTooLargeError.

    A pack that is not valid is measured up to there: git gets no further, and says what is wrong.
    """
    if len(pack) < HEADER.size:
        return 0
    _, number = HEADER.unpack_from(pack)
    if number > MAX_OBJECTS:
        raise PackTooLargeError
    total = 0
    try:
        for size in _list_sizes(pack, number):
            total += size
            if total > MAX_UNPACKED_BYTES:
                raise PackTooLargeError
    except (IndexError, zlib.error):
        pass
    return total


def _list_sizes(pack: bytes, number: int) -> Iterator[int]:
    """Yield sizes of all that git unpacks, each before it is inflated here."""
    place = HEADER.size
    for _ in range(number):
        first, place = pack[place], place + 1
        kind, size = first >> 4 & 7, first & 15
        if first & 128:
            more, place = _read_size(pack, place)
            size |= more << 4
        yield size
        if kind == OFFSET_DELTA:
            _, place = _read_size(pack, place)
        elif kind == REFERENCE_DELTA:
            place += ID_BYTES
        start, place = _inflate(pack, place, size)
        if kind in (OFFSET_DELTA, REFERENCE_DELTA):
            _, behind = _read_size(start, 0)
            yield _read_size(start, behind)[0]  # of what it makes


def _read_size(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and the place behind it; raise IndexError."""
    number = shift = 0
    while data[place] & 128:
        number |= (data[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if shift > MAX_DELTA_HEADER_BYTES * 7:
            raise PackTooLargeError
    return number | data[place] << shift, place + 1


def _inflate(pack: bytes, place: int, size: int) -> tuple[bytes, int]:
    """Return how an object of this size begins, and the place behind it; raise zlib.error."""
    inflater, start, length = zlib.decompressobj(), b"", 0
    step = min(CHUNK_BYTES, size + SLACK_BYTES)
    while not inflater.eof:
        piece = inflater.unconsumed_tail
        if not piece:
            piece = pack[place : place + step]
            place += len(piece)
            if not piece:
                raise IndexError
        out = inflater.decompress(piece, CHUNK_BYTES)
        start += out[: MAX_DELTA_HEADER_BYTES - len(start)]
        length += len(out)
        if length > size:
            raise zlib.error
    return start, place - len(inflater.unused_data)
