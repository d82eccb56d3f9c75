/* A BS bot in C: adds up what was claimed since the pile was last taken.
 *
 * It speaks the line protocol of BS: a nickname is asked for by `Unique ID:`, cards are asked
 * for by `Your turn:`, and whenever somebody `plays:`, everybody answers once.
 *
 * It lays all its cards of the rank, or else the one card that it can be honest with last. It
 * calls BS when its own cards of a rank and all that lie in the pile as cards of that rank,
 * the claim included, are more than four; and to stop a player from going out.
 *
 * Run it:  arena match bs examples/bots/bs-c examples/bots/bs-ruby
 */
#define _POSIX_C_SOURCE 200809L /* for getline: a line can be thousands of characters long */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char RANKS[] = "A23456789TJQK";

static char hand[52][3]; /* each a rank and a suit */
static int held;         /* how many cards we hold */
static int players;      /* how many play */
static int left;         /* how many cards the current player holds */
static int claimed[13];  /* how many cards lie in the pile as cards of each rank */

static int index_of(char rank)
{
    const char *at = strchr(RANKS, rank);
    return at ? (int)(at - RANKS) : 0;
}

static void read_players(const char *line)
{
    players = 0;
    while ((line = strchr(line, '['))) {
        line++;
        if (players++ == 0) /* The current player is the first. */
            left = atoi(line);
    }
}

static void read_hand(const char *cards)
{
    int length;
    for (held = 0; held < 52 && sscanf(cards, "%2s%n", hand[held], &length) == 1; held++)
        cards += length;
}

static int count_of(char rank)
{
    int count = 0;
    for (int i = 0; i < held; i++)
        count += hand[i][0] == rank;
    return count;
}

/* How many turns of ours it takes until we have to claim the wanted rank; 13 is never. */
static int turns_until(char wanted, char rank)
{
    int turns = 1, steps = index_of(wanted) - index_of(rank);
    while (turns < 13 && (turns * players - steps) % 13 != 0)
        turns++;
    return turns;
}

static void play(char rank)
{
    int latest = 0, honest = count_of(rank) > 0;
    for (int i = 1; i < held; i++)
        if (turns_until(hand[i][0], rank) > turns_until(hand[latest][0], rank))
            latest = i;
    printf("Play:");
    for (int i = 0; i < held; i++)
        if (honest ? hand[i][0] == rank : i == latest)
            printf(" %s", hand[i]);
    printf("\n");
}

static int doubts(int count, char rank)
{
    return count == left || count_of(rank) + claimed[index_of(rank)] + count > 4;
}

int main(void)
{
    char *line = NULL, rank;
    size_t size = 0;
    int me = -1, id, count; /* Players are known by their IDs: nicknames can be equal. */

    while (getline(&line, &size, stdin) > 0) {
        if (sscanf(line, "Unique ID: %d", &me) == 1) {
            printf("Nickname: bs_c\n");
        } else if (strncmp(line, "Players: ", 9) == 0) {
            read_players(line);
        } else if (strncmp(line, "Hand: ", 6) == 0) {
            read_hand(line + 6);
        } else if (sscanf(line, "Your turn: %c", &rank) == 1) {
            play(rank);
        } else if (sscanf(line, "Player %*[^(](%d) plays: %d x %c", &id, &count, &rank) == 3) {
            puts(id != me && doubts(count, rank) ? "BS" : "Pass");
            claimed[index_of(rank)] += count;
        } else if (strncmp(line, "Called BS:", 10) == 0 && strchr(line, '(')) {
            memset(claimed, 0, sizeof claimed); /* Whoever was wrong takes the pile. */
        }
        fflush(stdout); /* Standard output is a pipe: an answer would wait in a buffer. */
    }
    free(line);
    return 0;
}
