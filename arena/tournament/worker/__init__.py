"""Playing one match in a worker process."""
