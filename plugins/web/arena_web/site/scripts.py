"""The scripts of a static site: a page that is opened from a disk may load no module.

So what a page of the server loads as modules is one plain script here, in which each module is a
function that returns what it exports.
"""

from __future__ import annotations

import re

from arena_web.static_files import FILES, list_imports

IMPORT = re.compile(r'^import (\{.*\}) from ("\./[^"]+");$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)


def bundle_script(name: str) -> bytes:
    """Return a script with all modules that it imports as one plain script."""
    parts = [_wrap_module(module) for module in (*list_imports(name), name)]
    return "\n".join(['"use strict";', "{", "const modules = {};", *parts, "}", ""]).encode()


def _wrap_module(name: str) -> str:
    text = FILES[name].body.decode()
    exports = ", ".join(EXPORT.findall(text))
    body = IMPORT.sub(r"const \1 = modules[\2];", EXPORT.sub("", text))
    return f'modules["./{name}"] = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();'
