"""The real machine: how it is run on the host at hand, and that what its steps follow is there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from release.machine import guest
from release.machine.attacks import SUITE, UNIT, derive_unit
from release.machine.guest import EMULATED, VIRTUALIZED, choose_processor
from release.machine.page import read_commands, read_file
from release.machine.steps import BOTS, LANGUAGES

IMPLY_NO_NEW_PRIVILEGES = (
    "LockPersonality", "MemoryDenyWriteExecute", "NoNewPrivileges", "PrivateDevices", "ProtectClock",
    "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables",
    "RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID",
    "SystemCallArchitectures", "SystemCallFilter",
)  # fmt: skip
"""Settings of a unit with a user under which systemd 252 starts no set-uid program as its owner."""


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of KVM's device, which is missing, on a processor that can virtualize."""
    (tmp_path / "cpuinfo").write_text("flags\t\t: fpu svm tsc\n")
    monkeypatch.setattr(guest, "PROCESSOR", tmp_path / "cpuinfo")
    monkeypatch.setattr(guest, "KVM", tmp_path / "kvm")
    return tmp_path / "kvm"


def test_kvm_is_used_where_it_can_be_opened(device: Path) -> None:
    """Elsewhere, whether the device is missing or is none, the processor is emulated."""
    assert choose_processor() == EMULATED
    device.touch()
    assert choose_processor() == VIRTUALIZED
    device.unlink()
    device.mkdir()
    assert choose_processor() == EMULATED


def test_kvm_is_not_used_without_hardware_virtualization(device: Path) -> None:
    """There a device of KVM may be opened all the same, and Debian's kernel stops before its first line."""
    device.touch()
    guest.PROCESSOR.write_text("flags\t\t: fpu hypervisor tsc\n")
    assert choose_processor() == EMULATED


def test_the_page_has_what_the_steps_follow() -> None:
    """The page shows a hill's file, and commands to install, upgrade and restore one."""
    assert tomllib.loads(read_file("hill.toml"))["hill"]["share"]
    assert "enable --now arena-hill" in read_commands("As a service")
    assert "arena doctor" in read_commands("As a service", having="arena doctor")
    assert "hill backup" in read_commands("As a service", having="pip install --upgrade")
    assert "cp -a" in read_commands("As a service", having="/srv/before")
    assert "new-bot" in read_commands("A bot in Python, by the form")
    assert "git push" in read_commands("A bot in C, by git")
    assert "arena submit" in read_commands("A bot in Ruby, by arena submit")


def test_there_is_a_bot_in_each_language() -> None:
    """Bots that mean well are among the examples."""
    assert all((BOTS / f"gops-{language}" / "bot.toml").exists() for language in LANGUAGES)


def test_the_attacks_run_in_the_unit_as_shipped() -> None:
    """Only the command, the folder and how it ends differ."""
    lines = derive_unit(UNIT.read_text(), "arena", SUITE).splitlines()
    shipped = UNIT.read_text().splitlines()
    for kept in ("Delegate=yes", "ProtectSystem=strict", "User=arena"):
        assert kept in shipped
        assert kept in lines
    assert SUITE in next(line for line in lines if line.startswith("ExecStart="))
    assert "[Install]" not in lines


@pytest.mark.parametrize("setting", IMPLY_NO_NEW_PRIVILEGES)
def test_the_unit_lets_newuidmap_work(setting: str) -> None:
    """Where it was set, no program of a hill would get a user of its own."""
    assert not any(line.startswith(f"{setting}=") for line in UNIT.read_text().splitlines())


def test_the_unit_lets_the_sandbox_divide_its_control_group() -> None:
    """The group is the hill's, can be written to, and a killed program does not stop the hill."""
    lines = UNIT.read_text().splitlines()
    assert {"Delegate=yes", "OOMPolicy=continue"} <= {*lines}
    assert not any(line.startswith("ProtectControlGroups=") for line in lines)
