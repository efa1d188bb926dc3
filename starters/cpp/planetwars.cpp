// Plays Planet Wars: every strong planet takes the planet near it that pays best.
#include "drover_bot.h"

#include <cmath>
#include <set>

using std::string;

struct PlanetWars : Bot {
    string decide(const Json &, const Json &view, const Json &) override {
        int you = view["you"].integer();
        std::set<int> aimed;
        for (const Json &fleet : view["fleets"].items)
            if (fleet["owner"].integer() == you) aimed.insert(fleet["to"].integer());
        string launches;
        for (const Json &planet : view["planets"].items) {
            if (planet["owner"].integer() != you) continue;
            double best = 0;
            int target = 0, sent = 0;
            for (const Json &other : view["planets"].items) {
                int owner = other["owner"].integer(), growth = other["growth"].integer(), id = other["id"].integer();
                double dx = planet["x"].number() - other["x"].number(), dy = planet["y"].number() - other["y"].number();
                int turns = int(std::ceil(std::hypot(dx, dy)));
                int ships = other["ships"].integer() + (owner == 0 ? 0 : growth * turns) + 1;
                double pays = (growth + 0.1) / (ships + turns);
                bool fits = owner != you && !aimed.count(id) && ships < planet["ships"].integer();
                if (fits && pays > best) {
                    best = pays;
                    target = id;
                    sent = ships;
                }
            }
            if (best == 0) continue;
            aimed.insert(target);
            launches += (launches.empty() ? "" : ",") + ("{\"from\":" + planet["id"].raw) +
                        ",\"to\":" + std::to_string(target) + ",\"ships\":" + std::to_string(sent) + "}";
        }
        return "{\"launches\":[" + launches + "],\"upgrades\":[],\"message\":null}";
    }
};

static Plays<PlanetWars> plays("planetwars");
