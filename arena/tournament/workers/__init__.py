"""Workers: where they come from, how they play matches, and what happens when they die."""
