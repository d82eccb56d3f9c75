/* A GOPS bot in C: plays the rest of the game many times over, and bids what came out best.
 *
 * It speaks the line protocol of Ruby Quiz 116:
 *     < Competition card: 12      the prize that is turned up
 *     > 10                        our bid
 *     < Opponent's bid: 3         one line for each opponent, in seat order
 * It tries each card of its hand in some hundred games, the prizes to come in random order
 * and all bidding about what a prize is worth. The draws are the same in every run.
 *
 * Run it:  arena match gops examples/bots/gops-c planner
 * Alone:   cc -o bot bot.c && ./bot [CARDS]     (13 cards unless told)
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAMES = 400, MOST_CARDS = 100, MOST_PLAYERS = 8 };

typedef struct {
    int cards, players; /* We are player 0; the opponents follow in seat order. */
    bool held[MOST_PLAYERS][MOST_CARDS + 1], to_come[MOST_CARDS + 1];
} Game;

static int draw(unsigned *chance, int below)
{
    *chance = *chance * 1664525u + 1013904223u;
    return (int)((*chance >> 16) % (unsigned)below);
}

/* Takes the card that is nearest to the wanted one, the lower of two; 0 if none is left. */
static int take(bool *left, int cards, int wanted)
{
    int best = 0;
    for (int card = 1; card <= cards; card++)
        if (left[card] && (best == 0 || abs(card - wanted) < abs(best - wanted)))
            best = card;
    left[best] = false;
    return best;
}

/* Plays a copy of the game to its end, and gives our points less those of the others. */
static long play_out(Game game, int prize, int bid, unsigned *chance)
{
    long margin = 0;
    game.held[0][bid] = false;
    while (prize > 0) {
        int highest = 0;
        for (int player = 1; player < game.players; player++) {
            int other = take(game.held[player], game.cards, prize + draw(chance, 5) - 2);
            highest = other > highest ? other : highest;
        }
        margin += bid > highest ? prize : bid < highest ? -prize : 0;
        prize = take(game.to_come, game.cards, 1 + draw(chance, game.cards));
        bid = take(game.held[0], game.cards, prize + draw(chance, 5) - 2);
    }
    return margin;
}

static int choose_bid(const Game *game, int prize)
{
    int best = 0;
    long best_sum = LONG_MIN;
    for (int card = 1; card <= game->cards; card++) {
        unsigned chance = 1; /* All cards meet the same luck: so few games tell them apart. */
        long sum = 0;
        for (int number = 0; game->held[0][card] && number < GAMES; number++)
            sum += play_out(*game, prize, card, &chance);
        if (game->held[0][card] && sum > best_sum)
            best = card, best_sum = sum;
    }
    return best;
}

int main(int argc, char **argv)
{
    Game game = {.cards = argc > 1 ? atoi(argv[1]) : 13, .players = 2};
    char line[80]; /* All lines of this protocol are short. */
    int number, shown = 0;

    memset(game.held, true, sizeof game.held);
    memset(game.to_come, true, sizeof game.to_come);
    while (game.cards < MOST_CARDS && fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "Competition card: %d", &number) == 1) {
            take(game.to_come, game.cards, number);
            int bid = choose_bid(&game, number);
            if (bid == 0) /* There are more cards than we were told. */
                bid = ++game.cards;
            game.held[0][bid] = false;
            printf("%d\n", bid);
            fflush(stdout); /* Standard output is a pipe: the bid would wait in a buffer. */
            shown = 0;
        } else if (sscanf(line, "Opponent's bid: %d", &number) == 1 && shown < MOST_PLAYERS - 1) {
            take(game.held[++shown], game.cards, number);
            if (shown >= game.players) /* Only the first round tells how many there are. */
                game.players = shown + 1;
        }
    }
    return 0;
}
