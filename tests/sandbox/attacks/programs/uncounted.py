"""Attacks by what a look at /proc does not show at once: the kernel's memory, hidden holders."""

from __future__ import annotations

from attrs import evolve

from arena.rules import Fault
from tests.sandbox.attacks.programs.attack import RESOURCES, Attack

ATTACKS = (
    Attack(
        "uses up watches of epoll",
        """
import select
bid()
say("TRIED watches")
PARENT = os.getpid()
for _ in range(29):
    if os.fork() == 0:
        break
events = [os.eventfd(0) for _ in range(200)]
held = [select.epoll() for _ in range(200)]
for one in held:
    for event in events:
        one.register(event, 0)
time.sleep(20)
if PARENT == os.getpid():
    play()
""",
        Fault.CRASHED,
        detail="more than",
        by_user=True,
    ),
    Attack(
        "memory in page tables",
        """
bid()
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
size = 200 << 30
at = LIBC.mmap(None, size, 1, 0x4022, -1, 0)  # PROT_READ, MAP_PRIVATE, _ANONYMOUS, _NORESERVE
LIBC.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), 15)  # MADV_NOHUGEPAGE
for offset in range(0, size, 2 << 20):
    ctypes.string_at(at + offset, 1)
say("TRIED page tables")
time.sleep(20)
play()
""",
        Fault.CRASHED,
        detail="more than 128 MB of memory",
        by_user=True,
    ),
    Attack(
        "memory in the kernel's lists of mappings",
        """
bid()
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PARENT = os.getpid()
for _ in range(3):
    if os.fork() == 0:
        break
at = LIBC.mmap(None, 64_000 * 4096, 0, 0x4022, -1, 0)  # PROT_NONE, MAP_PRIVATE, _ANONYMOUS, _NORESERVE
for number in range(0, 64_000, 2):
    LIBC.mprotect(at + number * 4096, 4096, 1)  # so that each second page is a mapping of its own
say("TRIED mappings")
time.sleep(20)
if PARENT == os.getpid():
    play()
""",
        Fault.CRASHED,
        detail="more than",
        resources=evolve(RESOURCES, memory_mb=64),  # where the kernel counts, it is less than 128
        by_user=True,
    ),
    Attack(
        "memory in locks of records",
        """
import fcntl
bid()
say("TRIED locks")
PARENT, held = os.getpid(), []
for number in range(3):
    if os.fork() == 0:
        break
for path in [entry.path for entry in os.scandir("/usr/bin") if entry.is_file()][number::4]:
    try:
        held.append(os.open(path, os.O_RDONLY))
    except PermissionError:
        continue
    for record in range(0, 4000, 2):
        fcntl.lockf(held[-1], fcntl.LOCK_SH, 1, record)
time.sleep(20)
if PARENT == os.getpid():
    play()
""",
        Fault.CRASHED,
        detail="more than",
        resources=evolve(RESOURCES, memory_mb=64),  # where the kernel counts, it is less than 128
        by_user=True,
    ),
    Attack(
        "shared memory whose pages no process has",
        """
def hold():
    held = []
    for _ in range(100):
        held.append(mmap.mmap(-1, 4 << 20))
        held[-1][:] = bytes(4 << 20)
        held[-1].madvise(mmap.MADV_DONTNEED)
    time.sleep(20)
    return yes("400 MB")
bid()
tries("shared memory", hold)
play()
""",
        Fault.CRASHED,
        detail="more than 128 MB of memory",
        by_user=True,
    ),
    Attack(
        "shared memory of which it has only the first pages mapped",
        """
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
SHARED_AND_POPULATED = 0x8001
def keep(size, flags=0x20, file=-1):  # MAP_ANONYMOUS
    for _ in range((1280 << 20) // size):
        at = LIBC.mmap(None, size, 3, SHARED_AND_POPULATED | flags, file, 0)
        if at == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        LIBC.munmap(at + 4096, size - 4096)
    time.sleep(20)
    return "1,280 MB"
bid()
tries("large pieces", keep, 32 << 20)
tries("a device", lambda: keep(32 << 20, 0, os.open("/dev/zero", os.O_RDWR)))
tries("small pieces", keep, 4 << 20)
play()
""",
        Fault.CRASHED,
        detail="more than 128 MB of memory",
        by_user=True,
    ),
    Attack(
        "memory and time in descriptors of many processes",
        """
bid()
say("TRIED descriptors")
PARENT = os.getpid()
for _ in range(29):
    if os.fork() == 0:
        break
held = [os.dup(0) for _ in range(480)]
time.sleep(20)
if PARENT == os.getpid():
    play()
""",
        Fault.CRASHED,
        detail="more than 10,000 open descriptors",
        by_user=True,
    ),
    Attack(
        "memory that bytes in pipes and sockets keep",
        """
import fcntl
bid()
reads, writes = os.pipe()
here, there = socket.socketpair()
file = open("x", "wb+", buffering=0)
file.write(bytes(4096))
tries("splice", lambda: os.splice(file.fileno(), writes, 1, offset_src=0))
tries("sendfile to a pipe", lambda: os.sendfile(writes, file.fileno(), 0, 1))
tries("sendfile to a socket", lambda: os.sendfile(here.fileno(), file.fileno(), 0, 1))
tries("larger pipe", lambda: fcntl.fcntl(writes, fcntl.F_SETPIPE_SZ, 1 << 20))
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "memory of a process whose first thread has ended",
        """
def hold():
    held = [mmap.mmap(-1, 4 << 20) for _ in range(50)]
    bid()
    say("TRIED memory")
    for piece in held:
        piece[:] = bytes(4 << 20)
    time.sleep(20)
    play()
threading.Thread(target=hold).start()
call(60 if AMD else 93, 0)
""",
        Fault.CRASHED,
        detail="more than 128 MB of memory",
        by_user=True,
    ),
    Attack(
        "files without a name that are only mapped",
        """
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
def fill():
    for number in range(20):
        file = os.open("x", os.O_CREAT | os.O_RDWR)
        for _ in range(8):
            os.write(file, bytes(1 << 20))
        assert LIBC.mmap(None, 4096, 1, 1, file, 0) not in (None, ctypes.c_void_p(-1).value)
        os.close(file)
        os.unlink("x")
        time.sleep(0.1)
    time.sleep(20)
    return "160 MB"
bid()
tries("mapped files", fill)
play()
""",
        differs={"landlock@container": Fault.CRASHED},
        by_user=True,
    ),
    Attack(
        "files of a process whose first thread has ended",
        """
def hold():
    bid()
    tries("files", fill)
    play()
def fill():
    held = []
    for number in range(20):
        held.append(open("x", "wb", buffering=0))
        os.unlink("x")
        for _ in range(8):
            held[-1].write(bytes(1 << 20))
    time.sleep(20)
    return "160 MB"
threading.Thread(target=hold).start()
call(60 if AMD else 93, 0)
""",
        differs={"landlock@container": Fault.CRASHED},
        by_user=True,
    ),
    Attack(
        "processor time of children that nobody waits for",
        """
bid()
say("TRIED children")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(100):
    child = os.fork()
    if child == 0:
        while time.process_time() < 0.4:
            pass
        os._exit(0)
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass
time.sleep(20)
play()
""",
        Fault.CRASHED,
        detail="more than 1 s of the processor",
        resources=evolve(RESOURCES, cpu_seconds=1.0),
        by_user=True,
    ),
    Attack(
        "uses up the machine's terminals",
        """
def take():
    for _ in range(100):
        os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    return yes("100 terminals")
bid()
tries("terminals", take)
play()
""",
        by_user=True,
    ),
    Attack(
        "is not the first to go when memory is short",
        """
def write():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("0")
    return yes("written")
bid()
tries("oom_score_adj", write)
play()
""",
        by_user=True,
    ),
    Attack(
        "uses up the signals that a user may have waiting",
        """
LIBC.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
def queue():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    for _ in range(2000):
        if LIBC.sigqueue(os.getpid(), signal.SIGRTMIN, None):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return yes("2000 signals")
bid()
tries("waiting signals", queue)
play()
""",
        control=True,
        by_user=True,
    ),
)
