"""Attacks on what a machine has: processes, memory, the processor, disks."""

from __future__ import annotations

from attrs import evolve

from arena.rules import Fault
from tests.sandbox.attacks.programs.attack import RESOURCES, SHORT, Attack

ATTACKS = (
    Attack(
        "fork bomb",
        """
bid()
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
        Fault.CRASHED,
        detail="more than 32 processes",
    ),
    Attack(
        "fork bomb, each in a session of its own",
        """
bid()
signal.signal(15, signal.SIG_IGN)
while True:
    try:
        os.fork() or leave()
    except OSError:
        pass
""",
        Fault.CRASHED,
        detail="more than 32 processes",
    ),
    Attack(
        "thread bomb",
        """
bid()
threading.stack_size(1 << 16)
while True:
    try:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    except RuntimeError:
        time.sleep(0.01)
""",
        Fault.CRASHED,
        detail="more than 32 processes",
    ),
    Attack(
        "memory in one process",
        "bid()\nheld = b'x' * (1 << 30)\nsay('GOT it')\nplay()",
        Fault.CRASHED,
        detail="MemoryError",
    ),
    Attack(
        "memory over six processes",
        """
bid()
for _ in range(5):
    if os.fork() == 0:
        break
held = b"x" * (48 << 20)
time.sleep(3600)
""",
        Fault.CRASHED,
        detail="more than 128 MB of memory",
    ),
    Attack(
        "shared memory",
        """
bid()
held = []
for _ in range(256):
    held.append(mmap.mmap(-1, 4 << 20))
    held[-1][:] = bytes(4 << 20)
    time.sleep(0.01)
time.sleep(3600)
""",
        Fault.CRASHED,
        detail="more than 128 MB of memory",
    ),
    Attack(
        "files in memory, which no process has mapped",
        """
bid()
def fill(folder):
    size = 0
    for number in range(100):
        with open(f"{folder}/{number}", "wb", buffering=0) as file:
            for _ in range(16):
                size += file.write(bytes(1 << 20))
                if size > 64 << 20:
                    return size
tries("/dev/shm", fill, "/dev/shm")
tries("/tmp", fill, "/tmp")
tries("memfd", lambda: os.memfd_create("x"))
play()
""",
    ),
    Attack(
        "memory in the buffers of sockets",
        """
bid()
held = []
for number in range(4):
    if os.fork() == 0:
        break
while len(held) < 400:
    held += socket.socketpair()
    held[-1].setblocking(False)
    try:
        while True:
            held[-1].send(bytes(65536))
    except BlockingIOError:
        pass
time.sleep(3600)
""",
        Fault.CRASHED,
        detail="more than 128 MB of memory",
    ),
    Attack(
        "hides what it holds",
        """
bid()
LIBC.prctl(4, 0)
held = [open(name, "wb", buffering=0) for name in "abc"]
for file in held:
    os.unlink(file.name)
    for _ in range(15):
        file.write(bytes(1 << 20))
time.sleep(3600)
""",
        Fault.CRASHED,
    ),
    Attack(
        "spins, with a limit of the processor's time",
        "bid()\nwhile True:\n    pass",
        Fault.CRASHED,
        detail="more than 0.5 s of the processor",
        resources=evolve(RESOURCES, cpu_seconds=0.5),
    ),
    Attack(
        "spins, with a limit for each move",
        "bid()\nwhile True:\n    pass",
        Fault.TIMEOUT,
        limits=evolve(SHORT, move=0.5),
    ),
    Attack(
        "fills its folder",
        """
bid()
for number in range(4):
    with open(str(number), "wb", buffering=0) as file:
        try:
            while file.write(bytes(1 << 20)):
                pass
        except OSError:
            pass
sys.exit(1)
""",
        Fault.CRASHED,
        detail="more than 16 MB of files",
    ),
    Attack(
        "fills its folder with files that have no name",
        """
bid()
held = []
for number in range(16):
    held.append(open("x", "wb", buffering=0))
    os.unlink("x")
    for _ in range(15):
        held[-1].write(bytes(1 << 20))
    time.sleep(0.1)
time.sleep(3600)
""",
        Fault.CRASHED,
        detail="No space left on device",
    ),
    Attack(
        "makes folders without end, one in the other",
        """
bid()
for number in range(700):
    os.mkdir("d")
    os.chdir("d")
time.sleep(3600)
""",
        Fault.CRASHED,
        detail="more than 500 files",
    ),
    Attack(
        "fills a folder that it has locked",
        """
bid()
os.mkdir("locked", 0o300)
os.mkdir("locked/in")
for number in range(600):
    os.mknod(f"locked/in/{number}")
time.sleep(3600)
""",
        Fault.CRASHED,
    ),
    Attack(
        "fills /tmp with empty files",
        """
bid()
def fill():
    for number in range(100_000):
        os.mknod(f"/tmp/{number}")
        number % 400 or time.sleep(0.01)
    time.sleep(3600)
tries("empty files", fill)
play()
""",
    ),
)
