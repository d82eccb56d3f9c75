"""The machine while it runs: QEMU as a process of this one, and ssh into it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic

from attrs import frozen

from release.machine.image import USER

BOOT_SECONDS = 900.0  # an emulated machine beside other work
STOP_SECONDS = 120.0
POLL_SECONDS = 1.0
MEMORY_MB = 6144  # for a crowd of programs; what is not used is not taken
CORES = 2
KVM, PROCESSOR = Path("/dev/kvm"), Path("/proc/cpuinfo")
HARDWARE_VIRTUALIZATION = {"vmx", "svm"}
"""What Intel's and AMD's processors call it; without it, KVM runs only kernels that were made for that."""

VIRTUALIZED = ("-accel", "kvm", "-cpu", "host,-arch-capabilities")
"""How QEMU has the host's processor run the machine; KVM inside a virtual machine may lack the capabilities' register."""

EMULATED = ("-accel", "tcg,thread=multi", "-cpu", "max")
NICENESS = 10
CHECKOUT = "checkout"
"""The folder of a user's home to which a checkout is copied."""

SSH = """
Host machine
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/key
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
  ConnectTimeout 30
  ServerAliveInterval 30
"""


@frozen
class Guest:
    """A machine whose files are in a folder."""

    folder: Path

    @property
    def is_running(self) -> bool:
        """Whether its QEMU is alive."""
        with suppress(OSError, ValueError):
            return str(self.folder).encode() in Path(f"/proc/{self._pid}/cmdline").read_bytes()
        return False

    def boot(self, *, fresh: bool = False, backports: bool = False) -> None:
        """Start it unless it is running, and wait for ssh.

        Args:
            fresh: stop it first, and begin with the disk as it was built.
            backports: use the kernel of Debian's backports, which has Landlock 6.
        """
        if self.is_running and fresh:
            self.stop()
        if not self.is_running:
            self._start(self._disk(fresh=fresh), "-backports" if backports else "")
        self._wait_for_ssh()

    def stop(self) -> None:
        """Shut it down if it is running; if that takes too long, kill its process."""
        if not self.is_running:
            return
        self.run("poweroff", quiet=True)
        deadline = monotonic() + STOP_SECONDS
        while self.is_running and monotonic() < deadline:
            Event().wait(POLL_SECONDS)
        if self.is_running:
            os.kill(self._pid, signal.SIGKILL)

    def run(
        self, command: str, user: str = "root", *, quiet: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell command inside as a user; capture its output if it is to be quiet."""
        return subprocess.run(
            self.ssh(f"{user}@machine", command),
            check=False, text=True, capture_output=quiet, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def check(self, command: str, user: str = "root") -> str:
        """Run a shell command that must succeed; return what it prints."""
        done = self.run(command, user, quiet=True)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def crash(self) -> None:
        """Cut its power: what it has not written to its disk is lost."""
        os.kill(self._pid, signal.SIGKILL)
        while self.is_running:
            Event().wait(POLL_SECONDS)

    def send(self, files: Iterable[Path], folder: str, user: str = "root") -> None:
        """Copy files or folders into a folder there."""
        shell = ("-e", " ".join(self.ssh()))
        subprocess.run(["rsync", "-r", *shell, *files, f"{user}@machine:{folder}/"], check=True)

    def copy(self, checkout: Path, user: str = USER, folder: str = CHECKOUT) -> None:
        """Copy the files of a checkout into a folder there, without what git ignores."""
        subprocess.run(
            [
                "rsync", "-a", "--delete", "--no-owner", "--no-group", "--exclude=.git", "--filter=:- .gitignore",
                "-e", " ".join(self.ssh()), f"{checkout}/", f"{user}@machine:{folder}/",
            ],
            check=True,
        )  # fmt: skip

    @property
    def _pid(self) -> int:
        return int((self.folder / "pid").read_text())

    def ssh(self, *words: str) -> Sequence[str]:
        """Return a command line of ssh, with these options and words."""
        return ("ssh", "-F", str(self.folder / "ssh_config"), *words)

    def _disk(self, *, fresh: bool) -> Path:
        disk = self.folder / "disk.img"
        if fresh or not disk.exists():
            copy = ("cp", "--sparse=always", self.folder / "built.img", disk)
            subprocess.run(copy, check=True)
        return disk

    def _start(self, disk: Path, kernel: str) -> None:
        port, at = find_free_port(), self.folder
        (at / "ssh_config").write_text(SSH.format(port=port, folder=at))
        subprocess.run(
            [
                "nice", f"-n{NICENESS}", "qemu-system-x86_64", *choose_processor(),
                "-smp", str(CORES), "-m", str(MEMORY_MB), "-display", "none", "-daemonize",
                "-kernel", at / f"vmlinuz{kernel}", "-initrd", at / f"initrd.img{kernel}",
                "-append", "root=/dev/vda rw console=ttyS0",
                "-drive", f"file={disk},format=raw,if=virtio,cache=unsafe", "-device", "virtio-rng-pci",
                "-nic", f"user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22",
                "-serial", f"file:{at / 'console.log'}", "-pidfile", at / "pid",
            ],
            check=True,
        )  # fmt: skip

    def _wait_for_ssh(self) -> None:
        deadline = monotonic() + BOOT_SECONDS
        while self.run("true", quiet=True).returncode:
            if monotonic() > deadline or not self.is_running:
                raise RuntimeError(f"no ssh: see {self.folder / 'console.log'}")
            Event().wait(POLL_SECONDS)


def choose_processor() -> Sequence[str]:
    """Return QEMU's words for the processor: the host's own where KVM can run Debian's kernel, else an emulated one."""
    if not HARDWARE_VIRTUALIZATION & {*PROCESSOR.read_text().split()}:
        return EMULATED
    try:
        KVM.open("r+b", buffering=0).close()
    except OSError:
        return EMULATED
    return VIRTUALIZED


def find_free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
