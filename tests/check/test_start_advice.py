"""`arena check` and `arena doctor` say why a program starts slowly, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.check.diagnosis import advise_on_command, advise_on_python


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["/usr/bin/ruby", "bot.rb"], "ruby --disable-gems"),
        (["/usr/bin/java", "Bot.java"], "`javac` into `build`"),
        (["/usr/bin/ruby", "--disable-gems", "bot.rb"], ""),
        (["/usr/bin/java", "-cp", "classes", "Bot"], ""),
        (["/bin/bash", "bot.sh"], ""),
    ],
)
def test_a_slow_command_is_explained(words: list[str], remedy: str) -> None:
    """A line names the remedy; a command that needs none has no line."""
    said = [*advise_on_command(words)]
    assert len(said) == bool(remedy)
    assert remedy in "".join(said)


def test_files_that_import_at_each_start_are_named(tmp_path: Path) -> None:
    """A `.pth` file with an import is named, and one with paths alone is not."""
    packages = tmp_path / "lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    (packages / "paths.pth").write_text("/somewhere\n")
    assert [*advise_on_python(tmp_path / "bin/python3")] == []
    (packages / "imports.pth").write_text("import re\n")
    (line,) = advise_on_python(tmp_path / "bin/python3")
    assert "imports.pth" in line
    assert "paths.pth" not in line
