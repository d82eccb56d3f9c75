"""What a server keeps of games with persons: in one SQLite file, or in memory."""
