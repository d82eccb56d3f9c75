"""How the machine is run on the host at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine import guest
from tests.machine.guest import EMULATED, VIRTUALIZED, choose_processor


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
