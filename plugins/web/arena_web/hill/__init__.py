"""The open hill: authors send bots, the porter tries them, and the coordinator lets them in."""
