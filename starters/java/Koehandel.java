// Plays Koehandel: bids up to what an animal is worth to it, pays with little change, and auctions.

class Koehandel extends DroverBot {
    /** Of four, by animal, A to J. */
    static final int[] VALUES = {10, 40, 90, 160, 250, 350, 500, 650, 800, 1000};
    static final int[] COINS = {0, 10, 50, 100, 200, 500};

    @Override
    String decide(Json ask, Json view, Json acts) {
        if (ask.is("turn")) {
            for (Json act : acts.items()) {
                if (act.is("auction")) {
                    return act.toString();
                }
            }
            return acts.get(0).toString();
        }
        String kind = ask.keys().get(0);
        Json about = ask.get(kind);
        switch (kind) {
            case "bid":
                return bid(acts, limit(about.get("card"), view));
            case "pre_empt":
                return "{\"amount\":null}";
            case "pay":
                return nearest(acts, 0);
            default:
                // A trade: what the animals are worth, or as near as the acts come.
                return nearest(acts, limit(about.get("animal"), view) * about.get("count").integer());
        }
    }

    /** What a card is worth: more, the more of its kind are here, and never more than half of the money. */
    static double limit(Json card, Json view) {
        int animal = card.text().charAt(0) - 'A';
        int have = view.get("herds").get(0).get(animal).integer();
        return Math.min(VALUES[animal] * (1 + have) * 0.3, worth(view.get("purse")) * 0.5);
    }

    static int worth(Json cards) {
        int sum = 0;
        for (int at = 0; at < COINS.length; at++) {
            sum += cards.get(at).integer() * COINS[at];
        }
        return sum;
    }

    /** The lowest bid, if it is within the limit. */
    static String bid(Json acts, double limit) {
        int lowest = Integer.MAX_VALUE;
        for (Json act : acts.items()) {
            if (!act.get("amount").isNull()) {
                lowest = Math.min(lowest, act.get("amount").integer());
            }
        }
        return "{\"amount\":" + (lowest <= limit ? lowest : null) + "}";
    }

    /** The act with cards whose worth is nearest to this. */
    static String nearest(Json acts, double goal) {
        String best = acts.get(0).toString();
        double least = Double.MAX_VALUE;
        for (Json act : acts.items()) {
            // Accepting has no cards.
            if (act.get("cards").is("missing")) {
                continue;
            }
            double apart = Math.abs(worth(act.get("cards").get("cards")) - goal);
            if (apart < least) {
                least = apart;
                best = act.toString();
            }
        }
        return best;
    }
}
