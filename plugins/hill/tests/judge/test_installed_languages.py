"""What the page of languages lists is what bots can be written in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.sandbox import Sandbox
from arena_hill.installed_languages import InstalledLanguage, find_languages
from tests.support.sandboxes.tiers import tier

__all__ = ["tier"]


def program(folder: Path, name: str, text: str) -> None:
    """Write a program of the host's own, which stands in its path before all others."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_the_languages_are_those_that_bots_can_start(
    tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program in the host's own path is listed, and one that bots cannot start is not."""
    program(tmp_path, "ruby", "echo ruby 99.9")
    program(tmp_path, "node", f"cat {tmp_path}/version")
    program(tmp_path, "php", "echo PHP 99.9; exit 1")
    program(tmp_path, "lua", 'test "$1" = -v && echo "Lua 99.9  Copyright"')  # as 5.4 does
    (tmp_path / "version").write_text("v99.9")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    find_languages.cache_clear()
    found = {language.name: language for language in find_languages(Sandbox(tier))}
    find_languages.cache_clear()
    assert found["Ruby"] == InstalledLanguage("Ruby", "ruby", "ruby 99.9")
    assert "JavaScript" not in found  # its files are out of reach
    assert "PHP" not in found
    assert found["Lua"].version.startswith("Lua 99.9")
    assert found["Python"].version.startswith("Python 3")


def test_a_hill_without_a_sandbox_lists_the_hosts_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hill that trusts everybody lists the languages that run on the host."""
    program(tmp_path, "node", f"cat {tmp_path}/version")
    (tmp_path / "version").write_text("v99.9")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    find_languages.cache_clear()
    assert InstalledLanguage("JavaScript", "node", "v99.9") in find_languages(None)
    find_languages.cache_clear()
