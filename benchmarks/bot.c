/* A GOPS bot that bids 1, 2, ... 13, 1, ... as fast as it can: the other end of both hosts. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char buffer[4096];
    size_t held = 0;
    int bid = 1;
    for (;;) {
        ssize_t got = read(0, buffer + held, sizeof buffer - held);
        if (got <= 0) return 0;
        held += (size_t)got;
        char *line = buffer, *end;
        while ((end = memchr(line, '\n', (size_t)(buffer + held - line)))) {
            if (*line == 'C') { /* Competition card */
                char out[16];
                int length = sprintf(out, "%d\n", bid);
                bid = bid % 13 + 1;
                if (write(1, out, (size_t)length) < 0) return 0;
            }
            line = end + 1;
        }
        held = (size_t)(buffer + held - line);
        memmove(buffer, line, held);
    }
}
