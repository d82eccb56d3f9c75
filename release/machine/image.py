"""The disk of the machine: a Debian 12 by mmdebstrap, with what a newcomer has, and a key for ssh.

The machine has no network. So the disk holds what the book has a newcomer download: Debian's packages are in apt's
cache, and Python's in a folder of wheels. Both are installed inside, by the commands of the book.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from release.machine.wheels import WHEELS, download_wheels

SUITE = "bookworm"
BACKPORTS = f"{SUITE}-backports"
KERNEL = "linux-image-cloud-amd64"
DISK_SIZE = "12G"  # sparse: what is not written takes no room
BOOTABLE = (
    "systemd-sysv", "udev", "dbus", "dbus-user-session", "libpam-systemd", KERNEL,
    "initramfs-tools", "iproute2", "procps",
)  # fmt: skip
REACHABLE = ("openssh-server", "rsync", "sudo")
NEWCOMER = ("python3", "python3-venv", "git", "ca-certificates")
DOWNLOADED = (
    "bubblewrap", "uidmap", "gcc", "libc6-dev", "g++", "nodejs", "ruby", "acl", "openjdk-17-jdk-headless",
)  # fmt: skip
"""What the book installs with apt, with more that tests need."""

USER = "host"
"""An ordinary user, with subordinate ids as `useradd` gives them."""

FILES = {
    "etc/hostname": "machine\n",
    "etc/hosts": "127.0.0.1 localhost\n127.0.1.1 machine\n::1 localhost\n",
    "etc/fstab": "/dev/vda / ext4 defaults 0 1\n",
    "etc/systemd/network/inside.network": "[Match]\nName=en* eth*\n[Network]\nAddress=10.0.2.15/24\n",
    "etc/pip.conf": f"[global]\nno-index = true\nfind-links = {WHEELS}\ndisable-pip-version-check = true\n",
    "etc/apt/apt.conf.d/90offline": 'APT::Get::Download "false";\nAPT::Get::Assume-Yes "true";\n',
    "etc/default/locale": "LANG=C.UTF-8\n",
}
"""What is written onto the disk."""


def build(folder: Path) -> None:
    """Make the disk, its kernel and the key, in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    download_wheels(folder / "wheels")
    key, root = make_key(folder), folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    _bootstrap(root, folder / "build.log")
    _furnish(root, key, folder / "wheels")
    _copy_kernels(root / "boot", folder)
    disk = folder / "built.img"
    disk.unlink(missing_ok=True)
    _run("mke2fs", "-q", "-F", "-t", "ext4", "-d", str(root), str(disk), DISK_SIZE)
    shutil.rmtree(root)


def _copy_kernels(boot: Path, folder: Path) -> None:
    """Copy what QEMU starts: Debian 12's own kernel, and the one of its backports."""
    for name in ("vmlinuz", "initrd.img"):
        own, newer = sorted(boot.glob(f"{name}-*"), key=_version)
        shutil.copyfile(own, folder / name)
        shutil.copyfile(newer, folder / f"{name}-backports")


def _version(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]


def make_key(folder: Path) -> str:
    """Return the public half of the key by which the machine is entered; make it, once."""
    if not (folder / "key").exists():
        words = ("-q", "-t", "ed25519", "-N", "", "-C", "release.machine", "-f")
        _run("ssh-keygen", *words, str(folder / "key"))
    return (folder / "key.pub").read_text()


def _bootstrap(root: Path, log: Path) -> None:
    """Install Debian into a folder, with packages in apt's cache that are not installed yet."""
    packages = ",".join(BOOTABLE + REACHABLE + NEWCOMER)
    hooks = (
        f'chroot "$1" apt-get install -qq -y --install-recommends --download-only {" ".join(DOWNLOADED)}',
        f"cd \"$1\"/etc/apt && sed -n 's/{SUITE}-updates/{BACKPORTS}/p' sources.list >sources.list.d/backports.list",
        f'chroot "$1" sh -c "apt-get update -qq && apt-get install -qq -y -t {BACKPORTS} {KERNEL}"',
        f'chroot "$1" useradd --create-home --shell /bin/bash {USER}',
        'chroot "$1" systemctl enable -q systemd-networkd',
    )
    words = [
        "mmdebstrap", "--variant=minbase", "--skip=cleanup/apt", f"--include={packages}",
        *(f"--customize-hook={hook}" for hook in hooks),
        SUITE, str(root),
    ]  # fmt: skip
    with log.open("w") as said:
        done = subprocess.run(words, check=False, stdout=said, stderr=said)
    if done.returncode:
        raise RuntimeError(f"mmdebstrap failed: see {log}")


def _furnish(root: Path, key: str, wheels: Path) -> None:
    """Write what is particular to this machine onto its disk."""
    for name, text in FILES.items():
        (root / name).write_text(text)
    for home, user in (("root", "root"), (f"home/{USER}", USER)):
        ssh = root / home / ".ssh"
        ssh.mkdir(mode=0o700, exist_ok=True)
        (ssh / "authorized_keys").write_text(key)
        _run("chroot", str(root), "chown", "-R", f"{user}:{user}", f"/{home}/.ssh")
    shutil.copytree(wheels, root / WHEELS.lstrip("/"))


def _run(*words: str) -> None:
    subprocess.run(words, check=True)
