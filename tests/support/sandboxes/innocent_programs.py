"""Programs that harm nobody and start children all the time, in seven languages."""

from __future__ import annotations

from attrs import frozen

BASH = r"""
while read -r first second card; do
  if [ "$first" = Competition ]; then
    for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
      x=$(expr "$n" + 1)
      y=$(echo "$x" | cat | tr 1 2)
      (exit 3) &
    done
    sleep 0.2 &
    echo "$card"
  fi
done
"""

PYTHON = r"""
import subprocess, sys, threading
def run():
    for _ in range(25):
        subprocess.run(["/bin/sh", "-c", "x=$(expr 1 + 1); exit 0"], check=True)
for line in sys.stdin:
    if line.startswith("Competition"):
        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(line.split()[-1], flush=True)
"""

ZOMBIES = r"""
import os, subprocess, sys, time
waiting = []
for line in sys.stdin:
    if line.startswith("Competition"):
        if len(waiting) > 20:
            for _ in range(10):
                waiting.pop(0)()
        for status in range(15):
            child = os.fork() or os._exit(status)
            waiting.append(lambda child=child: os.waitpid(child, 0))
        waiting.append(subprocess.Popen(["/bin/true"]).wait)
        time.sleep(0.5)
        print(line.split()[-1], flush=True)
"""

NODE = r"""
const { execFile, spawn } = require("child_process");
const { Worker } = require("worker_threads");
const lines = require("readline").createInterface({ input: process.stdin });
const ended = (one, event) => new Promise((yes, no) => one.on(event, yes).on("error", no));
const shell = () => new Promise((yes, no) =>
  execFile("/bin/sh", ["-c", "x=$(expr 1 + 1); echo $x"], (error) => error ? no(error) : yes()));
let turn = Promise.resolve();
async function bid(card) {
  const work = "let n = 0; for (let i = 0; i < 1e5; i++) n += i;";
  const workers = [1, 2].map(() => ended(new Worker(work, { eval: true }), "exit"));
  const children = [1, 2, 3, 4].map(shell);
  children.push(ended(spawn("/bin/true"), "exit"));
  await Promise.all([...workers, ...children]);
  process.stdout.write(card + "\n");
}
lines.on("line", (line) => {
  if (line.startsWith("Competition")) turn = turn.then(() => bid(line.split(" ").pop()));
});
"""

JAVA = r"""
import java.io.*;
import java.util.*;

public class Innocent {
    static void start() {
        try {
            for (int n = 0; n < 4; n++) {
                Process child = new ProcessBuilder("/bin/sh", "-c", "expr 1 + 1").start();
                child.getInputStream().readAllBytes();
                if (child.waitFor() != 0) throw new IOException("a child has failed");
            }
        } catch (Exception problem) {
            problem.printStackTrace();
        }
    }

    public static void main(String[] words) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            if (!line.startsWith("Competition")) continue;
            List<Thread> threads = new ArrayList<>();
            for (int n = 0; n < 4; n++) threads.add(new Thread(Innocent::start));
            for (Thread thread : threads) thread.start();
            for (Thread thread : threads) thread.join();
            System.out.println(line.substring(line.lastIndexOf(' ') + 1));
        }
    }
}
"""

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what) { perror(what); exit(1); }

int main(void) {
    char line[1000];
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "Competition", 11)) continue;
        for (int n = 0; n < 60; n++) {
            pid_t child = n % 3 ? fork() : vfork();
            if (child < 0) fail("fork");
            if (child == 0 && n % 3 == 1) { if (fork() == 0) usleep(20000); _exit(0); }
            if (child == 0) { execl("/bin/true", "true", (char *) NULL); _exit(127); }
            int status;
            if (n % 2 && waitpid(child, &status, 0) < 0) fail("waitpid");
        }
        usleep(200000);
        while (waitpid(-1, NULL, WNOHANG) > 0) { }
        fputs(strrchr(line, ' ') + 1, stdout);
        fflush(stdout);
    }
    return 0;
}
"""

PERL = r"""
$| = 1;
while (my $line = <STDIN>) {
    next unless $line =~ /^Competition.* (\d+)$/;
    my $card = $1;
    for my $n (1 .. 10) {
        my $x = `expr $n + 1`;
        system("/bin/true") == 0 or die "system: $!";
        my $child = fork() // die "fork: $!";
        exec("/bin/true") if $child == 0 and $n % 2;
        if ($child == 0) { close STDOUT; exit 0 }
        waitpid($child, 0) if $n > 5;
    }
    local $SIG{CHLD} = "IGNORE";
    my $child = fork() // die "fork: $!";
    exec("/bin/sleep", "0.1") if $child == 0;
    print "$card\n";
}
"""

RUBY = r"""
$stdout.sync = true
STDIN.each_line do |line|
  next unless line.start_with?("Competition")
  threads = 3.times.map { Thread.new { 4.times { `expr 1 + 1` } } }
  4.times { Process.detach(spawn("/bin/true")) }
  child = fork { exit!(0) }
  threads.each(&:join)
  Process.wait(child)
  puts line.split.last
end
"""

QUICK_JAVAC = "javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC"
"""A compiler that takes half the processor time for a small program."""


@frozen
class Innocent:
    """A program: what it needs to be there, its file, and how it is built and started."""

    needs: str
    file: str
    text: str
    command: str
    build: str = ""


INNOCENTS = {
    "bash": Innocent("bash", "bot.sh", BASH, "bash {folder}/bot.sh"),
    "python": Innocent("python3", "bot.py", PYTHON, "python3 {folder}/bot.py"),
    "zombies": Innocent("python3", "bot.py", ZOMBIES, "python3 {folder}/bot.py"),
    "node": Innocent("node", "bot.js", NODE, "node {folder}/bot.js"),
    "java": Innocent("javac", "Innocent.java", JAVA, "java -Xmx64m -XX:+UseSerialGC -cp {folder}"
                     " Innocent", f"{QUICK_JAVAC} -J-Xmx128m Innocent.java"),
    "c": Innocent("cc", "bot.c", C, "{folder}/bot", "cc -O1 -o bot bot.c"),
    "perl": Innocent("perl", "bot.pl", PERL, "perl {folder}/bot.pl"),
    "ruby": Innocent("ruby", "bot.rb", RUBY, "ruby {folder}/bot.rb"),
}  # fmt: skip
