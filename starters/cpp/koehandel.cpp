// Plays Koehandel: bids up to what an animal is worth to it, pays with little change, and auctions.
#include "drover_bot.h"

#include <algorithm>
#include <climits>
#include <cmath>

using std::string;

// Of four, by animal, A to J.
static const int VALUES[] = {10, 40, 90, 160, 250, 350, 500, 650, 800, 1000};
static const int COINS[] = {0, 10, 50, 100, 200, 500};

static int worth(const Json &cards) {
    int sum = 0;
    for (int at = 0; at < 6; at++) sum += cards[at].integer() * COINS[at];
    return sum;
}

// What a card is worth: more, the more of its kind are here, and never more than half of the money.
static double limit(const Json &card, const Json &view) {
    int animal = card.text()[0] - 'A';
    int have = view["herds"][0][animal].integer();
    return std::min(VALUES[animal] * (1 + have) * 0.3, worth(view["purse"]) * 0.5);
}

// The lowest bid, if it is within the limit.
static string bid(const Json &acts, double limit) {
    int lowest = INT_MAX;
    for (const Json &act : acts.items)
        if (!act["amount"].is_null()) lowest = std::min(lowest, act["amount"].integer());
    return "{\"amount\":" + (lowest <= limit ? std::to_string(lowest) : "null") + "}";
}

// The act with cards whose worth is nearest to this.
static string nearest(const Json &acts, double goal) {
    string best = acts[0].raw;
    double least = INFINITY;
    for (const Json &act : acts.items) {
        // Accepting has no cards.
        if (act["cards"].is("missing")) continue;
        double apart = std::abs(worth(act["cards"]["cards"]) - goal);
        if (apart < least) {
            least = apart;
            best = act.raw;
        }
    }
    return best;
}

struct Koehandel : Bot {
    string decide(const Json &ask, const Json &view, const Json &acts) override {
        if (ask.is("turn")) {
            for (const Json &act : acts.items)
                if (act.is("auction")) return act.raw;
            return acts[0].raw;
        }
        const string &kind = ask.keys.at(0);
        const Json &about = ask[0];
        if (kind == "bid") return bid(acts, limit(about["card"], view));
        if (kind == "pre_empt") return "{\"amount\":null}";
        if (kind == "pay") return nearest(acts, 0);
        // A trade: what the animals are worth, or as near as the acts come.
        return nearest(acts, limit(about["animal"], view) * about["count"].integer());
    }
};

static Plays<Koehandel> plays("koehandel");
