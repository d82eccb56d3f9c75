"""Hills for tests: folders, bots, access to them, and whole days of them."""
