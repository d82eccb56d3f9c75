"""What goes between server and pages: events of streams, replies to scripts, and their JSON."""
