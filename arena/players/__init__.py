"""Who answers for a seat: a bot in this process, a program behind pipes, a person."""
