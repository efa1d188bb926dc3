/* A player of Planet Wars that orders nothing. For measuring what a turn costs a judge:
   cc -O2 -o null_planetwars benches/null_planetwars.c */
#include <string.h>
#include <unistd.h>

static char text[1 << 20];

int main(void) {
    size_t held = 0;
    for (;;) {
        ssize_t got = read(0, text + held, sizeof text - held);
        if (got <= 0)
            return 0;
        held += (size_t)got;
        /* A judge waits for the answer, so that nothing comes after a state's last line. */
        if (held >= 3 && !memcmp(text + held - 3, "\n.\n", 3)) {
            if (write(1, ".\n", 2) != 2)
                return 1;
            held = 0;
        }
        if (held == sizeof text)
            return 1;
    }
}
