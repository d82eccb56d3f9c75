"""Commands of the arena that this plugin adds."""
