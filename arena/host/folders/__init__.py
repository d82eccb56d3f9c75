"""Folders of bots: walked, copied, made private, and removed whatever is in them."""
