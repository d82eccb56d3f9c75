"""Accounts that host matches: whoever runs the tests, and ordinary users beside root.

Where the tests run as root, a match of an attacker is also hosted by

- `subordinate`: a user who has subordinate ids (subuid(5)), so that each program gets its own;
- `ordinary`: a user without;
- `container`: such a user where user namespaces are refused, as in most containers.

Each has a process that plays attacks, one JSON line for each: `python -m tests.sandbox.attacks.programs.accounts`.
"""

from __future__ import annotations

import ctypes
import json
import os
import pwd
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from attrs import asdict, define, field

import arena

PATH = "/usr/bin:/bin:/usr/sbin:/sbin"  # of an ordinary user
SYSTEM_PYTHON = "/usr/bin/python3"  # which every user may run
ACCOUNT = "arena-tests"  # `./run test` makes it
NOBODY = 20_001  # a user without an account, and so without subordinate ids
ROOT, SUBORDINATE, ORDINARY, CONTAINER = "root", "subordinate", "ordinary", "container"
ACCOUNTS = (SUBORDINATE, ORDINARY, CONTAINER)
CLONE_NEWUSER = 0x10000000
EVERY_ID = "0 0 4294967295"
PACKAGE_ROOT = Path(arena.__file__).parents[1]


class MissingAccountError(Exception):
    """An account that cannot host matches on this machine; the text says why."""


@contextmanager
def public_interpreter() -> Iterator[str]:
    """Yield a Python that every user may run, and that imports what is imported here."""
    if not Path(SYSTEM_PYTHON).exists():
        raise MissingAccountError(f"there is no {SYSTEM_PYTHON}, which every user may run")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        words = [SYSTEM_PYTHON, "-m", "venv", "--without-pip", f"{folder}/venv"]
        subprocess.run(words, check=True)
        (packages,) = Path(folder).glob("venv/lib/*/site-packages")
        found = [path for path in sys.path if path.endswith("site-packages")]
        lines = [*(f"import site; site.addsitedir({path!r})" for path in found), str(PACKAGE_ROOT)]
        (packages / "ours.pth").write_text("\n".join(lines))
        yield f"{folder}/venv/bin/python"


def become(account: str) -> None:
    """Become the user of an account, in a process that is to be that user from now on."""
    if account == CONTAINER:
        _refuse_user_namespaces()
    user, group = NOBODY, NOBODY
    if account == SUBORDINATE:
        found = pwd.getpwnam(ACCOUNT)
        user, group = found.pw_uid, found.pw_gid
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)


def _refuse_user_namespaces() -> None:
    """Enter a user namespace below which there are none, and in which all users are the same."""
    here, there = os.pipe()
    process = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(there)  # so that it ends with its parent
        if os.read(here, 1):
            for name in ("uid_map", "gid_map"):
                Path(f"/proc/{process}/{name}").write_text(EVERY_ID)
        os._exit(0)
    refused = ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER)
    problem = ctypes.get_errno()
    if not refused:
        os.write(there, b"1")
    os.close(there)
    os.waitpid(child, 0)
    if refused:
        raise OSError(problem, "a user namespace is refused")
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


@define
class AttackHost:
    """A process of an account that hosts matches of attackers."""

    account: str
    _process: subprocess.Popen[str] = field(init=False)
    _stack: ExitStack = field(factory=ExitStack, init=False)

    def __attrs_post_init__(self) -> None:
        """Start it; raise MissingAccountError where it cannot be."""
        if os.getuid() != 0:
            raise MissingAccountError("only root can become other users")
        if self.account == SUBORDINATE:
            _require_subordinate_ids()
        interpreter = self._stack.enter_context(public_interpreter())
        words = [interpreter, "-B", "-m", "tests.sandbox.attacks.programs.accounts", self.account]
        self._process = self._stack.enter_context(
            subprocess.Popen(
                words, cwd=PACKAGE_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={"PATH": PATH, "HOME": "/nonexistent"},
            )
        )  # fmt: skip
        if problem := self._read_answer()["problem"]:
            self.close()
            raise MissingAccountError(f"{self.account} users cannot run what runs here: {problem}")

    @classmethod
    def ask_once(cls, account: str, tier: str, /, **question: Any) -> dict[str, Any] | str:
        """Have a function called as an account, where a tier holds; return why not, where not."""
        try:
            other = cls(account)
        except MissingAccountError as problem:
            return str(problem)
        try:
            holds = other.ask(what="examine")[tier]
            if isinstance(holds, str):
                return holds
            answer = other.ask(tier=tier, **question)
            assert "problem" not in answer, answer["problem"]
            return answer
        finally:
            other.close()

    def ask(self, **question: Any) -> dict[str, Any]:
        """Have a function of `ANSWERS` called over there; return what it returns."""
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps(question)}\n")
        self._process.stdin.flush()
        return self._read_answer()

    def _read_answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline() or '{"problem": "it has ended"}'
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End it."""
        assert self._process.stdin
        self._process.stdin.close()
        self._stack.close()


def _require_subordinate_ids() -> None:
    for path in ("/etc/subuid", "/etc/subgid"):
        lines = Path(path).read_text().splitlines() if Path(path).exists() else []
        if not any(line.startswith(f"{ACCOUNT}:") for line in lines):
            raise MissingAccountError(
                f"{ACCOUNT} has no ids in {path}: `./run test` makes the account"
            )


def play_attack(attack: str, tier: str) -> dict[str, Any]:
    """Play an attack of the suite as this user; say what came of it."""
    from tests.sandbox.attacks.programs.scene import scene
    from tests.sandbox.attacks.programs.suite import PROGRAMS

    with scene() as place:
        result = place.play(PROGRAMS[attack], tier)
        verdict = result.verdicts[0]
        answer = {
            "kind": verdict and verdict.kind.value,
            "detail": verdict and f"{verdict.detail} {verdict.errors}",
            "said": result.errors[0],
            "touched": "",
        }
        try:
            place.assert_untouched(result)
        except AssertionError:
            answer["touched"] = traceback.format_exc()
    return answer


def examine_tiers() -> dict[str, Any]:
    """Say why each tier does not hold, or what an attacker in it gets hold of."""
    from arena.sandbox import find_obstacle, probe_tier
    from tests.sandbox.attacks.programs.attack import TIERS

    return {
        tier: find_obstacle(tier)
        or [finding.protection for finding in probe_tier(tier) if not finding.held]
        for tier in TIERS
    }


def leave_setuid_programs(tier: str) -> dict[str, Any]:
    """Have a bot make its files setuid programs; say which of them another user could start."""
    from tests.sandbox.attacks.programs.setuid import left_by_a_build, left_in_a_match

    return {"build": left_by_a_build(tier), "match": left_in_a_match(tier)}


def spoil_folders(tier: str) -> dict[str, Any]:
    """Have bots spoil the folders that they keep; say what was wrong with the results."""
    from tests.sandbox.attacks.programs.spoilers import play_spoilers

    return {"wrong": play_spoilers(tier)}


def play_innocents(tier: str, matches: int, concurrent: int, first: int = 0) -> dict[str, Any]:
    """Play matches of innocents as this user; say what was wrong."""
    from tests.support.sandboxes.innocents import play

    return asdict(play(tier, matches, concurrent, first))


def play_crowd(tier: str, seconds: float, concurrent: int, account: str) -> dict[str, Any]:
    """Play many matches at once as this user; say what came of them."""
    from tests.support.sandboxes.crowd_load import load

    return load(tier, seconds, concurrent, account)


def try_idioms(language: str, tier: str) -> dict[str, Any]:
    """Try what innocent programs in a language do; say what failed, and why."""
    from tests.sandbox.attacks.programs.idioms import IDIOMS

    (idioms,) = [idiom for idiom in IDIOMS if idiom.language == language]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        return idioms.try_all(Path(folder), tier)


def play_private(tier: str) -> dict[str, Any]:
    """Play a bot whose files are private as this user; say what was wrong."""
    from tests.sandbox.attacks.programs.private_bot import play_private_bot

    return {"wrong": play_private_bot(tier)}


def queue_signals(tier: str) -> dict[str, Any]:
    """Have two programs queue signals at once; say how many each could."""
    from tests.sandbox.attacks.programs.waiting_signals import count_queued

    return {"queued": count_queued(tier)}


def stop_others(tier: str) -> dict[str, Any]:
    """Have a program stop those that are to stop it; say which keepers still wait for them."""
    from tests.sandbox.attacks.programs.stopping import list_stuck_keepers

    return {"stuck": list_stuck_keepers(tier)}


ANSWERS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "play": play_attack, "examine": examine_tiers, "setuid": leave_setuid_programs,
    "spoil": spoil_folders, "innocents": play_innocents, "load": play_crowd, "idioms": try_idioms,
    "private": play_private, "signals": queue_signals, "stop": stop_others,
}  # fmt: skip


def prepare(account: str) -> str:
    """Become the user of an account, who finds what is imported here; return why not."""
    try:
        become(account)
        import arena_gops  # noqa: F401
    except (ImportError, OSError) as problem:
        return str(problem)
    return ""


def main() -> None:
    """Say whether this can be an account's user, and answer its questions until there are no more."""
    answers = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(answers, "w") as out:
        problem = prepare(sys.argv[1])
        out.write(f"{json.dumps({'problem': problem})}\n")
        out.flush()
        for line in sys.stdin:
            question = json.loads(line)
            try:
                answer = ANSWERS[question.pop("what")](**question)
            except Exception:  # noqa: BLE001  # the test that asked shows it
                answer = {"problem": traceback.format_exc()}
            out.write(f"{json.dumps(answer)}\n")
            out.flush()


if __name__ == "__main__":
    main()
