"""Parts of a web server, which know of matches no more than the messages that they send."""
