"""Attacks by what a program says, or does not."""

from __future__ import annotations

from arena.host import Limits
from arena.rules import Fault
from tests.sandbox.attacks.programs.attack import SHORT, Attack

ATTACKS = (
    Attack(
        "floods stdout with lines",
        "while True:\n    os.write(1, b'flood\\n' * 8192)",
        Fault.MALFORMED,  # by its first line; what comes behind is not taken in
        control=True,
    ),
    Attack(
        "floods stdout without a newline",
        "bid()\nwhile True:\n    os.write(1, b'1' * 65536)",
        Fault.FLOODED,
        control=True,
    ),
    Attack(
        "speaks 1 GB before it answers",
        "for _ in range(1 << 14):\n    os.write(1, b'1' * 65536)\nplay()",
        Fault.FLOODED,
        control=True,
    ),
    Attack(
        "floods stderr",
        "bid()\nfor _ in range(1 << 10):\n    os.write(2, b'x' * 65536)\nsay('TRIED')\nplay()",
    ),
    Attack("never reads, never answers", "while True:\n    time.sleep(3600)", Fault.TIMEOUT,
           limits=Limits(move=1.5, start=0.2, grace=0.1), control=True),
    Attack(
        "drips a byte at a time",
        "bid()\nwhile True:\n    os.write(1, b'1')\n    time.sleep(0.2)",
        Fault.TIMEOUT,
        limits=SHORT,
        control=True,
    ),
    Attack(
        "thousands of early answers",
        "os.write(1, b'1\\n2\\n3\\n4\\n5\\n' * 2000)\nsay('TRIED')\nplay()",
        control=True,
    ),
    Attack(
        "takes most of its time for each move",
        """
for _ in range(2):
    prize = input()
    time.sleep(1.0)
    print(prize.split()[-1], flush=True)
    input()
say("TRIED")
play()
""",
        limits=SHORT,
    ),
    Attack("a NUL in a line", "bid()\nos.write(1, b'1\\0\\n')\nplay()", Fault.MALFORMED,
           detail="NUL", control=True),
    Attack("invalid UTF-8", "bid()\nos.write(1, b'\\xff\\xfe\\n')\nplay()", Fault.MALFORMED,
           detail="UTF-8", control=True),
    Attack(
        "terminal escapes and bidirectional marks in a line",
        "bid()\nprint('\\x1b]0;owned\\x07\\x1b[2J\\u202e1', flush=True)\nplay()",
        Fault.MALFORMED,
        control=True,
    ),
    Attack(
        "terminal escapes and bidirectional marks on stderr",
        "bid()\nos.write(2, b'TRIED \\x1b]0;owned\\x07\\x1b[2J\\xe2\\x80\\xae\\n')\nplay()",
        control=True,
    ),
)  # fmt: skip
