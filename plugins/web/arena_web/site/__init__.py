"""A tournament as a static site: the server's pages, with all data in shards.

A page that is opened from a disk may neither fetch nor load a module, but it may load a script. So
data come as scripts, which hand what they hold to a function of `list.js`.
"""

from __future__ import annotations

from arena_web.site.site_writer import write_site

__all__ = ["write_site"]
