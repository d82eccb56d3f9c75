"""The small processes that start, watch and end a sandboxed program."""
