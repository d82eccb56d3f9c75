"""A virtual machine with Debian 12, on which a hill is run as the book says: systemd, cgroup v2, nothing else.

Continuous integration has neither systemd as its first process nor cgroup v2. `python -m release.machine` builds a
machine that has both, with Debian's own tools. QEMU runs it with KVM where the processor has hardware virtualization and
`/dev/kvm` can be opened; elsewhere it emulates the machine, which takes some ten times longer. It is run by hand, as root,
since the root file system has files of many owners. It needs the packages that `PACKAGES` names.
"""

PACKAGES = ("mmdebstrap", "qemu-system-x86", "e2fsprogs", "openssh-client", "rsync", "python3-venv")
"""What the machine is built and run with."""
