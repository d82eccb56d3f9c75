"""The bots of entrants: hashes, copies and versions of their files, and how a host seats them."""
