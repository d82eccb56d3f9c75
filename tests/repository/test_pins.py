"""The pins in `constraints.txt` fit every Python that the README promises."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.support.checkout import ROOT

LINES = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
PINS = [Requirement(line) for line in LINES]
PROMISED = ("3.11.2", "3.12.0", "3.13.0", "3.14.0")
"""The Python of Debian 12, and the first of each later version."""


def list_pins(version: str) -> dict[str, str]:
    """Return the pinned version of each package under this version of Python."""
    environment = {"python_full_version": version, "python_version": version.rsplit(".", 1)[0]}
    fitting = [pin for pin in PINS if not pin.marker or pin.marker.evaluate(environment)]
    pins = {pin.name: str(pin.specifier).removeprefix("==") for pin in fitting}
    assert len(pins) == len(fitting), "a package is pinned twice"
    return pins


def find_supported(name: str, version: str) -> SpecifierSet:
    """Return the Pythons that this version of a package supports: all, if it is not installed."""
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        return SpecifierSet()
    known = metadata["Version"] == version and "Requires-Python" in metadata
    return SpecifierSet(metadata["Requires-Python"] if known else "")


@pytest.mark.parametrize("version", PROMISED)
def test_pinned_packages_support_every_promised_python(version: str) -> None:
    """No pinned package that is installed here requires a newer Python than is promised."""
    supported = {name: find_supported(name, pin) for name, pin in list_pins(version).items()}
    unfit = {name: pythons for name, pythons in supported.items() if version not in pythons}
    assert unfit == {}


def test_every_pin_is_one_version_and_no_address() -> None:
    """A pin is `name==version`, with a marker at most: the user's own index provides the package."""
    assert len(PINS) > 100
    for pin in PINS:
        assert pin.url is None
        assert [each.operator for each in pin.specifier] == ["=="]
