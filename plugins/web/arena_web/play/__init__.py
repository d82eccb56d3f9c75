"""Tables at which people play in a browser."""
