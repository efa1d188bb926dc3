// Plays Planowanie: declares its high cards, takes tricks until it has as many, and then throws its high cards away.
#include "drover_bot.h"

#include <algorithm>
#include <cmath>

using std::string;

struct Planowanie : Bot {
    int values, players;
    std::vector<int> trick;

    string decide(const Json &ask, const Json &view, const Json &acts) override {
        values = int(view["game"]["deck"]["values"].text().size());
        players = view["game"]["players"].integer();
        trick.clear();
        for (const Json &card : view["round"]["trick"].items) trick.push_back(card.integer());
        return ask.is("declare") ? declare(view, acts) : play(view, acts);
    }

    string declare(const Json &view, const Json &acts) const {
        double tricks = 0;
        for (const Json &card : view["hand"].items) tricks += chance(card.integer());
        auto apart = [&](const Json &act) { return std::abs(act["declare"].integer() - tricks); };
        auto nearer = [&](const Json &one, const Json &other) { return apart(one) < apart(other); };
        return std::min_element(acts.items.begin(), acts.items.end(), nearer)->raw;
    }

    string play(const Json &view, const Json &acts) const {
        int highest = -1;
        for (int card : trick) highest = std::max(highest, rank(card));
        std::vector<int> cards, takes, loses;
        for (const Json &act : acts.items) cards.push_back(act["play"].integer());
        std::stable_sort(cards.begin(), cards.end(), [&](int one, int other) { return rank(one) < rank(other); });
        for (int card : cards) (rank(card) > highest ? takes : loses).push_back(card);
        const Json &round = view["round"];
        int seat = view["seat"].integer(), chosen = cards.at(0);
        bool wants_none = round["taken"][seat].integer() >= round["declared"][seat].integer();
        bool is_last = int(trick.size()) == players - 1;
        if (wants_none && !loses.empty()) chosen = loses.back();
        if (!wants_none && !takes.empty()) chosen = is_last ? takes.front() : takes.back();
        return "{\"play\":" + std::to_string(chosen) + "}";
    }

    // The highest takes the trick: the first suit is trump, then comes the suit of the first card.
    int rank(int card) const {
        int suit = card / values;
        bool led = !trick.empty() && suit == trick[0] / values;
        return card % values + values * (suit == 0 ? 2 : led ? 1 : 0);
    }

    // The chance that a card takes a trick, as a guess: trumps often do.
    double chance(int card) const {
        double height = double(card % values + 1) / values;
        return card < values ? std::sqrt(height) : std::pow(height, 2 * players);
    }
};

static Plays<Planowanie> plays("planowanie");
