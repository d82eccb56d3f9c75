"""Archives of bots, and unpacking them in a sandbox."""
