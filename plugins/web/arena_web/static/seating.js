// Who sits where around a table: the own seat below, the others clockwise from the left.

/**
 * A place at a table: on which side, and the cells of a grid for who sits there and for what they play.
 * @typedef {{side: string, hand: string, played: string}} SeatPlace
 */

/**
 * The seats of all hands in the order of play, from the own one on; none where fewer than two others have a hand each.
 * @param {(number | undefined)[]} owners - of all hands
 * @param {number | null | undefined} own
 * @returns {number[]}
 */
export function findSeating(owners, own) {
  const others = owners.filter((owner) => owner !== own);
  const seats = [own, ...others].flatMap((seat) => (typeof seat === "number" ? [seat] : []));
  const order = [...new Set(seats)].sort((one, other) => one - other), first = order.indexOf(seats[0]);
  if (others.length < 2 || order.length <= others.length) return [];
  return [...order.slice(first), ...order.slice(0, first)];
}

/**
 * The places at a table of so many others, the own one first, then clockwise: up the left side, along the top, and
 * down the right side; and how many columns there are between the sides.
 * @param {number} others
 */
export function placeAround(others) {
  const beside = others > 5 ? 2 : 1, across = Math.max(1, others - 2 * beside);
  /** @type {(side: string, column: number, up: number) => SeatPlace} */
  const place = (side, column, up) => {
    const cell = beside === 1 ? `1 / ${column} / span 2 / auto` : `${3 - up} / ${column} / auto / auto`;
    return { side, hand: cell, played: cell };
  };
  /** @type {SeatPlace[]} */
  const places = [{ side: "own", hand: "3 / 1 / auto / -1", played: "2 / 2 / 3 / -2" }];
  for (let at = 1; at <= others; at += 1) {
    const top = `1 / ${at - beside + 1} / auto / auto`;
    if (at <= beside) places.push(place("left", 1, at));
    else if (at > others - beside) places.push(place("right", -2, others + 1 - at));
    else places.push({ side: "top", hand: top, played: top });
  }
  return { places, across };
}
