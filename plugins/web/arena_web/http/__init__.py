"""Parts of a web server that know no match."""
