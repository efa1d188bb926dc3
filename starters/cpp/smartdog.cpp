// Plays smart-dog: each dog goes to the far side of a sheep, seen from its pen, and barks it home.
#include "drover_bot.h"

#include <algorithm>
#include <cstdlib>
#include <set>

using std::string;
// The numbers of cells.
using Places = std::vector<int>;

static const char *const WAYS[] = {"up", "left", "down", "right"};
static const int DX[] = {0, -1, 0, 1}, DY[] = {-1, 0, 1, 0};

struct SmartDog : Bot {
    int cols = 1, rows = 1;
    string land;
    Places sheep, strays, homes;
    std::set<int> home, taken;

    string decide(const Json &, const Json &view, const Json &) override {
        look(view);
        int radius = view["ground"]["options"]["dogBarkingR"].integer();
        string orders;
        for (const Json &thing : view["seen"].items) {
            const Json &dog = thing["dog"];
            // A dog in panic neither moves nor barks.
            if (dog.is_null() || dog["owner"].raw != view["seat"].raw || dog["action"].is("panic")) continue;
            int here = place(dog["spot"]), goal = strays.empty() || homes.empty() ? -1 : goal_from(here);
            Places free = free_ways(here);
            if (!free.empty() && here != goal) {
                int way = goal < 0 ? wander(dog, view, free) : nearer(here, goal, free);
                orders += ",{\"move\":[" + dog["id"].raw + ",\"" + WAYS[way] + "\"]}";
                here = moved(here, way);
                taken.insert(here);
            }
            int gain = 0;
            for (int at : sheep) gain += apart(here, at) > radius * radius ? 0 : home.count(at) ? -1 : 1;
            // An indignant one moves, but does not bark.
            if (here == goal && dog["action"].is("move") && gain > 0) orders += ",{\"bark\":" + dog["id"].raw + "}";
        }
        return "[" + (orders.empty() ? "" : orders.substr(1)) + "]";
    }

    void look(const Json &view) {
        cols = view["ground"]["torus"]["cols"].integer();
        rows = view["ground"]["torus"]["rows"].integer();
        land = view["ground"]["land"].text();
        sheep.clear(), strays.clear(), homes.clear(), taken.clear();
        for (int at = 0; at < int(land.size()); at++)
            if (land[size_t(at)] == '1' + view["seat"].integer()) homes.push_back(at);
        home = std::set<int>(homes.begin(), homes.end());
        for (const Json &thing : view["seen"].items) {
            if (thing.has("dog")) taken.insert(place(thing["dog"]["spot"]));
            if (!thing.has("sheep")) continue;
            int at = place(thing["sheep"]["spot"]);
            taken.insert(at);
            sheep.push_back(at);
            if (!home.count(at)) strays.push_back(at);
        }
    }

    // Where a bark drives the nearest sheep towards the pen: sheep run straight away from it.
    int goal_from(int here) const {
        int prey = nearest(here, strays), pen = nearest(prey, homes);
        int dx = across(prey, pen), dy = down(prey, pen);
        bool is_across = std::abs(dx) > std::abs(dy);
        return moved(prey, is_across ? (dx > 0 ? 1 : 3) : dy > 0 ? 0 : 2);
    }

    int nearer(int here, int goal, const Places &free) const {
        auto apart_by = [&](int way) { return apart(moved(here, way), goal); };
        return *std::min_element(free.begin(), free.end(), [&](int a, int b) { return apart_by(a) < apart_by(b); });
    }

    // Ten turns the same way, if that is possible.
    int wander(const Json &dog, const Json &view, const Places &free) {
        int way = (dog["id"].integer() + view["turn"].integer() / 10) % 4;
        return std::count(free.begin(), free.end(), way) ? way : free[random() % free.size()];
    }

    Places free_ways(int here) const {
        Places free;
        for (int way = 0; way < 4; way++) {
            char cell = land[size_t(moved(here, way))];
            if (!taken.count(moved(here, way)) && cell != '#' && cell != '^') free.push_back(way);
        }
        return free;
    }

    int nearest(int here, const Places &places) const {
        auto nearer = [&](int one, int other) { return apart(here, one) < apart(here, other); };
        return *std::min_element(places.begin(), places.end(), nearer);
    }

    int place(const Json &spot) const { return spot["y"].integer() * cols + spot["x"].integer(); }

    int moved(int from, int way) const {
        return (from / cols + DY[way] + rows) % rows * cols + (from % cols + DX[way] + cols) % cols;
    }

    // How far it is in a straight line, squared.
    int apart(int one, int other) const {
        int dx = across(one, other), dy = down(one, other);
        return dx * dx + dy * dy;
    }

    // How far it is to the right, and down; round the world's borders if that is shorter.
    int across(int one, int other) const { return (other % cols - one % cols + cols + cols / 2) % cols - cols / 2; }
    int down(int one, int other) const { return (other / cols - one / cols + rows + rows / 2) % rows - rows / 2; }
};

static Plays<SmartDog> plays("smartdog");
