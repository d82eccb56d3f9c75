"""Attacks on files, on processes, on sockets, and for more rights."""

from __future__ import annotations

from attrs import evolve

from arena.rules import Fault
from arena.sandbox import NAMESPACES
from tests.sandbox.attacks.programs.attack import RESOURCES, SHORT, Attack

FILES = (
    Attack("reads the opponent's source", "bid()\ntries('source', read, OPPONENT)\nplay()", control=True),
    Attack(
        "reads the host's files",
        """
bid()
tries("database", read, DATABASE)
tries("list", os.listdir, HOST_FOLDER)
tries("temporary files", os.listdir, TEMPORARY)
tries("through its folder", read, f"/proc/self/cwd/../../../host/results.db")
tries("users", read, "/etc/passwd")
tries("passwords", read, "/etc/shadow")
for home in ("/root", "/home"):  # the way to the interpreter may lead through it
    tries(home, lambda: [one for one in os.listdir(home) if f"/{one}/" not in sys.base_prefix + "/"])
play()
""",
        control=True,
    ),
    Attack(
        "reads environments and command lines",
        """
bid()
for process in (HOST, VICTIM):
    for name in ("environ", "cmdline", "maps", "fd", "cwd/results.db", "root/etc/passwd"):
        path = f"/proc/{process}/{name}"
        tries(path, lambda: os.listdir(path) if name == "fd" else read(path))
tries("what keeps it", lambda: b"attacked-" in read(f"/proc/{os.getppid()}/cmdline"))
tries("its memory", lambda: os.getppid() > 1 and read(f"/proc/{os.getppid()}/maps"))
def not_own(text):
    assert b"=" in text
    return [one for one in text.split(b"\\0") if one and one.partition(b"=")[0] not in
            (b"PATH", b"HOME", b"TMPDIR", b"LANG", b"PWD", b"SHLVL", b"_")]
tries("environment of the first", lambda: not_own(read("/proc/1/environ")))
tries("own environment", lambda: [one for one in os.environ if one not in
      ("PATH", "HOME", "TMPDIR", "LANG", "PWD", "SHLVL", "_", "LC_CTYPE", "OLDPWD")])
play()
""",
        control=True,
    ),
    Attack(
        "looks for other processes",
        """
bid()
tries("processes", lambda: [one for one in os.listdir("/proc") if one.isdigit()
      and b"opponent" in read(f"/proc/{one}/cmdline")])
tries("the host", lambda: os.path.exists(f"/proc/{HOST}/comm") and read(f"/proc/{HOST}/comm"))
play()
""",
        control=True,
    ),
    Attack(
        "writes where it may not",
        """
bid()
for path in (DATABASE, OPPONENT, OWN, sys.argv[0], PYTHON):
    tries(path, lambda: yes(open(path, "ab").write(b"x")))
for path in (HOST_FOLDER, TEMPORARY, os.path.dirname(OPPONENT), os.path.dirname(sys.argv[0]), "/",
             "/dev", "/usr", "/etc", "/proc/self", "/var/tmp", os.path.dirname(os.path.dirname(PYTHON))):
    tries(path, lambda: yes(open(f"{path}/attacked", "xb").close() or os.unlink(f"{path}/attacked")))
play()
""",
    ),
    Attack(
        "changes, moves and links the host's files",
        """
bid()
tries("mode", lambda: yes(os.chmod(DATABASE, 0)))
tries("mode, by a descriptor", lambda: yes(os.fchmod(os.open(sys.argv[0], os.O_RDONLY), 0)))
tries("owner", lambda: yes(os.chown(DATABASE, -1, os.getgid())))
tries("attribute", lambda: yes(os.setxattr(DATABASE, "user.x", b"x")))
tries("own file's attribute", lambda: yes(os.setxattr(sys.argv[0], "user.x", b"x")))
tries("length", lambda: yes(os.truncate(DATABASE, 0)))
tries("removal", lambda: yes(os.unlink(DATABASE)))
tries("name", lambda: yes(os.rename(DATABASE, DATABASE + "2")))
tries("moving it here", lambda: yes(os.rename(DATABASE, "here")))
tries("a link here", lambda: yes(os.link(DATABASE, "here")))
tries("a link there", lambda: yes(os.symlink("/", f"{HOST_FOLDER}/link")))
tries("watching", lambda: call(253 if AMD else 26))
play()
""",
    ),
    Attack(
        "a symbolic link in its folder that leads out",
        """
bid()
os.symlink(DATABASE, "file")
os.symlink(HOST_FOLDER, "folder")
tries("file", read, "file")
tries("in a folder", read, "folder/results.db")
tries("writing", lambda: yes(open("file", "ab").write(b"x")))
play()
""",
    ),
    Attack(
        "a device in its folder, and those of the machine",
        """
bid()
tries("disk", lambda: yes(os.mknod("disk", stat.S_IFBLK | 0o666, os.makedev(254, 0))))
tries("memory", lambda: yes(os.mknod("memory", stat.S_IFCHR | 0o666, os.makedev(1, 1))))
for name in ("mem", "kmem", "kmsg", "fuse", "kvm", "vda", "sda", "net/tun"):
    tries(name, lambda: yes(open(f"/dev/{name}", "rb")))
play()
""",
    ),
)  # fmt: skip

SOCKETS = (
    Attack(
        "connects to a listener on the loopback",
        "bid()\ntries('TCP', lambda: yes(socket.create_connection(('127.0.0.1', PORT), 3)))\nplay()",
        control=True,
    ),
    Attack(
        "sends into the network",
        """
bid()
def send(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as out:
        out.sendto(b"x", address)
    return "sent"
tries("UDP", send, socket.AF_INET, ("127.0.0.1", 9))
tries("UDP, version 6", send, socket.AF_INET6, ("::1", 9))
tries("interfaces", lambda: yes(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)))
tries("packets", lambda: yes(socket.socket(socket.AF_PACKET, socket.SOCK_RAW)))
play()
""",
        control=True,
    ),
    Attack(
        "connects to an abstract Unix socket",
        """
bid()
def connect(address):
    with socket.socket(socket.AF_UNIX) as out:
        out.connect(address)
    return "connected"
tries("abstract", connect, ABSTRACT)
play()
""",
        control=True,
    ),
    Attack(
        "connects to a path-named Unix socket",
        """
bid()
def connect(address):
    with socket.socket(socket.AF_UNIX) as out:
        out.connect(address)
    return "connected"
tries("named", connect, SOCKET)
play()
""",
        control=True,
    ),
)  # fmt: skip

PROCESSES = (
    Attack(
        "signals the host and a process of its user",
        """
bid()
for process in (HOST, VICTIM):
    tries("kill", lambda: yes(os.kill(process, HARMLESS)))
    tries("group", lambda: yes(os.killpg(os.getpgid(VICTIM), HARMLESS)))  # the host's is everybody's
    tries("pidfd", lambda: yes(signal.pidfd_send_signal(os.pidfd_open(process), HARMLESS)))
    tries("queue", lambda: call(129 if AMD else 138, process, HARMLESS, ctypes.create_string_buffer(128)))
    tries("thread", lambda: call(200 if AMD else 130, process, HARMLESS))
play()
""",
        control=True,
    ),
    Attack(
        "stops and ends whatever it reaches",
        """
bid()
try:
    os.kill(VICTIM, 0)
    reached = os.stat(f"/proc/{VICTIM}").st_uid >= 0
except OSError:
    reached = False
say(f"TRIED: {reached}")
if not reached:  # or all of this machine would end
    for number in (HARMLESS, signal.SIGSTOP, signal.SIGKILL):
        tries("the host", lambda: yes(os.kill(HOST, number)))
        tries("a process", lambda: yes(os.kill(VICTIM, number)))
    tries("a group", lambda: os.killpg(0, signal.SIGCHLD))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    tries("all", lambda: os.kill(-1, signal.SIGKILL))
play()
""",
    ),
    Attack(
        "stops those that are to stop it",
        """
say("TRIED")
def stop():
    while True:
        try:
            os.kill(-1, signal.SIGSTOP)
        except OSError:  # there is nobody but itself
            pass
try:
    os.kill(VICTIM, 0)  # or all of this machine would stop
except OSError:
    threading.Thread(target=stop, daemon=True).start()
play()
""",
        resources=evolve(RESOURCES, still=True),
    ),
    Attack(
        "ends those that keep it",
        """
bid()
for process in (os.getppid(), 1, os.getpid() - 1, os.getpid() - 2, os.getpid() - 3):
    if process > 0 and process not in (HOST, VICTIM):
        tries(str(process), lambda: os.kill(process, HARMLESS))
        tries(str(process), lambda: os.kill(process, 0) or os.getppid() == process != 1 and "the keeper")
        if os.getppid() == 1:  # that of a namespace, to which it is nothing
            tries(str(process), lambda: os.kill(process, signal.SIGKILL))
play()
""",
    ),
    Attack(
        "traces others and takes their descriptors",
        """
bid()
tries("own descriptors", lambda: [one for one in range(3, 512) if os.path.exists(f"/proc/self/fd/{one}")
      and os.readlink(f"/proc/self/fd/{one}").startswith(("/", "socket", "anon", "pipe"))])
ATTACH, SEIZE = 16, 0x4206
TRACE, READ, TAKE, COMPARE = (101, 310, 438, 312) if AMD else (117, 270, 438, 272)
for process in {VICTIM, os.getppid()} - {1}:  # that of a namespace is in the sandbox, too
    tries("trace", lambda: call(TRACE, ATTACH, process, 0, 0))
    tries("seize", lambda: call(TRACE, SEIZE, process, 0, 0))
    tries("memory", lambda: yes(open(f"/proc/{process}/mem", "r+b")))
    tries("descriptor", lambda: os.read(int(call(TAKE, os.pidfd_open(process), HELD, 0)), 99))
    tries("opened again", lambda: read(f"/proc/{process}/fd/{HELD}"))
    tries("reading", lambda: call(READ, process, 0, 0, 0, 0, 0))
    tries("comparing", lambda: call(COMPARE, process, process, 0, 0, 0))
play()
""",
    ),
    Attack(
        "slows the host and the opponent down",
        """
bid()
for process in (HOST, VICTIM):
    tries("priority", lambda: yes(os.setpriority(os.PRIO_PROCESS, process, 19)))
    tries("cores", lambda: yes(os.sched_setaffinity(process, {0})))
    tries("class", lambda: yes(os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0))))
    tries("limit", lambda: yes(resource.prlimit(process, resource.RLIMIT_NOFILE, (9, 9))))
    tries("disk", lambda: call(251 if AMD else 30, 1, process, 3 << 13))
tries("cache", lambda: yes(os.posix_fadvise(os.open("/usr/bin/env", os.O_RDONLY), 0, 0, 4)))
tries("all of this user", lambda: yes(os.setpriority(os.PRIO_USER, 0, 19)))
tries("all of the root", lambda: yes(os.setpriority(os.PRIO_USER, os.getuid(), 19)))
play()
""",
    ),
    Attack(
        "wants more rights",
        """
bid()
UNSHARE, MOUNT, CHROOT, CLONE, BPF, PERF, KEYS = (
    (272, 165, 161, 56, 321, 298, 250) if AMD else (97, 40, 51, 220, 280, 241, 219))
tries("user", lambda: yes(os.setuid(0)) if os.getuid() else "root")
tries("namespaces", lambda: call(UNSHARE, 0x10000000))
tries("by clone", lambda: call(CLONE, 0x10000000 | 17, 0, 0, 0, 0))
tries("mount", lambda: call(MOUNT, b"x", b".", b"tmpfs", 0, 0))
tries("chroot", lambda: yes(os.chroot(".")))
tries("programs in the kernel", lambda: call(BPF, 0, 0, 0))
tries("events", lambda: call(PERF, 0, 0, 0, 0, 0))
tries("keys", lambda: call(KEYS, 0, -3, 1))
tries("the clock", lambda: yes(time.clock_settime(time.CLOCK_REALTIME, time.time())))
tries("the name", lambda: yes(socket.sethostname("x")))
status = open("/proc/self/status").read()
tries("privileges", lambda: "NoNewPrivs:\\t1" not in status and "new")
tries("capabilities", lambda: int(status.split("CapEff:")[1].split()[0], 16) & ~4 and "some")
tries("no filter", lambda: "Seccomp:\\t2" not in status and "none")
tries("core dumps", lambda: yes(resource.setrlimit(resource.RLIMIT_CORE, (2, 2))))
tries("more descriptors", lambda: yes(resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))))
play()
""",
    ),
    Attack(
        "leaves something in memory that outlives it",
        """
bid()
SHM, SEM, MESSAGES, QUEUE, KEY = (29, 64, 68, 240, 248) if AMD else (194, 190, 186, 180, 217)
tries("memory", lambda: call(SHM, 0, 4096, 0o1666))
tries("semaphores", lambda: call(SEM, 0, 1, 0o1666))
tries("messages", lambda: call(MESSAGES, 0, 0o1666))
tries("a queue", lambda: call(QUEUE, b"attack", 0o102, 0o666, 0))
tries("a key", lambda: call(KEY, b"user", b"attack", b"x", 1, -4))
play()
""",
    ),
)  # fmt: skip

ENDINGS = (
    Attack(
        "daemonises twice and lingers",
        """
bid()
if os.fork() == 0:
    leave()
    if os.fork() == 0:
        leave()
        signal.signal(15, signal.SIG_IGN)
        os.fork()
        while True:
            time.sleep(3600)
    os._exit(0)
say("TRIED")
play()
""",
    ),
    Attack(
        "lingers, and its pipes are held open",
        """
bid()
if os.fork() == 0:
    leave()
    os.fork() and os._exit(0)
    time.sleep(3600)
os._exit(0)
""",
        Fault.CRASHED,
    ),
    Attack(
        "ends at once, and others go on",
        """
if os.fork() == 0:
    leave()
    while True:
        os.fork() and os._exit(0)
os._exit(0)
""",
        Fault.CRASHED,
    ),
    Attack(
        "ignores SIGTERM and the end of its input",
        """
for number in signal.valid_signals() - {9, 19}:
    signal.signal(number, signal.SIG_IGN)
say("TRIED")
play()
while True:
    time.sleep(3600)
""",
        control=True,
    ),
    Attack(
        "stops itself",
        "bid()\nos.kill(os.getpid(), signal.SIGSTOP)\nos.killpg(0, signal.SIGSTOP)\ntime.sleep(3600)",
        Fault.TIMEOUT,
        limits=SHORT,
        control=True,
    ),
    Attack(
        "closes its output",
        "bid()\nos.close(1)\ntime.sleep(3600)",
        Fault.CRASHED,
        differs={NAMESPACES: Fault.TIMEOUT},
        limits=SHORT,
        control=True,
    ),
    Attack(
        "hides in its folder",
        """
bid()
os.makedirs("a/b")
open("a/b/c", "w").close()
for name in ("a/b/c", "a/b", "a"):
    tries("lock", lambda: os.chmod(name, 0))
os.symlink("/", "root")
play()
""",
    ),
)

ATTACKS = (*FILES, *SOCKETS, *PROCESSES, *ENDINGS)
