"""What innocent programs do in each language: a program that tries it step by step.

It says on its stderr of each step that it is `ok`, or `failed` and why.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from attrs import field, frozen

from arena.host import run_in_sandbox
from arena.sandbox import LANDLOCK, Resources, Sandbox
from tests.support.sandboxes.innocent_programs import QUICK_JAVAC

PYTHON = r'''
import asyncio, concurrent.futures, fcntl, mmap, multiprocessing, os, select, shutil, signal, socket
import sqlite3, subprocess, sys, tempfile, threading, time
from pathlib import Path

def square(x):
    return x * x

def answers(connection):
    connection.send(connection.recv() + 1)

def subprocesses():
    assert subprocess.run(["echo", "x"], capture_output=True).stdout == b"x\n"
    assert subprocess.check_output("cat | tr a b", shell=True, input=b"a") == b"b"
    subprocess.run(["true"], process_group=0, cwd="/", env={}, umask=0o22, check=True)
    process = subprocess.Popen(["sleep", "600"])
    process.terminate()
    process.wait()
    os.system("true")
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
    if os.fork() == 0:
        os._exit(0)
    os.wait()

def processes_and_pipes():
    for way in ("fork", "spawn"):
        context = multiprocessing.get_context(way)
        here, there = context.Pipe()
        process = context.Process(target=answers, args=(there,))
        process.start()
        here.send(1)
        assert here.recv() == 2
        process.join()

def pools():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(square, [1, 2]) == [1, 4]
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        assert [*executor.map(square, [1, 2])] == [1, 4]
    queue = multiprocessing.Queue()
    queue.put(1)
    assert queue.get() == 1

def threads():
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        assert [*executor.map(square, range(9))][-1] == 64
    timer = threading.Timer(0.01, print)
    timer.start()
    timer.join()

async def asynchronously():
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    assert (await process.communicate(b"x"))[0] == b"x"
    process = await asyncio.create_subprocess_shell("sleep 600")
    process.kill()
    await process.wait()
    await asyncio.to_thread(time.sleep, 0.01)
    heard = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, heard.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await heard.wait()
    here, there = socket.socketpair()
    (reads, writes), (_, speaks) = [await asyncio.open_connection(sock=one) for one in (here, there)]
    speaks.write(b"x\n")
    assert await reads.readline() == b"x\n"
    writes.close()
    speaks.close()

def asyncio_():
    asyncio.run(asynchronously())

def temporary_files():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x").write_text("a")
    with tempfile.NamedTemporaryFile() as named, tempfile.TemporaryFile() as nameless:
        named.write(b"x")
        nameless.truncate(9)
        os.fsync(nameless.fileno())

def files():
    os.makedirs("a/b")
    Path("a/b/c").write_text("x" * 5000)
    os.symlink("c", "a/b/link")
    os.link("a/b/c", "a/b/hard")
    os.replace("a/b/c", "a/b/d")
    os.link("a/b/d", "a/from another folder")
    os.rename("a/from another folder", "a/b/c")
    os.rename("a/b", "b")
    os.rename("b", "a/b")
    os.mkfifo("a/pipe")
    shutil.copyfile("a/b/d", "a/copy")
    shutil.move("a/copy", "a/moved")
    with open("a/moved", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[0] = 1
        mapped.flush()
        os.posix_fallocate(file.fileno(), 0, 9000)
        fcntl.lockf(file, fcntl.LOCK_EX)
    assert len([*os.walk("a")]) == 2
    shutil.rmtree("a")

def modes_and_times():
    Path("m").write_text("x")
    os.chmod("m", 0o755)
    shutil.copy2("m", "n")
    os.utime("n", (1, 1))
    assert os.stat("n").st_mtime == 1

def databases():
    for mode in ("delete", "wal"):
        for value in range(2):
            with sqlite3.connect(f"{mode}.db") as database:
                database.execute(f"pragma journal_mode={mode}")
                database.execute("create table if not exists t(x)")
                database.execute("insert into t values (?)", [value])
            assert database.execute("select count(*) from t").fetchone() == (value + 1,)

def database_of_a_program_that_was_killed():
    program = """if True:
        import os, sqlite3
        database = sqlite3.connect("killed.db")
        database.execute("pragma cache_size=1")
        database.execute("create table t(x)")
        database.commit()
        database.executemany("insert into t values (?)", [["x" * 1000]] * 1000)
        os.kill(os.getpid(), 9)"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == -9
    assert os.path.exists("killed.db-journal")
    assert sqlite3.connect("killed.db").execute("select count(*) from t").fetchone() == (0,)

def signals_and_waiting():
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
    here, there = socket.socketpair()
    here.send(b"x")
    assert select.select([there], [], [], 5)[0] == [there]
    os.pidfd_open(os.getpid())

def about_itself():
    assert os.cpu_count() and os.sched_getaffinity(0)
    os.nice(1)
    time.process_time()
    time.thread_time()
    Path("/proc/self/status").read_text()
    Path("/proc/self/maps").read_text()
    assert os.listdir("/proc/self/fd")

STEPS = [subprocesses, processes_and_pipes, pools, threads, asyncio_, temporary_files, files,
         modes_and_times, databases, database_of_a_program_that_was_killed, signals_and_waiting,
         about_itself]
if __name__ == "__main__":
    for step in STEPS:
        try:
            step()
            result = "ok"
        except BaseException as problem:
            result = f"failed: {problem!r}"
        print(f"{step.__name__}: {result}", file=sys.stderr, flush=True)
'''

BASH = r"""
try() {
    if said=$(bash -ec "$2" 2>&1); then echo "$1: ok" >&2; else echo "$1: failed: ${said%%$'\n'*}" >&2; fi
}
try substitutions '[ "$(echo a | tr a b)" = b ]; [ `expr 1 + 2` = 3 ]; while read x; do :; done < <(seq 9)'
try documents 'read x <<<here; [ $x = here ]; cat <<END
$x
END'
try jobs 'sleep 0.01 & wait $!; for i in 1 2 3; do (exit 0) & done; wait; set -m; sleep 0.01 & wait; set +m'
try coprocesses 'coproc cat; echo x >&${COPROC[1]}; read -u ${COPROC[0]} x; [ $x = x ]; kill $COPROC_PID'
try traps 'trap "got=1" USR1; kill -USR1 $BASHPID; [ $got = 1 ]'
try files 'mkdir d; echo 1 > d/a; mv d/a d/b; cp d/b d/c; ln -s b d/s; cat d/s; rm -r d; : > empty; mkfifo p; cat p & echo 1 > p; wait'
try tools 'seq 9 | sed s/1/2/ | grep 2 | awk "{s+=\$1} END {print s}" | sort | uniq | head -1 | xargs echo; timeout 5 true; date +%s; mktemp; find . -name p'
try descriptors 'exec 3<>empty; echo x >&3; exec 3>&-; ulimit -n 100'
try modes 'echo x > m; chmod +x m; sed -i s/x/y/ m; [ $(cat m) = y ]; touch -d @1 m; cp -p m n; install m i'
"""

PERL = r"""
use strict; use Fcntl ":flock"; use File::Copy; use File::Temp; use IO::Select; use IPC::Open3; use Socket;
sub try { my ($name, $step) = @_; print STDERR eval { $step->(); 1 } ? "$name: ok\n" : "$name: failed: $@\n" }
sub should { $_[0] or die "no: $!" }
try("fork", sub { my $pid = fork() // die $!; exit 3 if !$pid; waitpid($pid, 0); should($? >> 8 == 3) });
try("open3", sub { my $pid = open3(my $in, my $out, undef, "cat"); print $in "x\n"; close $in; should(<$out> eq "x\n"); waitpid($pid, 0) });
try("commands", sub { should(`echo x` eq "x\n"); should(system("true") == 0); open(my $file, "-|", "echo x") or die $!; should(<$file> eq "x\n") });
try("pairs", sub { socketpair(my $here, my $there, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die $!; send($here, "x", 0) or die $!; should(IO::Select->new($there)->can_read(5)) });
try("files", sub { my $file = File::Temp->new; print $file "x"; copy("$file", "copy") or die $!; move("copy", "moved") or die $!; unlink("moved") or die $!; mkdir "d" or die $!; rmdir "d" or die $! });
try("alarms", sub { my $got; local $SIG{ALRM} = sub { $got = 1 }; alarm 1; select(undef, undef, undef, 10); should($got) });
try("threads", sub { require threads; should(threads->create(sub { 4 })->join == 4) });
"""

RUBY = r"""
require "fileutils"; require "open3"; require "socket"; require "tempfile"; require "timeout"; require "tmpdir"
def try(name) = (yield ? STDERR.puts("#{name}: ok") : STDERR.puts("#{name}: failed")) rescue STDERR.puts("#{name}: failed: #{$!.inspect}")
try("fork") { Process.wait(fork { exit!(3) }); $?.exitstatus == 3 }
try("spawn") { Process.wait(spawn("true", pgroup: true)); Process.wait(spawn("echo x | cat", out: "/dev/null")); $?.success? }
try("open3") { Open3.capture2("cat", stdin_data: "x")[0] == "x" && Open3.pipeline("true", "true").all?(&:success?) }
try("commands") { `echo x` == "x\n" && system("true") && IO.popen("cat", "r+") { |io| io.puts "x"; io.close_write; io.read == "x\n" } }
try("threads") { 4.times.map { Thread.new { sleep 0.01 } }.each(&:join); queue = Queue.new; Thread.new { queue << 1 }; Timeout.timeout(60) { queue.pop } == 1 }
try("pairs") { here, there = UNIXSocket.pair; here.write "x"; here.send("y", 0); there.recv(2).size > 0 && IO.pipe }
try("files") { Tempfile.create { |file| file.write 1 }; Dir.mktmpdir { |folder| File.write("#{folder}/x", "x") }; File.write("a", "x"); FileUtils.cp("a", "b"); FileUtils.mv("b", "c"); FileUtils.rm("c"); true }
try("signals") { got = false; Signal.trap("USR1") { got = true }; Process.kill("USR1", Process.pid); sleep 0.05; got }
"""

NODE = r"""
const child = require("child_process"), fs = require("fs"), os = require("os");
const { Worker, isMainThread, parentPort } = require("worker_threads");
const ends = (process) => new Promise((resolve, reject) => process.on("error", reject).on("close", (code) => code ? reject(code) : resolve()));
const steps = {
  workers: () => new Promise((resolve, reject) => new Worker(__filename).on("message", resolve).on("error", reject)),
  fork: () => new Promise((resolve, reject) => { const other = child.fork(__filename, ["child"]); other.on("error", reject).on("message", resolve); other.send({ text: "x".repeat(300000) }); }),
  advanced: () => new Promise((resolve, reject) => { const other = child.fork(__filename, ["child"], { serialization: "advanced" }); other.on("error", reject).on("message", resolve); other.send(new Map()); }),
  spawn: () => { const other = child.spawn("cat"); other.stdout.resume(); other.stdin.end("x"); return ends(other); },
  detached: () => ends(child.spawn("true", { detached: true })),
  exec: () => new Promise((resolve, reject) => child.exec("echo x | cat", (problem) => problem ? reject(problem) : resolve())),
  synchronously: () => { child.execSync("true"); child.spawnSync("cat", { input: "x" }); child.execFileSync("echo"); },
  files: async () => { fs.writeFileSync("a", "x"); await fs.promises.readFile("a"); fs.renameSync("a", "b"); fs.mkdirSync("c/d", { recursive: true }); fs.rmSync("c", { recursive: true }); fs.mkdtempSync("t"); fs.fsyncSync(fs.openSync("b", "r+")); },
  copies: () => { fs.writeFileSync("e", "x"); fs.copyFileSync("e", "f"); fs.cpSync("e", "g"); },
  system: () => { os.cpus(); os.loadavg(); os.totalmem(); os.setPriority(Math.min(os.getPriority() + 1, 19)); process.memoryUsage(); process.cpuUsage(); process.title = "x"; },
  random: () => new Promise((resolve) => require("crypto").randomBytes(9, resolve)),
  signals: () => new Promise((resolve) => { process.on("SIGUSR2", resolve); process.kill(process.pid, "SIGUSR2"); }),
};
async function main() {
  for (const [name, step] of Object.entries(steps)) {
    try { await step(); fs.writeSync(2, `${name}: ok\n`); } catch (problem) { fs.writeSync(2, `${name}: failed: ${problem}\n`); }
  }
  process.exit(0);
}
if (process.argv[2] === "child") process.on("message", (message) => process.send(message, () => process.disconnect()));
else if (!isMainThread) parentPort.postMessage(1);
else main();
"""

JAVA = r"""
import java.io.*; import java.lang.management.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.util.concurrent.*;
public class Idioms {
  interface Step { void run() throws Throwable; }
  static void attempt(String name, Step step) {
    try { step.run(); System.err.println(name + ": ok"); } catch (Throwable problem) { System.err.println(name + ": failed: " + problem); }
  }
  public static void main(String[] words) {
    attempt("threads", () -> { var pool = Executors.newFixedThreadPool(4); pool.submit(() -> 1).get(); pool.shutdown(); CompletableFuture.supplyAsync(() -> 1).get(); java.util.stream.IntStream.range(0, 1000).parallel().sum(); Thread thread = new Thread(() -> {}); thread.setPriority(10); thread.start(); thread.join(); });
    attempt("processes", () -> { Process process = new ProcessBuilder("cat").redirectErrorStream(true).start(); process.getOutputStream().write(65); process.getOutputStream().close(); if (process.getInputStream().read() != 65) throw new Error(); process.waitFor(); process = new ProcessBuilder("sleep", "600").start(); process.destroyForcibly().waitFor(); Runtime.getRuntime().exec(new String[] {"true"}).waitFor(); });
    attempt("files", () -> { Path folder = Files.createTempDirectory(Path.of("."), "x"), file = Files.createTempFile(folder, "a", "b"); Files.writeString(file, "x"); Files.copy(file, folder.resolve("c")); Files.move(folder.resolve("c"), folder.resolve("d")); try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) { channel.map(FileChannel.MapMode.READ_WRITE, 0, 100).put((byte) 1); channel.force(true); channel.lock().release(); } Files.delete(folder.resolve("d")); });
    attempt("pipes", () -> { Pipe pipe = Pipe.open(); pipe.sink().write(ByteBuffer.wrap(new byte[1])); Selector.open().close(); });
    attempt("measures", () -> { var threads = ManagementFactory.getThreadMXBean(); if (threads.getCurrentThreadCpuTime() < 0) throw new Error(); threads.getThreadInfo(threads.getAllThreadIds()); Runtime.getRuntime().availableProcessors(); System.gc(); });
  }
}
"""

C = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static void try(const char *name, int failed) { fprintf(stderr, failed ? "%s: failed: %s\n" : "%s: ok\n", name, strerror(errno)); }
static void *thread(void *given) { return given; }
static int threads(void) { pthread_t one; pthread_attr_t attributes; int failed = pthread_getattr_np(pthread_self(), &attributes);
  for (int i = 0; i < 4; i++) { failed |= pthread_create(&one, 0, thread, 0); pthread_join(one, 0); } return failed; }
static int processes(void) { pid_t one; char *words[] = {"true", 0}; int failed = posix_spawn(&one, "/bin/true", 0, 0, words, environ); waitpid(one, 0, 0);
  failed |= system("true"); FILE *out = popen("cat", "w"); fputs("", out); failed |= pclose(out); if (!vfork()) _exit(0); return failed | (wait(0) < 0); }
static int timers(void) { timer_t timer; struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1}; struct timespec soon = {0, 1000};
  sem_t never; sem_init(&never, 0, 0); return timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) || nanosleep(&soon, 0) || (sem_timedwait(&never, &soon) == 0); }
static int memory(void) { void *held = mmap(0, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); held = mremap(held, 1 << 20, 2 << 20, MREMAP_MAYMOVE);
  void *shared = mmap(0, 1 << 20, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); return held == MAP_FAILED || shared == MAP_FAILED || madvise(held, 1 << 20, MADV_DONTNEED) || mprotect(held, 4096, PROT_READ); }
static int temporary(void) { char name[] = "./XXXXXX"; return mkstemp(name) < 0; }
static int copies(void) { FILE *copy = fopen("copy", "w"); return fchmod(fileno(copy), 0644); } // as C++'s copy_file does
int main(void) { try("threads", threads()); try("processes", processes()); try("timers", timers()); try("memory", memory());
  try("copies", copies()); try("mkstemp", temporary()); try("tmpfile", !tmpfile()); return 0; }
"""

RUST = r"""
use std::{fs, io::{Read, Write}, os::unix::{net::UnixStream, process::CommandExt}, process::{Command, Stdio}, sync::mpsc, thread, time::Duration};
type Tried = Result<(), Box<dyn std::error::Error>>;
fn threads() -> Tried { let (sends, gets) = mpsc::channel(); thread::spawn(move || sends.send(1)).join().unwrap()?; gets.recv()?; thread::sleep(Duration::from_millis(1)); thread::available_parallelism()?; Ok(()) }
fn processes() -> Tried {
    let mut one = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?; one.stdin.take().unwrap().write_all(b"x")?;
    let mut said = String::new(); one.stdout.take().unwrap().read_to_string(&mut said)?; one.wait()?; assert_eq!(said, "x");
    Command::new("true").process_group(0).status()?; let mut other = Command::new("sleep").arg("600").spawn()?; other.kill()?; other.wait()?; Ok(()) }
fn files() -> Tried { fs::write("a", "x")?; fs::rename("a", "b")?; fs::create_dir_all("c/d")?; fs::remove_dir_all("c")?; fs::File::open("b")?.sync_all()?; fs::read_dir(".")?.count(); Ok(()) }
fn pairs() -> Tried { let (mut here, mut there) = UnixStream::pair()?; there.set_read_timeout(Some(Duration::from_secs(60)))?; here.write_all(b"x")?; there.read_exact(&mut [0])?; Ok(()) }
fn main() { let steps: [(&str, fn() -> Tried); 4] = [("threads", threads), ("processes", processes), ("files", files), ("pairs", pairs)];
    for (name, step) in steps { match step() { Ok(()) => eprintln!("{name}: ok"), Err(why) => eprintln!("{name}: failed: {why}") } } }
"""

NO_OTHER_FOLDERS = {"python: pools", "c: tmpfile"}
"""What fails behind Landlock, which lets a program write to no `/dev/shm` and no `/tmp`."""

MODES_OF_A_SHARED_USER = {
    "python: modes_and_times", "bash: modes", "node: copies", "c: copies",
}  # fmt: skip
"""What fails where nothing may be mounted, and programs have the host's own user: the modes of a
copy are set."""


@frozen
class Idioms:
    """A program in one language."""

    language: str
    needs: str  #: what must be installed
    name: str  #: of its file
    text: str
    command: tuple[str, ...]  #: that starts it
    build: tuple[str, ...] = ()  #: that makes it, where it is compiled
    resources: Resources = field(factory=lambda: Resources(memory_mb=2048))

    def try_all(self, folder: Path, tier: str) -> dict[str, str]:
        """Build it and run it in a tier; return what failed, and why.

        Args:
            folder: an empty one, for the program and for where it works.
            tier: the sandbox's.
        """
        home, work = folder / "home", folder / "work"
        home.mkdir(mode=0o755)
        work.mkdir()
        (home / self.name).write_text(self.text)
        sandbox = Sandbox(tier, self.resources)
        if self.build:
            words = (_find(self.build[0]), *self.build[1:])
            built = run_in_sandbox(words, home, sandbox, 600.0, home=home)
            if built.problem:
                return {f"{self.language}: build": f"{built.problem}: {built.stderr}"}
        words = (_find(self.command[0]), *(word.format(home=home) for word in self.command[1:]))
        ran = run_in_sandbox(words, work, sandbox, 600.0, home=home)
        said = dict(line.split(": ", 1) for line in ran.stderr.splitlines() if ": " in line)
        failed = {name: result for name, result in said.items() if result != "ok"}
        if ran.problem or "ok" not in said.values():
            failed["run"] = f"{ran.problem}: {ran.stderr}"
        return {f"{self.language}: {name}": result for name, result in failed.items()}


def _find(program: str) -> str:
    """Return the path of a program; one with a slash is the bot's own."""
    return program if os.sep in program else shutil.which(program) or program


IDIOMS = (
    Idioms("python", "python3", "idioms.py", PYTHON, ("python3", "{home}/idioms.py")),
    Idioms("bash", "bash", "idioms.sh", BASH, ("bash", "{home}/idioms.sh")),
    Idioms("perl", "perl", "idioms.pl", PERL, ("perl", "{home}/idioms.pl")),
    Idioms("ruby", "ruby", "idioms.rb", RUBY, ("ruby", "{home}/idioms.rb")),
    Idioms("node", "node", "idioms.js", NODE, ("node", "{home}/idioms.js")),
    Idioms(
        "java", "javac", "Idioms.java", JAVA,
        ("java", "-cp", "{home}", "Idioms"), (*QUICK_JAVAC.split(), "Idioms.java"),
    ),
    Idioms(
        "c", "cc", "idioms.c", C,
        ("sh", "-c", "exec {home}/idioms"), ("cc", "-O2", "-pthread", "-o", "idioms", "idioms.c"),
    ),
    Idioms(
        "rust", "rustc", "idioms.rs", RUST,
        ("sh", "-c", "exec {home}/idioms"), ("rustc", "-O", "-o", "idioms", "idioms.rs"),
    ),
)  # fmt: skip
"""Of the languages of the book and of its examples that are installed almost everywhere."""


def find_expected(tier: str, *, mounts: bool = True, shared_user: bool = False) -> set[str]:
    """Return what is known to fail; the page on security says so.

    Args:
        tier: the sandbox's.
        mounts: whether keepers may mount.
        shared_user: whether programs have the host's own user.
    """
    if tier != LANDLOCK:
        return set()
    no_modes = shared_user and not mounts
    return NO_OTHER_FOLDERS | (MODES_OF_A_SHARED_USER if no_modes else set())
