// A BS bot in JavaScript (Node): works out how likely a claim is.
//
// It speaks the line protocol of BS: a nickname is asked for by `Unique ID:`, cards are asked
// for by `Your turn:`, and whenever somebody `plays:`, everybody answers once.
//
// It lays all its cards of the rank, or else the one card that it can be honest with last. It
// calls BS when a hand of that size, dealt from the cards that it does not hold itself, would
// hardly ever hold what is claimed, and to stop a player from going out.
//
// Run it:  arena match bs examples/bots/bs-node examples/bots/bs-c

'use strict';

const readline = require('node:readline');

const RANKS = 'A23456789TJQK';
const HARDLY_EVER = 0.02;

let me = ''; // our ID: nicknames can be equal
let players = 0; // how many play
let left = 0; // how many cards the current player holds
let hand = [];

const cardsOf = (rank) => hand.filter((card) => card[0] === rank);

// How many turns of ours it takes until we have to claim the rank of a card; 13 is never.
function turnsUntil(card, rank) {
  const steps = RANKS.indexOf(card[0]) - RANKS.indexOf(rank);
  for (let turns = 1; turns < 13; turns++) {
    if ((turns * players - steps) % 13 === 0) return turns;
  }
  return 13;
}

function chooseCards(rank) {
  const honest = cardsOf(rank);
  if (honest.length) return honest;
  const later = (a, b) => (turnsUntil(b, rank) > turnsUntil(a, rank) ? b : a);
  return [hand.reduce(later)];
}

// In how many ways some of many things can be chosen.
function ways(many, some) {
  let product = 1;
  for (let i = 0; i < some; i++) product *= (many - i) / (i + 1);
  return product;
}

// The chance that a hand as large as the current player's holds so many cards of the rank.
function chanceOf(count, rank) {
  const unseen = 52 - hand.length;
  const ofRank = 4 - cardsOf(rank).length;
  let chance = 0;
  for (let held = count; held <= Math.min(ofRank, left); held++) {
    chance += (ways(ofRank, held) * ways(unseen - ofRank, left - held)) / ways(unseen, left);
  }
  return chance;
}

function doubts(player, count, rank) {
  return player !== me && (count === left || chanceOf(count, rank) < HARDLY_EVER);
}

// Takes note of a message, and gives the answer if it asks for one.
function hear(line) {
  const [what, rest] = line.split(': ');
  if (what === 'Unique ID') {
    me = rest;
    return 'Nickname: bs_node';
  }
  if (what === 'Your turn') return `Play: ${chooseCards(rest).join(' ')}`;
  const claim = line.match(/\((\d+)\) plays: (\d+) x (.)/);
  if (claim) return doubts(claim[1], Number(claim[2]), claim[3]) ? 'BS' : 'Pass';
  if (what === 'Hand') hand = rest.split(' ');
  if (what === 'Players') {
    const counts = [...rest.matchAll(/\[(\d+)\]/g)];
    [players, left] = [counts.length, Number(counts[0][1])]; // The current player is the first.
  }
  return undefined;
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const answer = hear(line);
    if (answer) console.log(answer);
  }
}

main();
