"""Hills for tests: folders, bots, services, and whole days of them."""
