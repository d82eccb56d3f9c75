"""The tournament file: what may stand in it, how it is read, and the spec that it becomes."""

FILE_SUFFIX = ".toml"
"""The end of its name."""

DEFAULT_LEVEL = 0.95
"""The confidence level of intervals, unless the file sets another."""
