"""The open hill: authors send bots, the judge tries them, and the coordinator lets them in."""
