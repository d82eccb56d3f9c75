"""The formats in which results are exported: the command lists them and imports nothing else."""

EXPORT_FORMATS = ("csv", "jsonl", "parquet")
