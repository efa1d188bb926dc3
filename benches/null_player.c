/* A player of Planowanie that does not think: it declares nothing and plays its first legal card. For
   measuring what a game costs an arbiter: cc -O2 -o null_player benches/null_player.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARDS_MAX 64

static char hand[CARDS_MAX][3];
static int held, laid, players = 4, own;
static char led;

static int number(void) {
    const char *word = strtok(NULL, " \r\n");
    return word ? atoi(word) : 0;
}

static void take_up(void) {
    int count = number();
    const char *card;
    held = laid = 0;
    led = 0;
    while (held < count && held < CARDS_MAX && (card = strtok(NULL, " \r\n")))
        snprintf(hand[held++], sizeof hand[0], "%s", card);
}

static const char *first_legal(void) {
    for (int at = 0; at < held; at++)
        if (hand[at][1] == led)
            return hand[at];
    return hand[0];
}

static void lay(void) {
    int player = number();
    const char *card = strtok(NULL, " \r\n");
    if (!card)
        return;
    if (laid == 0)
        led = card[1];
    if (++laid == players) {
        laid = 0;
        led = 0;
    }
    for (int at = 0; player == own && at < held; at++)
        if (!strcmp(hand[at], card)) {
            memmove(hand[at], hand[at + 1], (size_t)(held - at - 1) * sizeof hand[0]);
            held--;
            return;
        }
}

int main(void) {
    static char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        const char *word = strtok(line, " \r\n");
        const char *reply = "";
        if (!word)
            continue;
        if (!strcmp(word, "set_players")) {
            players = number();
            own = number();
        } else if (!strcmp(word, "set_cards"))
            take_up();
        else if (!strcmp(word, "gen_declare"))
            reply = " 0";
        else if (!strcmp(word, "play"))
            lay();
        if (!strcmp(word, "gen_move"))
            printf("= %s\n\n", first_legal());
        else
            printf("=%s\n\n", reply);
        fflush(stdout);
        if (!strcmp(word, "quit"))
            return 0;
    }
    return 0;
}
