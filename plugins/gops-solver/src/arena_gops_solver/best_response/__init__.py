"""Best replies to a bot: exact ones, and replies learned from games against it."""
