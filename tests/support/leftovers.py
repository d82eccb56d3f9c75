"""What a bot may leave in its folder that is hard to remove."""

from __future__ import annotations

DEEP = 'for _ in range(1100):\n    os.mkdir("deep")\n    os.chdir("deep")\n'


LOCKED = 'os.makedirs("locked/in/side")\nopen("locked/in/file", "x")\n' + "".join(
    f'os.chmod("{name}", 0)\n'
    for name in ("locked/in/side", "locked/in/file", "locked/in", "locked")
)


ODD = 'for name in (b"\\xff", b"-rf", b"a\\nb", b"x" * 255):\n    os.mkdir(name)\n    open(name + b"/" + name, "x")\n'


SPECIAL = 'os.mkfifo("pipe")\nimport socket\nsocket.socket(socket.AF_UNIX).bind("socket")\n'


LINKS = 'os.symlink(sys.argv[1], "link")\nos.mkdir("in")\nos.symlink(sys.argv[1], "in/link")\n'


MANY = 'for number in range(300):\n    os.mkdir(f"{number}") if number % 2 else open(f"{number}", "x")\n'
REMAINS = {
    "deep": DEEP, "locked": LOCKED, "odd": ODD, "special": SPECIAL, "links": LINKS, "many": MANY,
}  # fmt: skip
