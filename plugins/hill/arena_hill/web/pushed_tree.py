"""The tree of a push, which git unpacks in a sandbox and makes an archive.

Only git reads a pack, and only reading it shows how much work it is (1 kB can unpack to 300 MB, and
git needs every byte). So the sandbox limits git's memory and processor time.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from arena.host import BOT_FILE, run_in_sandbox
from arena.sandbox import Resources, Sandbox
from arena.wires import to_printable
from arena_hill.denials import Denial, SubmissionDeniedError
from arena_hill.units import MB
from arena_hill.unzip import MAX_MEMBERS, MAX_UNPACKED_BYTES, MAX_UPLOAD_BYTES

MAIN_BRANCH = "refs/heads/main"
UNPACK_SECONDS = 60.0  # in which git has unpacked a push and packed its tree
UNPACK_RESOURCES = Resources(memory_mb=128, cpu_seconds=10.0, processes=16, disk_mb=64, files=1000)
ARCHIVE = "bot.zip"
BOT_FILE_PATTERN = f"^[0-9]+ blob [^\t]*\t([^/]+/)?{re.escape(BOT_FILE)}$"  # a line of git ls-tree
NO_BOT_STATUS, MANY_FILES_STATUS, LARGE_TREE_STATUS = 3, 4, 5  # exit statuses
MAX_OWN_STATUS = 128  # a shell adds to it the number of the signal that has ended a command
OUT_OF_MEMORY_PATTERN = "(?i)out of memory|cannot allocate memory"  # in what it says
REFUSALS = {
    NO_BOT_STATUS: (
        f"there is no {BOT_FILE} at the top of the repository: push the bot's folder by itself"
    ),
    MANY_FILES_STATUS: (
        f"there are more than {MAX_MEMBERS} files and folders; at most {MAX_MEMBERS} are allowed"
    ),
    LARGE_TREE_STATUS: (
        f"the files have more than {MAX_UNPACKED_BYTES // MB} MB; at most"
        f" {MAX_UNPACKED_BYTES // MB} MB are allowed"
    ),
}
"""Why a tree is refused, by the exit status of the script."""

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
[ "$total" -le {MAX_UNPACKED_BYTES} ] || exit {LARGE_TREE_STATUS}
git archive --format=zip --output=../{ARCHIVE} "$1^{{commit}}"
"""
"""The script in the sandbox: it reads a pack and writes the archive of a commit.

`git init` would change modes, which not every sandbox allows; this is all that a repository needs.
One thread needs as much memory on every machine.
The tree is looked at before it is written, and only so far: a few small ones make a billion files.
"""


class PackTooCostlyError(Exception):
    """A pack that git cannot unpack within the limits of a sandbox."""


class UnreadablePackError(Exception):
    """A pack that git refuses; the message is git's output."""


def extract_archive(commit: str, pack: bytes, work: Path, sandbox: Sandbox) -> bytes:
    """Return the archive of a commit in a pack.

    Raises:
        SubmissionDeniedError: where its tree is no bot's.
        UnreadablePackError: where git refuses the pack.
        PackTooCostlyError: where a limit has ended git, whichever it was.
        OSError: where the sandbox or the disk fails.
    """
    words = ("/bin/sh", "-c", UNPACK_SCRIPT, "sh", commit)
    result = run_in_sandbox(words, work, sandbox, UNPACK_SECONDS, stdin=pack)
    if result.exit_status in REFUSALS:
        raise SubmissionDeniedError(Denial.INVALID, REFUSALS[result.exit_status])
    if result.exit_status in range(1, MAX_OWN_STATUS + 1) and not re.search(
        OUT_OF_MEMORY_PATTERN, result.stderr
    ):
        errors = [to_printable(line) for line in result.stderr.replace(str(work), "").splitlines()]
        raise UnreadablePackError("\n".join(errors) or result.problem)
    if result.problem:
        raise PackTooCostlyError(result.problem)
    with open(work / ARCHIVE, "rb", opener=_open_regular) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_UPLOAD_BYTES:
            raise UnreadablePackError(
                f"the archive has {status.st_size:,} bytes;"
                f" at most {MAX_UPLOAD_BYTES:,} are allowed"
            )
        return file.read()


def _open_regular(path: str, flags: int) -> int:
    """Open a regular file; raise OSError for a link or a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
