// The conversation with Drover: JSON, one object a line. docs/bot-protocol.md describes it.
#include "drover_bot.h"

#include <cctype>
#include <cstring>
#include <iostream>
#include <stdexcept>

using std::string;

// Bytes of a line, and values within values, at most.
static const size_t LINE_BYTES_MAX = 64 << 20;
static const int DEPTH_MAX = 64;

// The next letter that is no space, from here; 0 at the end.
static char peek(const string &line, size_t &at) {
    while (at < line.size() && isspace((unsigned char)line[at])) at++;
    return at < line.size() ? line[at] : '\0';
}

static void expect(const string &line, size_t &at, char letter) {
    if (peek(line, at) != letter) throw std::runtime_error("no JSON: " + line);
    at++;
}

// Reads the value that begins here, and goes behind it.
static Json value(const string &line, size_t &at, int depth) {
    Json read;
    char first = peek(line, at);
    size_t begin = at;
    if (depth > DEPTH_MAX) throw std::runtime_error("JSON that is too deep");
    if (first == '{' || first == '[') {
        char last = first == '{' ? '}' : ']';
        for (at++; peek(line, at) != last;) {
            if (!read.items.empty()) expect(line, at, ',');
            if (first == '{') {
                read.keys.push_back(value(line, at, depth + 1).text());
                expect(line, at, ':');
            }
            read.items.push_back(value(line, at, depth + 1));
        }
        at++;
    } else if (first == '"') {
        for (at++; at < line.size() && line[at] != '"'; at++)
            if (line[at] == '\\') at++;
        expect(line, at, '"');
    } else {
        // A number, true, false or null.
        while (at < line.size() && !strchr(",:]}\" \t\r", line[at])) at++;
        if (at == begin) throw std::runtime_error("no JSON: " + line);
    }
    read.raw = line.substr(begin, at - begin);
    return read;
}

Json Json::read(const string &line) {
    size_t at = 0;
    Json read = value(line, at, 0);
    if (peek(line, at) != '\0') throw std::runtime_error("no JSON: " + line);
    return read;
}

const Json &Json::null() {
    static const Json null;
    return null;
}

const Json &Json::operator[](const char *key) const {
    for (size_t at = 0; at < keys.size(); at++)
        if (keys[at] == key) return items[at];
    return null();
}

// Four hexadecimal digits.
static unsigned hexadecimal(const string &raw, size_t at) {
    return unsigned(std::stoul(raw.substr(at, 4), nullptr, 16));
}

// A character in UTF-8.
static string utf8(unsigned code) {
    if (code < 0x80) return {char(code)};
    if (code < 0x800) return {char(0xC0 | code >> 6), char(0x80 | (code & 63))};
    string rest = {char(0x80 | (code >> 6 & 63)), char(0x80 | (code & 63))};
    if (code < 0x10000) return char(0xE0 | code >> 12) + rest;
    return string{char(0xF0 | code >> 18), char(0x80 | (code >> 12 & 63))} + rest;
}

string Json::text() const {
    string text;
    for (size_t at = 1; at + 1 < raw.size(); at++) {
        const char *known = "b\bf\fn\nr\rt\t";
        if (raw[at] != '\\') {
            text += raw[at];
        } else if (raw[++at] == 'u') {
            unsigned code = hexadecimal(raw, at + 1);
            at += 4;
            // Two halves of a character beyond 16 bits.
            if (code >> 10 == 0xD800 >> 10 && raw.compare(at + 1, 2, "\\u") == 0) {
                code = 0x10000 + ((code & 0x3FF) << 10) + (hexadecimal(raw, at + 3) & 0x3FF);
                at += 6;
            }
            text += utf8(code);
        } else {
            const char *found = strchr(known, raw[at]);
            text += found && isalpha((unsigned char)raw[at]) ? found[1] : raw[at];
        }
    }
    return text;
}

std::map<string, std::function<std::unique_ptr<Bot>()>> &bots() {
    static std::map<string, std::function<std::unique_ptr<Bot>()>> bots;
    return bots;
}

// std::endl sends each line at once.
static void say(const string &line) { std::cout << line << std::endl; }

void note(const string &about) { say("{\"type\":\"note\",\"note\":" + about + "}"); }

static void receive(Bot &bot, const Json &line) {
    const Json &kind = line["type"];
    if (kind.is("match")) bot.begin(line);
    if (kind.is("seen")) bot.seen(line["event"]);
    if (kind.is("played")) bot.played(line["act"]);
    if (kind.is("ask") && line["past"].raw == "false") {
        const Json &number = line["number"];
        bot.random.seed(unsigned(number.integer()));
        string act = bot.decide(line["ask"], line["view"], line["acts"]);
        say("{\"type\":\"act\",\"number\":" + number.raw + ",\"act\":" + act + "}");
    }
    if (kind.is("refused")) std::cerr << "refused: " << line["why"].text() << std::endl;
    if (kind.is("end")) bot.end(line);
}

static bool read_line(string &line) {
    line.clear();
    for (int letter; (letter = std::cin.get()) != EOF && letter != '\n';) {
        line += char(letter);
        if (line.size() > LINE_BYTES_MAX) throw std::runtime_error("the line is too long");
    }
    return !std::cin.eof();
}

int main() {
    std::ios::sync_with_stdio(false);
    try {
        std::unique_ptr<Bot> bot;
        for (string line; read_line(line);) {
            Json message = Json::read(line);
            if (message["type"].is("hello")) {
                string game = message["game"].text();
                auto maker = bots().find(game);
                if (maker == bots().end()) throw std::runtime_error("there is no bot for " + game + " here");
                bot = maker->second();
                say("{\"type\":\"ready\",\"protocol\":1}");
            } else if (bot) {
                receive(*bot, message);
            }
        }
    } catch (const std::exception &why) {
        std::cerr << why.what() << std::endl;
        return 1;
    }
}
