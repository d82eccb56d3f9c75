"""Run a bot, and write to standard error what it hears (<) and what it says (>).

arena match gops "python3 spy.py ruby mine.rb" match --bot-logs logs
"""

import subprocess
import sys
import threading
from typing import IO


def pass_on(source: IO[str], target: IO[str], mark: str) -> None:
    """Pass lines on until there are no more, and write each down first."""
    for line in source:
        sys.stderr.write(f"{mark} {line}")
        sys.stderr.flush()
        target.write(line)
        target.flush()
    target.close()


def main(command: list[str]) -> None:
    """Stand between the host and the bot until the bot ends."""
    bot = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert bot.stdin
    assert bot.stdout
    threading.Thread(target=pass_on, args=(sys.stdin, bot.stdin, "<"), daemon=True).start()
    pass_on(bot.stdout, sys.stdout, ">")


if __name__ == "__main__":
    main(sys.argv[1:])
