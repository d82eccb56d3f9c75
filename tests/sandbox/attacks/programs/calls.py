"""Attacks by system calls that no bot makes, or that it makes with other arguments."""

from __future__ import annotations

from tests.sandbox.attacks.programs.attack import Attack

FILES = (
    Attack(
        "takes leases on files, and asks for notices",
        """
import fcntl
SET_OWNER, SET_SIGNAL, SET_LEASE, NOTIFY, FOR_WRITING = 8, 10, 1024, 1026, 1
signal.signal(signal.SIGIO, signal.SIG_IGN)  # which leases and notices send
bid()
open("own", "w").close()
for path in ("own", sys.argv[0], DATABASE):
    tries(path, lambda: yes(fcntl.fcntl(os.open(path, os.O_RDONLY), SET_LEASE, FOR_WRITING)))
for path in (".", HOST_FOLDER):
    tries(path, lambda: yes(fcntl.fcntl(os.open(path, os.O_RDONLY), NOTIFY, 2)))
for command, value in ((SET_OWNER, VICTIM), (SET_SIGNAL, HARMLESS)):
    tries(str(command), lambda: yes(fcntl.fcntl(0, command, value)))
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "gives files the rights of a user or a group",
        """
bid()
def marked(path):
    return os.stat(path).st_mode & 0o6000 and oct(os.stat(path).st_mode)
open("own", "w").close()
os.mkdir("marked")
for mode in (0o4755, 0o2755, 0o6700):
    tries("mode", lambda: os.chmod("own", mode) or marked("own"))
    tries("mode, by a descriptor", lambda: os.fchmod(os.open("own", os.O_RDONLY), mode) or marked("own"))
    tries("of a folder", lambda: os.chmod("marked", mode) or marked("marked"))
    tries("opened", lambda: os.open(f"o{mode}", os.O_CREAT | os.O_WRONLY, mode) and marked(f"o{mode}"))
    tries("nameless", lambda: marked(os.open(".", os.O_TMPFILE | os.O_WRONLY, mode)))
    tries("node", lambda: os.mknod(f"n{mode}", stat.S_IFREG | mode) or marked(f"n{mode}"))
    tries("pipe", lambda: os.mkfifo(f"p{mode}", mode) or marked(f"p{mode}"))
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "closes the host's files to others",
        """
bid()
for path in (DATABASE, OWN, HOST_FOLDER, os.path.dirname(OWN)):
    for mode in (0o700, 0o600, 0):
        tries(f"{path}, {mode:o}", lambda: yes(os.chmod(path, mode)))
    tries(f"{path}, times", lambda: yes(os.utime(path, (1, 1))))
    tries(f"{path}, now", lambda: yes(os.utime(path)))
play()
""",
        by_user=True,
    ),
    Attack(
        "changes times, modes and owners of devices, and of all that is mounted",
        """
bid()
OWN_MOUNTS = (os.getcwd(), "/tmp", "/dev/shm")
def reached():
    yield from ("/", "/proc", "/dev", "/usr", "/usr/bin/env", "/etc", PYTHON, OWN,
                DATABASE, HOST_FOLDER, "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                "/dev/urandom", "/dev/tty")
    if os.getcwd().startswith("/run/"):  # elsewhere these are the host's, and may not be read
        for line in open("/proc/self/mountinfo"):
            if line.split()[4] not in OWN_MOUNTS:
                yield line.split()[4]
changed = []
def change(name, target, *values, **more):
    try:
        getattr(os, name)(target, *values, **more)
        changed.append((path, name))
    except OSError:
        pass
for path in reached():
    try:
        now = os.stat(path)
    except OSError:
        continue
    files = [path]
    for mode in (os.O_RDWR, os.O_RDONLY):
        try:
            files.append(os.open(path, mode | os.O_NONBLOCK))
        except OSError:
            pass
    for target in files:
        change("utime", target, ns=(now.st_atime_ns, now.st_mtime_ns))
        change("chmod", target, stat.S_IMODE(now.st_mode))
        change("chown", target, -1, os.getgid())
        change("setxattr", target, "user.x", b"x")
    change("utime", path)
tries("all", lambda: changed)
play()
""",
        by_user=True,
    ),
    Attack(
        "changes the flags of files",
        """
import array, fcntl
GET, SET, NO_DUMP = 0x80086601, 0x40086602, 0x40
bid()
open("own", "w").close()
def flagged(path):
    file, flags = os.open(path, os.O_RDONLY), array.array("L", [0])
    fcntl.ioctl(file, GET, flags)
    flags[0] |= NO_DUMP
    fcntl.ioctl(file, SET, flags)
    return f"flags {flags[0]:x}"
for path in ("own", sys.argv[0], OWN, PYTHON):
    tries(path, flagged, path)
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "reads the host's sockets, mounts and groups in /proc",
        """
bid()
HIDDEN = os.getcwd().startswith("/run/")  # where other files are mounted, and it may see which
def tells(path, word):
    with open(path, "rb") as file:
        return word in file.read() and "it is told"
for folder in ("self", "thread-self", f"self/task/{os.getpid()}", f"{os.getpid()}"):
    tries("sockets", tells, f"/proc/{folder}/net/unix", SOCKET.encode())
    tries("connections", tells, f"/proc/{folder}/net/tcp", b"%04X" % PORT)
    for name in ("mountinfo", "mounts", "mountstats"):
        tries(name, lambda: tells(f"/proc/{folder}/{name}", b" / ") and not HIDDEN and "the host's")
    tries("groups", lambda: not tells(f"/proc/{folder}/cgroup", b"0::/\\n") and "the host's")
play()
""",
        control=True,
        by_user=True,
    ),
)  # fmt: skip

SOCKETS = (
    Attack(
        "sends datagrams to a path-named socket",
        """
bid()
def pair():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]
def connect(kind):
    one = socket.socketpair(socket.AF_UNIX, kind)[0]
    one.connect(DATAGRAMS)
    return one.send(b"owned")
tries("to it", lambda: pair().sendto(b"owned", DATAGRAMS))
tries("raw", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)[0].sendto(b"owned", DATAGRAMS))
tries("connected", connect, socket.SOCK_DGRAM)
tries("bound", lambda: yes(pair().bind("for-datagrams")))
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "passes descriptors, and lets others find its sockets",
        """
bid()
one, two = socket.socketpair()
tries("descriptors", lambda: socket.send_fds(one, [b"x"], [0]))
tries("message", lambda: one.sendmsg([b"x"]))
tries("bound", lambda: yes(one.bind("for-streams")))
tries("let go", lambda: yes(LIBC.connect(one.fileno(), bytes(16), 16) == 0 or 1 / 0))
one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
tries("packets", lambda: yes(one.bind("for-packets")))
tries("listening", lambda: yes(two.listen()))
play()
""",
        control=True,
        by_user=True,
    ),
)  # fmt: skip

PROCESSES = (
    Attack(
        "threads with descriptors of their own",
        """
bid()
VM, FS, SIGNALS, THREAD = 0x100, 0x200, 0x800, 0x10000
stack = ctypes.create_string_buffer(1 << 16)
def thread():
    top = ctypes.c_void_p(ctypes.addressof(stack) + (1 << 15) & ~15)
    flags = VM | FS | SIGNALS | THREAD
    if LIBC.clone(ctypes.cast(LIBC.getpid, ctypes.c_void_p), top, flags, None) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "a thread"
tries("thread", thread)
tries("unshared", lambda: call(272 if AMD else 97, 0x400))
tries("closed", lambda: call(436, 900, 901, 2))
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "takes a session for each process",
        """
bid()
for _ in range(3):
    if os.fork() == 0:
        tries("session", lambda: yes(os.setsid()))
        os._exit(0)
    os.wait()
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "talks by locks on the system's files",
        """
import fcntl, struct
SET_OF_DESCRIPTION = 37
bid()
for name in ("bash", "sh", "env"):
    file = os.open(f"/usr/bin/{name}", os.O_RDONLY)
    tries(name, lambda: yes(fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)))
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
    tries(name, lambda: yes(fcntl.fcntl(file, SET_OF_DESCRIPTION, lock)))
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "uses semaphores, queues and keys by all their calls",
        """
bid()
CALLS = {
    "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183), "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
    "keyctl": (250, 219), "add_key": (248, 217), "memfd_create": (319, 279),
}
def passes(number):
    try:
        call(number, -1, -1, 0, 0, 0)
    except OSError as problem:
        if problem.errno in (1, 38):  # not permitted, and not there
            raise
        return f"asked the kernel, which said {problem}"
    return "done"
for name, (amd, arm) in CALLS.items():
    tries(name, passes, amd if AMD else arm)
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "asks how long others have run",
        """
bid()
for process in (HOST, VICTIM):
    for kind in range(3):
        tries("clock", lambda: time.clock_gettime(~process << 3 | kind))
    tries("priority", lambda: yes(os.getpriority(os.PRIO_PROCESS, process)))
    tries("timer", lambda: yes(time.clock_getres(~process << 3 | 2)))
    tries("entry", read, f"/proc/{process}/stat")
    tries("scheduler", read, f"/proc/{process}/sched")
play()
""",
        control=True,
        by_user=True,
    ),
    Attack(
        "leaves the sight of its keeper, and takes memory for filters",
        """
bid()
PRCTL, CLONE, SECCOMP, LANDLOCK = (157, 56, 317, 444) if AMD else (167, 220, 277, 444)
tries("orphans come to it", lambda: call(PRCTL, 36, 1, 0, 0, 0))
tries("its files are root's", lambda: call(PRCTL, 4, 0, 0, 0, 0))
tries("another core's partner", lambda: call(PRCTL, 62, 1, 0, 0, 0))
tries("pages that are merged", lambda: call(PRCTL, 67, 1, 0, 0, 0))
code = ctypes.create_string_buffer(b"\\x06\\0\\0\\0\\0\\0\\xff\\x7f", 8)  # which allows everything
program = (ctypes.c_void_p * 2)(1, ctypes.addressof(code))
tries("a filter", lambda: call(PRCTL, 22, 2, program, 0, 0))
tries("a filter, by its call", lambda: call(SECCOMP, 1, 0, program))
tries("rules", lambda: call(LANDLOCK, (ctypes.c_uint64 * 1)(1), 8, 0))
def brother():
    if int(call(CLONE, 0x8000 | 17, 0, 0, 0, 0)) == 0:
        os._exit(0)
    return "a brother"
tries("a child of its parent", brother)
play()
""",
        by_user=True,
    ),
)  # fmt: skip

ATTACKS = (*FILES, *SOCKETS, *PROCESSES)
