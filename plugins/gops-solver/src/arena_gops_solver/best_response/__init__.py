"""Best replies to a bot: exact ones, and such as are learned from games against it."""
