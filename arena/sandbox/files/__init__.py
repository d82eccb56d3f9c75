"""Folders of sandboxed programs: their size, owner and copies."""
