"""A module a revision, whose number it is named after; the first is made by the schema."""
