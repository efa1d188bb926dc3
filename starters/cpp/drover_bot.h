// What a bot uses: JSON and a random generator. drover_bot.cpp has the conversation with Drover.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

// A JSON value, as it is written.
struct Json {
    std::string raw = "null";
    // Those of an object's values.
    std::vector<std::string> keys;
    // The values of an array or an object.
    std::vector<Json> items;

    static Json read(const std::string &line);

    // The value of a key; null if there is none.
    const Json &operator[](const char *key) const;
    const Json &operator[](int at) const { return items.at(size_t(at)); }

    bool has(const char *key) const { return &(*this)[key] != &null(); }
    bool is_null() const { return raw == "null"; }
    // Whether it is this word.
    bool is(const char *word) const { return raw == '"' + std::string(word) + '"'; }
    // Of 32 bits and a sign; beyond that it is whole().
    int integer() const { return std::stoi(raw); }
    long long whole() const { return std::stoll(raw); }
    double number() const { return std::stod(raw); }
    std::string text() const;

  private:
    static const Json &null();
};

// What plays a game. A program that is restarted in a match is sent all events and acts again, but not asked again:
// what a bot keeps, it keeps in seen and played.
struct Bot {
    // Seeded by the decision, so that one that is made once more is the same.
    std::mt19937 random;

    virtual ~Bot() = default;
    virtual void begin(const Json &) {}
    virtual void seen(const Json &) {}
    virtual void played(const Json &) {}
    // An act, as JSON.
    virtual std::string decide(const Json &ask, const Json &view, const Json &acts) = 0;
    virtual void end(const Json &) {}
};

// Keeps something, any JSON, for the next match: it is the `note` of that match.
void note(const std::string &about);

// Those who play, by game.
std::map<std::string, std::function<std::unique_ptr<Bot>()>> &bots();

// Enters a bot there: `static Plays<MyBot> plays("planowanie");`
template <class Player> struct Plays {
    explicit Plays(const char *game) {
        bots()[game] = [] { return std::unique_ptr<Bot>(new Player); };
    }
};
