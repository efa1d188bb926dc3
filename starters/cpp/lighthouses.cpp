// Plays Lighthouses: walks to the nearest lighthouse that it can take, takes it, and connects what it can.
#include "drover_bot.h"

#include <deque>
#include <map>
#include <set>

using std::string;

struct Lighthouses : Bot {
    string seat, island;
    int width = 0;
    std::vector<int> lighthouses;

    // Keeps the chart. A restarted program is sent it again.
    void seen(const Json &event) override {
        if (!event.has("begins")) return;
        const Json &chart = event["begins"][0];
        seat = event["begins"][1].raw;
        width = chart["width"].integer();
        for (const Json &row : chart["rows"].items) island += row.text();
        for (const Json &cell : chart["lighthouses"].items) lighthouses.push_back(cell.integer());
    }

    string decide(const Json &ask, const Json &view, const Json &acts) override {
        if (ask.is("prepare")) return "\"pass\"";
        int here = view["position"].integer(), energy = view["energy"].integer();
        // The energy of a lighthouse that can be taken here; none if it is negative.
        int weakest = -1;
        std::set<int> goals;
        for (size_t at = 0; at < lighthouses.size(); at++) {
            const Json &beacon = view["beacons"][int(at)];
            if (beacon["owner"].raw == seat || beacon["energy"].integer() >= energy) continue;
            if (lighthouses[at] == here)
                weakest = beacon["energy"].integer();
            else
                goals.insert(lighthouses[at]);
        }
        std::map<int, int> there;
        for (const Json &seen : view["seen"].items) there[seen[0].integer()] = seen[1].integer();
        int next = step(here, goals);
        string best = "\"pass\"";
        long most = -1;
        for (const Json &act : acts.items) {
            long good = -1;
            if (act.has("connect")) return act.raw;
            if (act.has("attack") && weakest >= 0 && act["attack"].integer() > weakest)
                good = (1L << 40) + act["attack"].integer();
            if (act.has("move")) {
                // A step on the way is best, then one to where energy lies.
                int to = here + act["move"]["dy"].integer() * width + act["move"]["dx"].integer();
                good = to == next ? 1L << 39 : there[to];
            }
            if (good > most) {
                most = good;
                best = act.raw;
            }
        }
        return best;
    }

    // The first step of a shortest way to one of these cells; -1 if there is none.
    int step(int here, const std::set<int> &goals) const {
        std::vector<int> first(island.size(), -1);
        first.at(size_t(here)) = here;
        std::deque<int> waiting{here};
        for (; !waiting.empty(); waiting.pop_front()) {
            int cell = waiting.front();
            if (goals.count(cell)) return first[size_t(cell)];
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    // The island has water all around it.
                    size_t to = size_t(cell + dy * width + dx);
                    if (island[to] != '#' || first[to] >= 0) continue;
                    first[to] = cell == here ? int(to) : first[size_t(cell)];
                    waiting.push_back(int(to));
                }
            }
        }
        return -1;
    }
};

static Plays<Lighthouses> plays("lighthouses");
