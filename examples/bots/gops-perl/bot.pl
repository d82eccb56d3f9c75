#!/usr/bin/env perl
#
# A GOPS bot in Perl: learns how much the opponents pay, and bids just above that.
#
# It speaks the line protocol of Ruby Quiz 116:
#
#     < Competition card: 12      the prize that is turned up
#     > 10                        our bid
#     < Opponent's bid: 3         one line for each opponent, in seat order
#
# After each round it notes by how much the highest of the opponents' bids was above the
# prize, or below it. From the mean of this it guesses the next one. Where our card above
# the guess would cost too much, the opponents may have the prize for our lowest card.
#
# Run it:  arena match gops examples/bots/gops-perl planner
# Alone:   perl bot.pl [CARDS]     (13 cards unless told)

use strict;
use warnings;

# Standard output is a pipe: without this a bid would wait in a buffer.
$| = 1;

my $cards = shift @ARGV || 13;
my @hand  = (1 .. $cards);

my $rounds  = 0;    # how many rounds we have learned from
my $overbid = 0;    # the sum of the highest bid less the prize, over these rounds

# What we are ready to pay above a prize's own value.
my $premium = 3;

sub choose_bid {
    my ($prize) = @_;

    # An empty hand means that there are more cards than we were told.
    push @hand, ++$cards if !@hand;

    my $guess = $prize + ($rounds ? $overbid / $rounds : 0);
    my ($bid) = grep { $_ > $guess } @hand;    # the hand is in rising order
    $bid = $hand[0] if !defined $bid || $bid > $prize + $premium;
    @hand = grep { $_ != $bid } @hand;
    return $bid;
}

my ($prize, $highest) = (0, 0);

while (my $line = <STDIN>) {
    if ($line =~ /^Competition card: (\d+)/) {
        my $next = $1;

        # How many opponents there are is not said, so a round is over when the next begins.
        if ($highest) {
            $overbid += $highest - $prize;
            $rounds++;
        }
        ($prize, $highest) = ($next, 0);
        print choose_bid($prize), "\n";
    }
    elsif ($line =~ /^Opponent's bid: (\d+)/) {
        $highest = $1 if $1 > $highest;
    }
}
