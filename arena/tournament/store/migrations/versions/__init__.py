"""A module a revision, whose number it is named after."""
