"""Findings from a match: the bot's verdict in plain words, problems without one, and slow starts.

A program's bare start may take long, before the bot itself has done anything, and is paid in each
match. What is told of starts was measured to double them at least, and each line says what to write
instead.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from attrs import evolve, frozen

from arena.check.report import VOID, Finding
from arena.check.trials import MatchObserver, ObservedFactory, Trial, feed_and_end
from arena.host import Result
from arena.rules import End, Fault, OneOf, Question, Verdict, join_words
from arena.sandbox import find_manager
from arena.wires import Codec, describe_options

ENDED_BY_HOST = "the host ended it"
SUCCESS = "exit status 0"
MAX_STDERR_BYTES = 1 << 20  # bytes in a match
MAX_STDERR_LINES = 5  # lines quoted


@frozen
class TrialResult:
    """A trial that was played."""

    trial: Trial
    result: Result
    seen: MatchObserver
    watched: ObservedFactory
    grace: float  # seconds the program had to end; 0 if it is known not to end

    def list_findings(self) -> Iterator[Finding]:
        """Return all findings of a trial."""
        if self.result.outcome.end is End.VOID:
            yield self._report_void()
            return
        if self.seen.verdict:
            yield self._report_verdict(self.seen.verdict)
        else:
            yield from self._report_aftermath()
        if self.watched.log.count > MAX_STDERR_BYTES:
            yield self._report_stderr()

    def _build_finding(self, kind: str, detail: str, advice: str, **more: Any) -> Finding:
        trial = self.trial
        more = {"fault": False, "seat": trial.seat, "again": trial.again, **more}
        return Finding(kind=kind, situation=trial.situation, detail=detail, advice=advice, **more)

    def _report_verdict(self, verdict: Verdict) -> Finding:
        seen = self.seen
        advice = explain_verdict(
            verdict,
            early=seen.early,
            runs=self.watched.is_program,
            buffers=self._is_buffering(verdict),
        )
        crashed = verdict.kind is Fault.CRASHED
        if crashed and self.watched.sandbox:
            advice = explain_refusal(self._stderr_end, self.watched.sandbox.tier) or advice
        silent = verdict.kind in (Fault.TIMEOUT, Fault.CRASHED) and not verdict.line
        return self._build_finding(
            verdict.kind.value,
            verdict.detail,
            advice,
            fault=True,
            about=type(verdict.question).__name__,
            ask=verdict.ask,
            sent=tuple(seen.sent),
            answered=None if silent else verdict.line,
            allowed=describe_allowed(seen.wire, verdict.question),
            stderr=self._stderr_end if crashed else "",
        )

    def _is_buffering(self, verdict: Verdict) -> bool:
        """Whether the program answers once its input ends, when it is sent the same lines again."""
        if verdict.kind is not Fault.TIMEOUT or verdict.line or not self.watched.is_program:
            return False
        ending = feed_and_end(self.watched.factory, self.seen.sent_lines, self.grace)
        answered = len(self.seen.turns) + self.seen.too_late
        return ending is not None and len(ending.output.splitlines()) > answered

    @property
    def _stderr_end(self) -> str:
        errors = self.result.errors[self.trial.seat]
        return "\n".join(errors.strip().splitlines()[-MAX_STDERR_LINES:])

    def _report_void(self) -> Finding:
        detail = self.result.outcome.detail
        return self._build_finding(
            VOID, detail, "The match could not be played, which is not the bot's fault."
        )

    def _report_aftermath(self) -> Iterator[Finding]:
        """Yield findings about the end of the program, none of which leads to a verdict."""
        if self.watched.unasked_output.strip():
            yield self._report_unasked()
        for process in self.watched.processes if self.grace else ():
            if process.exit_reason == ENDED_BY_HOST:
                yield evolve(
                    report_lingering(self.trial.situation, self.grace), seat=self.trial.seat
                )
            elif process.exit_reason != SUCCESS:
                yield self._report_exit_status(process.exit_reason)

    def _report_unasked(self) -> Finding:
        said = self.watched.unasked_output.strip()
        return self._build_finding(
            "unasked",
            "it wrote a line that answers no question",
            "After the end of a match this is not a fault. During a match, such a line is taken "
            "as the next answer.",
            answered=said,
        )

    def _report_exit_status(self, exit_reason: str) -> Finding:
        return self._build_finding(
            "status",
            f"the program ended with {exit_reason} after the match",
            "This is not a fault. Does the program read the end of its input as a line?",
            stderr=self._stderr_end,
        )

    def _report_stderr(self) -> Finding:
        size = f"{self.watched.log.count / 1e6:.1f} MB"
        return self._build_finding(
            "stderr",
            f"it wrote {size} to standard error in one match",
            "This is not a fault, but it costs the bot time. The host keeps only the end.",
            stderr=self._stderr_end,
        )


def report_lingering(situation: str, grace: float) -> Finding:
    """Return the finding that a program does not end with its input."""
    return Finding(
        kind="lingers",
        fault=False,
        situation=situation,
        detail=f"the program kept running for more than {grace:g} s after the end of its input",
        advice="The host kills it. This is not a fault, but each match takes longer "
        "than it needs to. End the program when there is nothing more to read.",
    )


def report_leftovers(situation: str, left: int) -> Finding:
    """Return the finding that a program leaves processes behind."""
    return Finding(
        kind="leaves",
        fault=False,
        situation=situation,
        detail=f"{left} process{'es' * (left > 1)} that it started kept running after its end",
        advice="The host kills them. This is not a fault.",
    )


EARLY_ANSWER = (
    "This line was there before the question: the bot answered twice, or answered no question. "
    "From then on, every answer comes one question too early."
)
MEANINGS = {
    Fault.ILLEGAL: "The line is an answer, but the rules do not allow it here. "
    "Does the bot keep track of its cards?",
    Fault.MALFORMED: "The line is not an answer in this protocol. Does the bot print anything else "
    "to standard output, or answer twice? Write everything else to standard error.",
    Fault.FLOODED: "The bot writes far more than it is asked for. Is there a loop that prints?",
}


def explain_verdict(verdict: Verdict, *, early: bool, runs: bool, buffers: bool) -> str:
    """Return an explanation of a verdict, with advice for the author."""
    match verdict.kind:
        case Fault.TIMEOUT:
            return (
                _explain_timeout(verdict, buffers=buffers)
                if runs
                else "The bot thinks for too long."
            )
        case Fault.CRASHED:
            return _explain_crash(verdict) if runs else "The bot raised an exception."
        case Fault.FLOODED:
            return MEANINGS[verdict.kind]
    return EARLY_ANSWER if early else MEANINGS[verdict.kind]


def _explain_crash(verdict: Verdict) -> str:
    if verdict.detail.startswith("did not start"):
        return "The program cannot be started. Is its command right, and is everything installed?"
    if "exit status 0" in verdict.detail:
        return "The program ended before the match did. Does it miss a turn or a line?"
    return "The program crashed. The end of its standard error should say why."


def _explain_timeout(verdict: Verdict, *, buffers: bool) -> str:
    """Return the likely reason for a timeout: a buffered answer, half a line, or no answer."""
    time = f"It had {verdict.limit:g} seconds{', including its start' * (verdict.ask == 1)}. "
    if verdict.line:
        return time + "Its output is not a whole line: the newline at the end is missing."
    if buffers:
        return time + (
            "Its answer came only after the end of its input: it was waiting in a buffer. "
            "Does it flush its output after each line?"
        )
    return time + (
        "It wrote nothing. Does it flush its output after each line, wait for a line that does not "
        "come, or think for too long?"
    )


REFUSALS = (
    "operation not permitted", "permission denied", "function not implemented",
    "read-only file system", "bad system call", "sigsys",
)  # fmt: skip
"""Lower-case error messages of programs for system calls that a sandbox refuses."""


def explain_refusal(errors: str, tier: str) -> str:
    """Return an explanation if a program seems to have failed on a call its sandbox refused."""
    if not tier or not any(refusal in errors.lower() for refusal in REFUSALS):
        return ""
    return (
        f"The sandbox ({tier}) seems to have blocked something. Does the bot run with --sandbox "
        "trusted? The page on sandboxes lists what differs in a sandbox."
    )


def describe_allowed(wire: Codec, question: Question[Any]) -> str:
    """Return the answers that a question allows, as lines of the wire."""
    options = question.options
    if isinstance(options, OneOf):
        return join_alternatives([wire.say(question, option) for option in options])
    default = question.default
    example = options.draw(Random(0)) if default is None else default
    return f"{describe_options(options)}; such as {wire.say(question, example)}"


MAX_LISTED_ANSWERS = 60  # longer lists of answers are shortened


def join_alternatives(lines: Sequence[str]) -> str:
    """Join the allowed answers with commas and "or".

    >>> join_alternatives(["1", "3", "7"]), join_alternatives(["Pass"])
    ('1, 3 or 7', 'Pass')
    """
    most, last = list(lines[:-1]), lines[-1]
    if len(most) > MAX_LISTED_ANSWERS:
        most = [*most[:MAX_LISTED_ANSWERS], "..."]
    return join_words([*most, last], "or")


CERTIFICATES_VARIABLE = "NODE_EXTRA_CA_CERTS"
PYTHON_NAME = re.compile(r"python[0-9.]*")
RUBY_NAME = re.compile(r"ruby[0-9.]*")
GEMS_OPTIONS = ("--disable-gems", "--disable=gems", "--disable-all", "--disable=all")
SITE_FOLDERS = ("lib/python3*/site-packages", "lib/python3/dist-packages")
OWN_LINES = ("distutils-precedence.pth", "_virtualenv.pth")  # import next to nothing
LANGUAGE_PROGRAMS = ("python3", "ruby", "node")  # whose starts can be slow


def advise_on_bot(factory: object) -> Iterator[str]:
    """Yield a line for each reason why a bot's program starts slowly."""
    build_words = getattr(factory, "build_words", None)  # it works in a copy of its folder
    words = build_words(getattr(factory, "home", None)) if build_words else None
    if words := words or getattr(factory, "words", None):
        yield from advise_on_command(words, chooses_version=build_words is not None)


def advise_on_command(words: Sequence[str], *, chooses_version: bool = False) -> Iterator[str]:
    """Yield a line for each reason why a command starts slowly.

    Args:
        words: its command line.
        chooses_version: whether a version manager has to be asked in each match.
    """
    program = Path(words[0])
    if chooses_version and (manager := find_manager(program)):
        yield (
            f"{program} is a script of {manager.name}, which chooses a version at each start:"
            f" write the path that `{manager.name} which {program.name}` prints"
        )
    if RUBY_NAME.fullmatch(program.name) and not {*words} & {*GEMS_OPTIONS}:
        yield (
            "Ruby loads its package manager at each start: write `ruby --disable-gems` unless"
            " the bot uses gems"
        )
    if program.name == "java" and any(word.endswith(".java") for word in words):
        yield (
            "Java compiles the bot at each start: put `javac` into `build`, and start the class"
            " (`java -cp {folder} Bot`)"
        )
    if program.name == "node":
        yield from _advise_on_certificates()
    if PYTHON_NAME.fullmatch(program.name) and words[0] != sys.executable and "-S" not in words:
        yield from advise_on_python(program)


def _advise_on_certificates() -> Iterator[str]:
    if os.environ.get(CERTIFICATES_VARIABLE):
        yield (
            f"{CERTIFICATES_VARIABLE} is set, and Node reads these certificates at each start:"
            f" run `env -u {CERTIFICATES_VARIABLE} arena ...`"
        )


def advise_on_python(program: Path) -> Iterator[str]:
    """Yield a line if files of a Python installation import modules at each start."""
    if found := _find_importing_files(program.absolute().parent.parent):
        yield (
            f"{program} imports what {', '.join(found)} in its site-packages name"
            f"{'s' * (len(found) == 1)} at each start: give the bots an environment without, or"
            f" write `{program.name} -S` for a bot that needs no packages"
        )


def _find_importing_files(prefix: Path) -> list[str]:
    """Return the names of path files (.pth) of an installation that import modules."""
    return [
        path.name
        for pattern in SITE_FOLDERS
        for path in sorted(prefix.glob(f"{pattern}/*.pth"))
        if path.name not in OWN_LINES and _imports_modules(path)
    ]


def _imports_modules(path: Path) -> bool:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return False
    return any(line.startswith(("import ", "import\t")) for line in lines)


def advise_on_machine() -> Iterator[str]:
    """Yield a line for each reason why bots start slowly on this machine."""
    programs = dict.fromkeys([sys.executable, *filter(None, map(shutil.which, LANGUAGE_PROGRAMS))])
    for program in map(Path, programs):
        if manager := find_manager(program):
            yield (
                f"{program} is a script of {manager.name}. The arena asks {manager.name} once and"
                " starts the chosen program itself; a bot that starts it pays for each start"
            )
        elif PYTHON_NAME.fullmatch(program.name):
            yield from advise_on_python(program)
        elif program.name == "node":
            yield from _advise_on_certificates()
