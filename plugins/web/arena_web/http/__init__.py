"""Parts of a web server that do not depend on matches."""
