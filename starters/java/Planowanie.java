// Plays Planowanie: declares its high cards, takes tricks until it has as many, and then throws its high cards away.

import java.util.List;

class Planowanie extends DroverBot {
    private int values;
    private int players;
    private List<Json> trick;

    @Override
    String decide(Json ask, Json view, Json acts) {
        values = view.get("game").get("deck").get("values").text().length();
        players = view.get("game").get("players").integer();
        trick = view.get("round").get("trick").items();
        return ask.is("declare") ? declare(view, acts) : play(view, acts);
    }

    private String declare(Json view, Json acts) {
        double tricks = 0;
        for (Json card : view.get("hand").items()) {
            tricks += chance(card.integer());
        }
        Json best = acts.get(0);
        for (Json act : acts.items()) {
            double apart = Math.abs(act.get("declare").integer() - tricks);
            if (apart < Math.abs(best.get("declare").integer() - tricks)) {
                best = act;
            }
        }
        return best.toString();
    }

    private String play(Json view, Json acts) {
        int highest = -1;
        for (Json card : trick) {
            highest = Math.max(highest, rank(card.integer()));
        }
        // The lowest card; the lowest and highest that take the trick; the highest that does not.
        int low = -1, takesLow = -1, takesHigh = -1, losesHigh = -1;
        for (Json act : acts.items()) {
            int card = act.get("play").integer();
            low = low < 0 || rank(card) < rank(low) ? card : low;
            if (rank(card) < highest) {
                losesHigh = losesHigh < 0 || rank(card) >= rank(losesHigh) ? card : losesHigh;
            } else {
                takesLow = takesLow < 0 || rank(card) < rank(takesLow) ? card : takesLow;
                takesHigh = takesHigh < 0 || rank(card) >= rank(takesHigh) ? card : takesHigh;
            }
        }
        Json round = view.get("round");
        int seat = view.get("seat").integer();
        boolean wantsNone = round.get("taken").get(seat).integer() >= round.get("declared").get(seat).integer();
        boolean isLast = trick.size() == players - 1;
        int chosen = wantsNone ? losesHigh : isLast ? takesLow : takesHigh;
        return "{\"play\":" + (chosen < 0 ? low : chosen) + "}";
    }

    /** The highest takes the trick: the first suit is trump, then comes the suit of the first card. */
    private int rank(int card) {
        int suit = card / values;
        boolean led = !trick.isEmpty() && suit == trick.get(0).integer() / values;
        return card % values + values * (suit == 0 ? 2 : led ? 1 : 0);
    }

    /** The chance that a card takes a trick, as a guess: trumps often do. */
    private double chance(int card) {
        double height = (card % values + 1.0) / values;
        return card < values ? Math.sqrt(height) : Math.pow(height, 2 * players);
    }
}
