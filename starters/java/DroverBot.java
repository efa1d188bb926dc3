// The conversation with Drover: JSON, one object a line. docs/bot-protocol.md describes it.

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What plays a game: the class that is named like it. A program that is restarted in a match is sent all events and
 * acts again, but not asked again: what a bot keeps, it keeps in seen and played.
 */
public abstract class DroverBot {
    /** Seeded by the decision, so that one that is made once more is the same. */
    final Random random = new Random();

    void begin(Json match) {}

    void seen(Json event) {}

    void played(Json act) {}

    /** An act, as JSON. */
    abstract String decide(Json ask, Json view, Json acts);

    void end(Json result) {}

    /** How often the example of a game is played before the match, and for how long: what Java runs first is slow. */
    private static final int WARM_UP = 20;
    private static final long WARM_UP_NS = 500_000_000;
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private static boolean isWarm = false;
    private static DroverBot bot;

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        // The heap (-Xmx) bounds a line.
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Json message = Json.read(line);
            if (message.get("type").is("hello")) {
                prepare(message.get("game").text());
            } else {
                receive(message);
            }
        }
    }

    private static void prepare(String game) throws Exception {
        Class<?> plays;
        try {
            plays = Class.forName(game.substring(0, 1).toUpperCase() + game.substring(1));
        } catch (ClassNotFoundException none) {
            System.err.println("there is no bot for " + game + " here");
            System.exit(1);
            return;
        }
        Path example = Path.of(game + ".jsonl");
        List<String> lines = Files.exists(example) ? Files.readAllLines(example) : List.of();
        long begin = System.nanoTime();
        for (int round = 0; round < WARM_UP && !isWarm; round++) {
            bot = (DroverBot) plays.getDeclaredConstructor().newInstance();
            for (String line : lines) {
                if (System.nanoTime() - begin < WARM_UP_NS) {
                    receive(Json.read(line));
                }
            }
        }
        isWarm = true;
        bot = (DroverBot) plays.getDeclaredConstructor().newInstance();
        say("{\"type\":\"ready\",\"protocol\":1}");
    }

    private static void receive(Json message) {
        switch (message.get("type").text()) {
            case "match":
                bot.begin(message);
                break;
            case "seen":
                bot.seen(message.get("event"));
                break;
            case "played":
                bot.played(message.get("act"));
                break;
            case "ask":
                if (message.get("past").is(false)) {
                    Json number = message.get("number");
                    bot.random.setSeed(number.integer());
                    String act = bot.decide(message.get("ask"), message.get("view"), message.get("acts"));
                    say("{\"type\":\"act\",\"number\":" + number + ",\"act\":" + act + "}");
                }
                break;
            case "refused":
                System.err.println("refused: " + message.get("why").text());
                break;
            case "end":
                bot.end(message);
                break;
        }
    }

    /** Sends a line. */
    private static void say(String line) {
        if (isWarm) {
            OUT.println(line);
        }
    }

    /** Keeps something, any JSON, for the next match: it is the `note` of that match. */
    static void note(String about) {
        say("{\"type\":\"note\",\"note\":" + about + "}");
    }

    /** A JSON value, as it is written. */
    static final class Json {
        /** Values within values at most. */
        private static final int DEPTH_MAX = 64;
        private static final Json NULL = new Json();

        private String raw = "null";
        private final List<String> keys = new ArrayList<>();
        private final List<Json> items = new ArrayList<>();

        static Json read(String line) {
            Reader reader = new Reader(line);
            Json value = reader.value(0);
            if (reader.skip() < line.length()) {
                throw reader.wrong();
            }
            return value;
        }

        /** The value of a key; null if there is none. */
        Json get(String key) {
            int at = keys.indexOf(key);
            return at < 0 ? NULL : items.get(at);
        }

        Json get(int at) {
            return items.get(at);
        }

        boolean has(String key) {
            return keys.contains(key);
        }

        /** The names of an object's values. */
        List<String> keys() {
            return keys;
        }

        /** The values of an array or an object. */
        List<Json> items() {
            return items;
        }

        boolean isNull() {
            return raw.equals("null");
        }

        /** Whether it is this word; words of the protocol have nothing escaped. */
        boolean is(String text) {
            return raw.length() == text.length() + 2 && raw.startsWith(text, 1) && raw.charAt(0) == '"';
        }

        boolean is(boolean truth) {
            return raw.equals(truth ? "true" : "false");
        }

        /** Of 32 bits and a sign; beyond that it is whole(). */
        int integer() {
            return Integer.parseInt(raw);
        }

        long whole() {
            return Long.parseLong(raw);
        }

        double number() {
            return Double.parseDouble(raw);
        }

        String text() {
            StringBuilder text = new StringBuilder();
            for (int at = 1; at < raw.length() - 1; at++) {
                char letter = raw.charAt(at);
                if (letter == '\\') {
                    letter = raw.charAt(++at);
                    int known = "bfnrt".indexOf(letter);
                    if (letter == 'u') {
                        letter = (char) Integer.parseInt(raw.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else if (known >= 0) {
                        letter = "\b\f\n\r\t".charAt(known);
                    }
                }
                text.append(letter);
            }
            return text.toString();
        }

        /** As it was written. */
        @Override
        public String toString() {
            return raw;
        }

        private static final class Reader {
            private final String line;
            private int at = 0;

            Reader(String line) {
                this.line = line;
            }

            Json value(int depth) {
                if (depth > DEPTH_MAX) {
                    throw wrong();
                }
                Json value = new Json();
                int begin = skip();
                char first = peek();
                if (first == '{' || first == '[') {
                    at++;
                    char last = first == '{' ? '}' : ']';
                    while (peek() != last) {
                        if (!value.items.isEmpty()) {
                            expect(',');
                        }
                        if (first == '{') {
                            value.keys.add(value(depth + 1).text());
                            expect(':');
                        }
                        value.items.add(value(depth + 1));
                    }
                    at++;
                } else if (first == '"') {
                    for (at++; letter() != '"'; at++) {
                        if (letter() == '\\') {
                            at++;
                        }
                    }
                    at++;
                } else {
                    // A number, true, false or null.
                    while (at < line.length() && ",:]}\" \t\r".indexOf(letter()) < 0) {
                        at++;
                    }
                    if (at == begin) {
                        throw wrong();
                    }
                }
                value.raw = line.substring(begin, at);
                return value;
            }

            int skip() {
                while (at < line.length() && line.charAt(at) <= ' ') {
                    at++;
                }
                return at;
            }

            char letter() {
                if (at >= line.length()) {
                    throw wrong();
                }
                return line.charAt(at);
            }

            char peek() {
                skip();
                return letter();
            }

            void expect(char letter) {
                if (peek() != letter) {
                    throw wrong();
                }
                at++;
            }

            IllegalArgumentException wrong() {
                return new IllegalArgumentException("no JSON at letter " + at + " of " + line);
            }
        }
    }
}
