// A GOPS bot in JavaScript (Node): guesses which habit an opponent bids by, and answers it.
//
// It speaks the line protocol of Ruby Quiz 116:
//
//     < Competition card: 12      the prize that is turned up
//     > 10                        our bid
//     < Opponent's bid: 3         one line for each opponent, in seat order
//
// It keeps a few habits in mind and counts for each opponent how far each habit was off so
// far. The habit that was off least foretells the next bid. We bid the lowest card above
// what is foretold of all opponents, or our lowest card where that would cost too much.
//
// Run it:  arena match gops examples/bots/gops-node planner
// Alone:   node bot.js [CARDS]     (13 cards unless told)

'use strict';

const readline = require('node:readline');

let cards = Number(process.argv[2] ?? 13);
const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1);

const hand = upTo(cards); // in rising order, as are the opponents' hands
const opponents = []; // each with the cards left and the errors of the habits, in seat order

// What a player of this habit would bid for a prize if it had all its cards.
const HABITS = [
  (prize) => prize,
  (prize) => prize + 1,
  (prize) => prize + 2,
  (prize) => (prize < cards ? prize + 1 : 1), // leaves the best prize to the others
  (prize) => cards + 1 - prize,
  () => 1,
  () => cards,
];

const PREMIUM = 3; // what we are ready to pay above a prize's own value

function nearest(left, target) {
  return left.reduce((a, b) => (Math.abs(b - target) < Math.abs(a - target) ? b : a), left[0]);
}

function foretell({ left, errors }, prize) {
  const habit = HABITS[errors.indexOf(Math.min(...errors))];
  return nearest(left, habit(prize)) ?? 0;
}

function chooseBid(prize) {
  if (hand.length === 0) hand.push(++cards); // There are more cards than we were told.
  const known = opponents.length ? opponents.map((each) => foretell(each, prize)) : [prize];
  const bid = hand.find((card) => card > Math.max(...known));
  return bid === undefined || bid > prize + PREMIUM ? hand[0] : bid;
}

function learn(opponent, prize, bid) {
  HABITS.forEach((habit, i) => {
    opponent.errors[i] += Math.abs(bid - (nearest(opponent.left, habit(prize)) ?? bid));
  });
  opponent.left = opponent.left.filter((card) => card !== bid);
}

async function main() {
  let prize = 0;
  let shown = 0; // how many bids of this round we have seen
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [what, number] = line.split(': ');
    if (what === 'Competition card') {
      [prize, shown] = [Number(number), 0];
      const bid = chooseBid(prize);
      hand.splice(hand.indexOf(bid), 1);
      console.log(bid);
    } else if (what === "Opponent's bid") {
      // Only the first round tells how many opponents there are.
      opponents[shown] ??= { left: upTo(cards), errors: HABITS.map(() => 0) };
      learn(opponents[shown++], prize, Number(number));
    }
  }
}

main();
