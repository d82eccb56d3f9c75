"""What a person has in a seat: its feed, its questions with their answers, and hints."""
