"""What takes long and is missing for a page, such as the solution of a game: one at a time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from attrs import define, field
from starlette.responses import JSONResponse, Response

from arena import UserError
from arena.wires import to_printable
from arena_web.http.worker_threads import start_thread
from arena_web.protocol.json_format import to_json
from arena_web.protocol.replies import PreparationProgress

Work = Callable[[Callable[[float], None]], None]
"""Does it; it is given what it tells the share that is done, from 0 to 1, which may raise."""


FAULT_MESSAGE = "an error in the program, which the log of this server describes"


class PreparationStoppedError(UserError):
    """The server stops before something is ready."""


@define(eq=False)
class Preparation:
    """The preparation of a bot for the usual table of a game, or of a position of its explorer."""

    game: str  #: its name
    bot: str  #: its name; empty for the explorer
    share: float = 0.0  #: that is done, from 0 to 1
    problem: str = ""  #: why it failed
    over: bool = False

    def build_progress(self) -> Response:
        """Return how far it is, as JSON."""
        progress = PreparationProgress(self.share, self.over)
        return JSONResponse(to_json(progress), headers={"Cache-Control": "no-store"})


@define(eq=False)
class Preparations:
    """Prepares one thing at a time."""

    latest: Preparation | None = None
    ended: int = field(init=False, default=0)  #: how many are over, after which more may be known
    _thread: Thread | None = field(init=False, default=None)
    _closed: bool = field(init=False, default=False)

    def find(self, game: str, bot: str = "") -> Preparation | None:
        """Return the latest preparation, if it is that of this bot, or of the game's explorer."""
        latest = self.latest
        return latest if latest and (latest.game, latest.bot) == (game, bot) else None

    def start(self, preparation: Preparation, work: Work) -> None:
        """Begin to do what is missing.

        Raises:
            UserError: if something else is prepared, or no thread can start.
        """
        if self.latest and not self.latest.over:
            name = self.latest.bot or f"the explorer of {self.latest.game}"
            raise UserError(f"{name} is being prepared; wait until it is ready")
        self._thread = start_thread(
            lambda: self._prepare(preparation, work), f"prepare {preparation.game}"
        )
        self.latest = preparation

    def close(self) -> None:
        """Stop when the server stops."""
        self._closed = True

    def join(self, timeout: float | None = None) -> None:
        """Wait until nothing is prepared any more."""
        if self._thread:
            self._thread.join(timeout)

    def _prepare(self, preparation: Preparation, work: Work) -> None:
        def report(share: float) -> None:
            preparation.share = share
            if self._closed:
                raise PreparationStoppedError("the server has stopped")

        try:
            work(report)
        except UserError as problem:
            preparation.problem = to_printable(problem.message)
        except Exception:
            preparation.problem = FAULT_MESSAGE
            raise  # into the log, as what no thread expects
        finally:
            self.ended += 1
            preparation.over = True
