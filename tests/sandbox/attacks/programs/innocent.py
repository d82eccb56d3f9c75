"""Programs that harm nobody, and do what once had innocent programs ended."""

from __future__ import annotations

from tests.sandbox.attacks.programs.attack import Attack

STARTS_CHILDREN = """
say("TRIED children")
import subprocess
while bid():
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        subprocess.run(["/bin/true"])
"""

LEAVES_ZOMBIES = """
say("TRIED children that are not waited for")
for _ in range(8):
    if os.fork() == 0:
        os._exit(0)
while bid():
    time.sleep(0.2)
"""

LEAVES_ORPHANS = """
say("TRIED children that lose their parents")
while bid():
    for _ in range(25):
        if os.fork() == 0:
            os.fork()
            os._exit(0)
        os.wait()
"""

THREADS_START_CHILDREN = """
say("TRIED children of threads")
import subprocess
def run():
    for _ in range(30):
        subprocess.run(["/bin/sh", "-c", "x=$(expr 1 + 1); exit 0"])
threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads:
    thread.start()
play()
for thread in threads:
    thread.join()
"""

SHARES_PAGES = """
say("TRIED children that share pages")
held = os.urandom(1 << 20) * 60
for _ in range(6):
    if os.fork() == 0:
        assert sum(held[::4096]) > 0
        time.sleep(600)
        os._exit(0)
while bid():
    time.sleep(0.2)
"""

SHARES_MEMORY = """
say("TRIED twenty pieces of shared memory")
held = [mmap.mmap(-1, 2 << 20) for _ in range(20)]
for piece in held:
    piece[:] = bytes(2 << 20)
if os.fork() == 0:
    held[0][0] = 1
    time.sleep(600)
    os._exit(0)
while bid():
    time.sleep(0.2)
"""

INNOCENTS = tuple(
    Attack(name, program, by_user=True)
    for name, program in {
        "starts children all the time": STARTS_CHILDREN,
        "leaves children that are not waited for": LEAVES_ZOMBIES,
        "leaves orphans in each move": LEAVES_ORPHANS,
        "starts children in threads": THREADS_START_CHILDREN,
        "shares its pages with its children": SHARES_PAGES,
        "shares memory with its children": SHARES_MEMORY,
    }.items()
)
