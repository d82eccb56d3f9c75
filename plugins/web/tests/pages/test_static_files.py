"""Scripts and styles are served without comments, line for line, and no script is left over."""

from __future__ import annotations

import re

import pytest

from arena_web.static_files import FILES, STATIC_FOLDER, list_imports

SCRIPTS = sorted(name for name in FILES if name.endswith(".js"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_served_without_comments(name: str) -> None:
    """A browser counts lines as the file does, and lacks nothing but comments."""
    written = (STATIC_FOLDER / name).read_text().split("\n")
    served = FILES[name].body.decode().split("\n")
    assert len(served) == len(written)
    shortened = [(line, kept) for line, kept in zip(written, served, strict=True) if line != kept]
    assert all(line.startswith(kept) for line, kept in shortened)
    left_out = [line.removeprefix(kept) for line, kept in shortened]
    assert [end for end in left_out if not re.match(r" *(//|/\*\*| \*)", end)] == []
    assert not [line for line in served if re.match(r" *(//|/\*\*| \* )", line)]


@pytest.mark.parametrize("name", sorted(name for name in FILES if name.endswith(".css")))
def test_a_style_is_served_without_comments(name: str) -> None:
    """It has as many lines as the file, and the same rules."""
    written, served = (STATIC_FOLDER / name).read_text(), FILES[name].body.decode()
    assert "/*" not in served
    assert served.count("\n") == written.count("\n")
    assert served.count("{") == re.sub(r"/\*.*?\*/", "", written, flags=re.DOTALL).count("{")


def test_each_script_is_loaded_by_a_page_or_by_another_script() -> None:
    """What nothing names is dead."""
    pages = [path.read_text() for path in STATIC_FOLDER.with_name("templates").rglob("*.html")]
    scripts = [FILES[name].body.decode() for name in SCRIPTS]
    named = {
        name
        for text in pages + scripts
        for name in re.findall(r'(?:script = |\bfrom |\bimport\(|\belse )"(?:\./)?(\w+\.js)"', text)
    }
    assert named == {*SCRIPTS}


def test_a_page_names_all_modules_of_its_script_once() -> None:
    """Those that modules import, too, so that a browser need not read one to ask for the next."""
    modules = list_imports("seat.js")
    assert {"match.js", "stream.js", "dock.js"} <= {*modules} < {*SCRIPTS}
    assert "seat.js" not in modules
    assert len(modules) == len({*modules})
    assert all({*list_imports(name)} <= {*modules[:at]} for at, name in enumerate(modules))
    assert list_imports("elements.js") == ()
