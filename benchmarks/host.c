/* A bare host: the same GOPS lines to two bots with blocking reads, and nothing else.
   usage: host BOT ROUNDS */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int to[2], from[2];

static int read_bid(int pipe) {
    char line[64];
    int length = 0;
    while (length == 0 || line[length - 1] != '\n') {
        ssize_t got = read(pipe, line + length, (size_t)(63 - length));
        if (got <= 0) exit(1);
        length += (int)got;
    }
    line[length] = 0;
    return atoi(line);
}

static void start(const char *bot, int seat) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) exit(1);
    if (!fork()) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execl(bot, bot, (char *)NULL);
        _exit(1);
    }
    close(in[0]);
    close(out[1]);
    to[seat] = in[1];
    from[seat] = out[0];
}

int main(int count, char **words) {
    if (count != 3) return 2;
    int rounds = atoi(words[2]);
    for (int seat = 0; seat < 2; seat++) start(words[1], seat);
    char message[2][128];
    int length[2], bid[2];
    for (int seat = 0; seat < 2; seat++)
        length[seat] = sprintf(message[seat], "Competition card: 1\n");
    for (int round = 1; round <= rounds; round++) {
        for (int seat = 0; seat < 2; seat++)
            if (write(to[seat], message[seat], (size_t)length[seat]) < 0) return 1;
        for (int seat = 0; seat < 2; seat++) bid[seat] = read_bid(from[seat]);
        for (int seat = 0; seat < 2; seat++)
            length[seat] = sprintf(message[seat], "Opponent's bid: %d\nCompetition card: %d\n",
                                   bid[1 - seat], round % 13 + 1);
    }
    return 0;
}
