"""A tournament as a static site: the server's pages, with all data in shards.

A page that is opened from a disk may neither fetch nor load a module, but it may load a script. So
data come as scripts, which hand what they hold to a function of `data.js`:

- `arena.shard("r00017", "BASE64")` has the replays of neighbouring matches, in one deflate stream.
  Their deals are settled, so a shard never changes, and is written only once.
- `arena.list("l00003", {...})` has a part of the list of all matches, as columns. What was played
  with is not in it, so matches stand in it as soon as they are stored.
"""

from arena_web.site.writer import ReplayChoice, write_site

__all__ = ["ReplayChoice", "write_site"]
