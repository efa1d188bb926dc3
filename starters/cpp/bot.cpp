// Plays Lighthouses: connects what it can, walks to the nearest lighthouse that it can take, and attacks with all it has.
// The conversation is JSON, one object a line; docs/bot-protocol.md describes it.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using std::string;
using Strings = std::vector<string>;

static int width = 1;
static string seat;
static Strings lighthouses;

// Where the JSON text that begins here ends.
static size_t text_end(const string &json, size_t at) {
    for (at++; at < json.size() && json[at] != '"'; at++)
        if (json[at] == '\\') at++;
    return at + 1;
}

// The items of a JSON array, or the fields of an object.
static Strings items(const string &list) {
    Strings found;
    size_t begin = 1;
    int depth = 0;
    for (size_t at = 1; at < list.size(); at++) {
        char letter = list[at];
        if (letter == '"') {
            at = text_end(list, at) - 1;
        } else if (letter == '[' || letter == '{') {
            depth++;
        } else if (depth > 0 && (letter == ']' || letter == '}')) {
            depth--;
        } else if (depth == 0 && (letter == ',' || letter == ']' || letter == '}')) {
            if (at > begin) found.push_back(list.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    return found;
}

// The value of a key of a JSON object, as it is written; empty if there is none.
static string value(const string &object, const string &key) {
    if (object.empty() || object[0] != '{') return "";
    for (const string &field : items(object)) {
        size_t colon = text_end(field, 0);
        if (field.substr(0, colon) == '"' + key + '"') return field.substr(colon + 1);
    }
    return "";
}

static double goodness(const string &act, int here, const std::vector<int> &goals) {
    static std::mt19937 random(1);
    if (!value(act, "connect").empty()) return 3e9;
    string attack = value(act, "attack"), move = value(act, "move");
    if (!attack.empty()) {
        bool wanted = std::find(goals.begin(), goals.end(), here) != goals.end();
        return wanted ? 1e9 + std::stoi(attack) : -1;
    }
    if (move.empty()) return 0;
    int x = here % width + std::stoi(value(move, "dx"));
    int y = here / width + std::stoi(value(move, "dy"));
    double nearest = 1e6;
    for (int goal : goals) {
        int apart = std::max(std::abs(goal % width - x), std::abs(goal / width - y));
        nearest = std::min(nearest, double(apart + (goal == here ? 5 : 0)));
    }
    // Now and then another way: a straight one may end at the water.
    return 2e6 - nearest + std::uniform_real_distribution<double>(0, 3)(random);
}

static string decide(const string &view, const Strings &acts) {
    int here = std::stoi(value(view, "position")), energy = std::stoi(value(view, "energy"));
    Strings beacons = items(value(view, "beacons"));
    std::vector<int> goals;
    for (size_t at = 0; at < lighthouses.size() && at < beacons.size(); at++) {
        bool is_weaker = std::stoi(value(beacons[at], "energy")) < energy;
        if (is_weaker && value(beacons[at], "owner") != seat) goals.push_back(std::stoi(lighthouses[at]));
    }
    string best = "\"pass\"";
    double most = -1;
    for (const string &act : acts) {
        double good = goodness(act, here, goals);
        if (good > most) {
            most = good;
            best = act;
        }
    }
    return best;
}

int main() {
    // std::endl sends each line at once.
    for (string line; std::getline(std::cin, line);) {
        string kind = value(line, "type");
        if (kind == "\"hello\"") {
            std::cout << "{\"type\":\"ready\",\"protocol\":1}" << std::endl;
        } else if (kind == "\"seen\"") {
            Strings begins = items(value(value(line, "event"), "begins"));
            if (begins.size() == 3) {
                width = std::stoi(value(begins[0], "width"));
                lighthouses = items(value(begins[0], "lighthouses"));
                seat = begins[1];
            }
        } else if (kind == "\"ask\"" && value(line, "past") == "false") {
            string act = decide(value(line, "view"), items(value(line, "acts")));
            std::cout << "{\"type\":\"act\",\"number\":" << value(line, "number") << ",\"act\":" << act << "}" << std::endl;
        } else if (kind == "\"refused\"") {
            std::cerr << line << std::endl;
        }
    }
}
