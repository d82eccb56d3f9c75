# frozen_string_literal: true

# A GOPS bot in Ruby: has a plan for all prizes to come, and bids by it.
#
# It speaks the line protocol of Ruby Quiz 116:
#
#     < Competition card: 12      the prize that is turned up
#     > 10                        our bid
#     < Opponent's bid: 3         one line for each opponent, in seat order
#
# The plan pairs cards with prizes in order: the lowest card for the lowest prize to come,
# and so on. While an opponent can still match our highest card, the plan is moved on by one:
# the best prize gets our lowest card, and each other prize a card that is one better.
#
# Run it:  arena match gops examples/bots/gops-ruby planner
# Alone:   ruby bot.rb [CARDS]     (13 cards unless told)

# What we know in the middle of a game.
class Bidder
  def initialize(cards)
    @cards = cards
    @hand = (1..cards).to_a
    @to_come = (1..cards).to_a
    @opponents = []
    @shown = 0
  end

  # The card for this prize, which leaves the hand.
  def bid(prize)
    @shown = 0
    # An empty hand means that there are more cards than we were told.
    @hand << (@cards += 1) if @hand.empty?
    place = @to_come.count { |other| other < prize }
    card = plan[place] || plan.last
    @to_come.delete(prize)
    @hand.delete(card)
  end

  # Takes note of an opponent's bid; only the first round tells how many opponents there are.
  def see(bid)
    @opponents[@shown] ||= (1..@cards).to_a
    @opponents[@shown].delete(bid)
    @shown += 1
  end

  private

  # Our cards in the order of the prizes that they are meant for.
  def plan
    sure_of_the_best? ? @hand : @hand.rotate
  end

  def sure_of_the_best?
    !@opponents.empty? && @opponents.flatten.all? { |card| card < @hand.last }
  end
end

# Standard output is a pipe: without this a bid would wait in a buffer.
$stdout.sync = true

bidder = Bidder.new(Integer(ARGV.fetch(0, 13)))

# Not `gets`, which would take the argument for a file to read.
$stdin.each_line do |line|
  case line
  when /\ACompetition card: (\d+)/ then puts bidder.bid($1.to_i)
  when /\AOpponent's bid: (\d+)/ then bidder.see($1.to_i)
  end
end
