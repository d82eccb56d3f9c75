#!/usr/bin/env bash
#
# A BS bot in Bash: as honest as it can be, and believes what is possible.
#
# It speaks the line protocol of BS: a nickname is asked for by `Unique ID:`, cards are asked
# for by `Your turn:`, and whenever somebody `plays:`, everybody answers once.
#
# It lays all its cards of the rank, or else the one card that it can be honest with last.
# It calls BS when the claim and its own cards are more than the four cards of a rank, or to
# stop a player from going out.
#
# Run it:  arena match bs examples/bots/bs-bash examples/bots/bs-c

ranks=A23456789TJQK
me=       # our ID: nicknames can be equal
players=0 # how many play
left=0    # how many cards the current player holds
hand=()

# Functions leave their result in a variable: $(...) would start a process for each call.

index_of() {
    local before=${ranks%%"$1"*}
    index=${#before}
}

# Sets `fitting` to our cards of rank $1.
find_fitting() {
    local card
    fitting=()
    for card in "${hand[@]}"; do
        [[ $card == "$1"* ]] && fitting+=("$card")
    done
}

# Sets `turns` to how many turns of ours it takes from rank $1 to rank $2; 13 is never.
count_turns() {
    local from
    index_of "$1"
    from=$index
    index_of "$2"
    for ((turns = 1; turns < 13; turns++)); do
        (((from + turns * players - index) % 13 == 0)) && break
    done
}

play() {
    local rank=$1 card most=0
    find_fitting "$rank"
    if ((${#fitting[@]} == 0)); then
        for card in "${hand[@]}"; do
            count_turns "$rank" "${card:0:1}"
            ((turns > most)) && most=$turns fitting=("$card")
        done
    fi
    printf 'Play: %s\n' "${fitting[*]}"
}

doubts() {
    local player=$1 count=$2 rank=$3
    find_fitting "$rank"
    [[ $player != "$me" ]] && ((count + ${#fitting[@]} > 4 || count == left))
}

while read -ra words; do
    case ${words[*]} in
    'Unique ID: '*)
        me=${words[2]}
        echo 'Nickname: bs_bash'
        ;;
    'Players: '*) # Alice(16481)[18], Bob(16479)[17], ...: the current player is the first.
        players=$((${#words[@]} - 1))
        left=${words[1]#*[}
        left=${left%%]*}
        ;;
    'Hand: '*)
        hand=("${words[@]:1}")
        ;;
    'Your turn: '*)
        play "${words[2]}"
        ;;
    'Player '*' plays: '*) # Alice(16481) plays: 3 x A
        id=${words[1]#*(}
        if doubts "${id%)}" "${words[3]}" "${words[5]}"; then
            echo 'BS'
        else
            echo 'Pass'
        fi
        ;;
    esac
done
exit 0
