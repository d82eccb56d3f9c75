#!/usr/bin/env bash
#
# A GOPS bot in Bash: pays two more than a prize is worth, or next to nothing.
#
# It speaks the line protocol of Ruby Quiz 116:
#
#     < Competition card: 12      the prize that is turned up
#     > 10                        our bid
#     < Opponent's bid: 3         one line for each opponent, in seat order
#
# It bids its lowest card that is two above the prize, so the few best prizes, for which it
# has none, go to the opponents, who spend their best cards on them. A card above all that
# the opponents have left is sure to win: it never bids more than the cheapest of these.
#
# Run it:  arena match gops examples/bots/gops-bash planner
# Alone:   bash bot.sh [CARDS]     (13 cards unless told)

cards=${1:-13}
hand=()         # hand[card] is set while we hold the card; the keys come in rising order
declare -A gone # gone[opponent,card] is set when that opponent has bid the card
highest=()      # highest[opponent] is the best card which that opponent has left
shown=0         # how many bids of this round we have seen

for ((card = 1; card <= cards; card++)); do
    hand[card]=1
done

# Functions leave their result in REPLY: $(...) would start a process for each call.

# The lowest card of the hand that is at least $1, or else the lowest card.
cheapest_from() {
    local card held=("${!hand[@]}")
    REPLY=${held[0]}
    for card in "${held[@]}"; do
        if ((card >= $1)); then
            REPLY=$card
            return
        fi
    done
}

choose_bid() {
    local prize=$1 top best=0
    if ((${#hand[@]} == 0)); then # There are more cards than we were told.
        hand[++cards]=1
    fi
    for top in "${highest[@]:-$cards}"; do
        ((top > best)) && best=$top
    done
    cheapest_from $((prize + 2 < best + 1 ? prize + 2 : best + 1))
}

note_bid() {
    local opponent=$1 bid=$2
    gone[$opponent,$bid]=1
    : "${highest[opponent]:=$cards}" # Only the first round tells how many opponents there are.
    while [[ -v gone[$opponent,${highest[opponent]}] ]]; do
        ((highest[opponent]--))
    done
}

while IFS= read -r line; do
    case $line in
    'Competition card: '*)
        shown=0
        choose_bid "${line##*: }"
        unset "hand[REPLY]"
        printf '%s\n' "$REPLY"
        ;;
    "Opponent's bid: "*)
        note_bid "$shown" "${line##*: }"
        ((shown++))
        ;;
    esac
done
exit 0
