# frozen_string_literal: true

# A BS bot in Ruby: doubts whoever has few cards left, and brags of its own bluffs.
#
# It speaks the line protocol of BS: a nickname is asked for by `Unique ID:`, cards are asked
# for by `Your turn:`, and whenever somebody `plays:`, everybody answers once.
#
# It lays all its cards of the rank, or else the one card that it can be honest with last. It
# calls BS when the claim and its own cards are more than the four cards of a rank, or when the
# player held so few cards that one of the rank would be a lucky chance, or goes out. When it
# has bluffed it declares Peanut Butter, which tells all who believed it.
#
# Run it:  arena match bs examples/bots/bs-ruby examples/bots/bs-c

RANKS = 'A23456789TJQK'
FEW = 2 # Two cards hold one of a given rank less than one time in six.

# What we know in the middle of a game; players are known by their IDs.
class Player
  def initialize
    @bluffing = false
  end

  # Takes note of what a message tells.
  def note(line)
    case line
    when /\AUnique ID: (\d+)/ then @me = $1.to_i
    when /\APlayers: .*?\[(\d+)\]/ # The current player is the first.
      @left = $1.to_i
      @players = line.count('[')
    when /\AHand: (.*)/ then @hand = $1.split
    end
  end

  # The answer to a message, or nil if it asks for none.
  def answer(line)
    case line
    when /\AUnique ID:/ then 'Nickname: bs_ruby'
    when /\AYour turn: (.)/ then "Play: #{choose_cards($1).join(' ')}"
    when /\((\d+)\) plays: (\d+) x (.)/ then declare($1.to_i, $2.to_i, $3)
    end
  end

  private

  def choose_cards(rank)
    honest = cards_of(rank)
    @bluffing = honest.empty?
    @bluffing ? [@hand.max_by { |card| turns_until(card[0], rank) }] : honest
  end

  def cards_of(rank)
    @hand.select { |card| card.start_with?(rank) }
  end

  # How many turns of ours it takes until we have to claim the wanted rank; 13 is never.
  def turns_until(wanted, rank)
    steps = RANKS.index(wanted) - RANKS.index(rank)
    (1..12).find { |turns| ((turns * @players - steps) % 13).zero? } || 13
  end

  def declare(player, count, rank)
    return @bluffing ? 'Peanut Butter' : 'Pass' if player == @me

    doubts?(count, rank) ? 'BS' : 'Pass'
  end

  def doubts?(count, rank)
    count == @left || @left <= FEW || count + cards_of(rank).size > 4
  end
end

# Standard output is a pipe: without this an answer would wait in a buffer.
$stdout.sync = true

player = Player.new

$stdin.each_line do |line|
  player.note(line)
  answer = player.answer(line)
  puts answer if answer
end
