"""The revisions, each a module that is named after its number."""
