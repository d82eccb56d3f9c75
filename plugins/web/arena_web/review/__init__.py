"""Reviews of finished matches: the moments that decided a match for one seat.

Who has not won reads which answers cost most, as far as that is known: a plugin has computed what
answers cost, or worlds that the seat could not tell from the true one are played on after its
answer and after others. So badly passed cards are found as well, and answers that the hint shares.
What is sure goes before what might be chance, and the page says which is which.

Who has won reads in which rounds its lead over the best of the others grew most, and then which
answers cost something all the same, where a plugin has computed that. The rules are played again on
the answers of the transcript, which gives the score after each round.

The last moment is always the end, where it brought the seat bad news: what it answered then, what
the others really held, and what the source of hints would have answered.
"""
