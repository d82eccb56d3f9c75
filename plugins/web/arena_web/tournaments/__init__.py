"""Tournaments as sources of pages: their databases, and what a page is shown of them."""
