# frozen_string_literal: true

# A BS bot in Ruby: doubts when it is cheap to be wrong, and brags of its own bluffs.
#
# It speaks the line protocol of BS: a nickname is asked for by `Unique ID:`, cards are asked
# for by `Your turn:`, and whenever somebody `plays:`, everybody answers once.
#
# It lays all its cards of the rank, or else the one card that it can be honest with last. It
# calls BS when the claim and its own cards are more than the four cards of a rank, or to stop
# a player from going out; and with a small pile also when they are four, so that nobody else
# would have any. When it has bluffed it declares Peanut Butter, to tell all who believed it.
#
# Run it:  arena match bs examples/bots/bs-ruby examples/bots/bs-c

RANKS = "A23456789TJQK"
SMALL_PILE = 3

# What we know in the middle of a game; players are known by their IDs.
class Player
  def initialize
    @pile = 0
    @bluffing = false
  end

  # Takes note of what a message tells.
  def note(line)
    case line
    when /\AUnique ID: (\d+)/ then @me = $1.to_i
    when /\APlayers: .*?\[(\d+)\]/ # The current player is the first.
      @left = $1.to_i
      @players = line.count("[")
    when /\AHand: (.*)/ then @hand = $1.split
    when /\ACalled BS: *\w/ then @pile = 0 # Whoever was wrong takes it.
    end
  end

  # The answer to a message, or nil if it asks for none.
  def answer(line)
    case line
    when /\AUnique ID:/ then "Nickname: bs_ruby"
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
    (1..12).find { |turns| (turns * @players - steps) % 13 == 0 } || 13
  end

  def declare(player, count, rank)
    known = count + cards_of(rank).size
    doubt = known > 4 || count == @left || (known == 4 && @pile <= SMALL_PILE)
    @pile += count
    return @bluffing ? "Peanut Butter" : "Pass" if player == @me

    doubt ? "BS" : "Pass"
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
