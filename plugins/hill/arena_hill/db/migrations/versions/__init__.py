"""One module per revision, named after its number; the schema creates the first one."""
