#!/usr/bin/env perl
#
# A BS bot in Perl: keeps a record of who was honest and who was not.
#
# It speaks the line protocol of BS: a nickname is asked for by `Unique ID:`, cards are asked
# for by `Your turn:`, and whenever somebody `plays:`, everybody answers once.
#
# It lays all its cards of the rank, or else the one card that it can be honest with last.
# It calls BS when the claim and its own cards are more than the four cards of a rank, or to
# stop a player from going out; and while the pile is small, it calls a known liar: who was
# found bluffing at least twice more than honest.
#
# Run it:  arena match bs examples/bots/bs-perl examples/bots/bs-c

use strict;
use warnings;

# Standard output is a pipe: without this an answer would wait in a buffer.
$| = 1;

my $RANKS = 'A23456789TJQK';

my $me      = -1;    # our ID: nicknames can be equal
my $players = 0;     # how many play
my $left    = 0;     # how many cards the current player holds
my $pile    = 0;     # how many cards lie in the pile
my @hand;
my %record;          # by ID: how often found honest, less how often found bluffing

sub cards_of {
    my ($rank) = @_;
    return grep { substr($_, 0, 1) eq $rank } @hand;
}

# How many turns of ours it takes until we have to claim the rank of a card; 13 is never.
sub turns_until {
    my ($card, $rank) = @_;
    my $steps = index($RANKS, substr $card, 0, 1) - index($RANKS, $rank);
    my ($turns) = grep { ($_ * $players - $steps) % 13 == 0 } 1 .. 12;
    return $turns // 13;
}

sub choose_cards {
    my ($rank) = @_;
    my @honest = cards_of($rank);
    return @honest if @honest;
    my @latest_first = sort { turns_until($b, $rank) <=> turns_until($a, $rank) } @hand;
    return $latest_first[0];
}

sub doubts {
    my ($player, $count, $rank) = @_;
    return 0 if $player == $me;
    return 1 if $count + cards_of($rank) > 4 || $count == $left;
    return ($record{$player} // 0) <= -2 && $pile < @hand;
}

while (my $line = <STDIN>) {
    if ($line =~ /^Unique ID: (\d+)/) {
        $me = $1;
        print "Nickname: bs_perl\n";
    }
    elsif ($line =~ /^Players: .*?\[(\d+)\]/) {
        $left    = $1;                # The current player is the first.
        $players = () = $line =~ /\[/g;
    }
    elsif ($line =~ /^Hand: (.*)/) {
        @hand = split ' ', $1;
    }
    elsif ($line =~ /^Your turn: (.)/) {
        print 'Play: ', join(' ', choose_cards($1)), "\n";
    }
    elsif ($line =~ /\((\d+)\) plays: (\d+) x (.)/) {
        my ($player, $count, $rank) = ($1, $2, $3);
        print doubts($player, $count, $rank) ? "BS\n" : "Pass\n";
        $pile += $count;
    }
    elsif ($line =~ /^Called BS: *\w/) {
        $pile = 0;                    # Whoever was wrong takes it.
    }
    elsif ($line =~ /\((\d+)\) was (not )?bluffing/) {
        $record{$1} += $2 ? 1 : -1;
    }
}
