// Plays Lighthouses: walks to the nearest lighthouse that it can take, takes it, and connects what it can.

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

class Lighthouses extends DroverBot {
    private String seat;
    private int width;
    private String island = "";
    private Json lighthouses;

    /** Keeps the chart. A restarted program is sent it again. */
    @Override
    void seen(Json event) {
        if (!event.has("begins")) {
            return;
        }
        Json chart = event.get("begins").get(0);
        seat = event.get("begins").get(1).toString();
        width = chart.get("width").integer();
        lighthouses = chart.get("lighthouses");
        for (Json row : chart.get("rows").items()) {
            island += row.text();
        }
    }

    @Override
    String decide(Json ask, Json view, Json acts) {
        if (ask.is("prepare")) {
            return "\"pass\"";
        }
        int here = view.get("position").integer();
        // The energy of a lighthouse that can be taken here; none if it is negative.
        int weakest = -1;
        Set<Integer> goals = new HashSet<>();
        for (int at = 0; at < lighthouses.items().size(); at++) {
            Json beacon = view.get("beacons").get(at);
            int cell = lighthouses.get(at).integer(), energy = beacon.get("energy").integer();
            if (!beacon.get("owner").toString().equals(seat) && energy < view.get("energy").integer()) {
                if (cell == here) {
                    weakest = energy;
                } else {
                    goals.add(cell);
                }
            }
        }
        int step = step(here, goals);
        Map<Integer, Integer> energy = new HashMap<>();
        for (Json seen : view.get("seen").items()) {
            energy.put(seen.get(0).integer(), seen.get(1).integer());
        }
        String best = "\"pass\"";
        long most = -1;
        for (Json act : acts.items()) {
            long good = -1;
            if (act.has("connect")) {
                return act.toString();
            } else if (act.has("attack") && weakest >= 0 && act.get("attack").integer() > weakest) {
                good = (1L << 40) + act.get("attack").integer();
            } else if (act.has("move")) {
                // A step on the way is best, then one to where energy lies.
                Json move = act.get("move");
                int to = here + move.get("dy").integer() * width + move.get("dx").integer();
                good = to == step ? 1L << 39 : energy.getOrDefault(to, 0);
            }
            if (good > most) {
                most = good;
                best = act.toString();
            }
        }
        return best;
    }

    /** The first step of a shortest way to one of these cells; -1 if there is none. */
    private int step(int here, Set<Integer> goals) {
        int[] first = new int[island.length()];
        Arrays.fill(first, -1);
        first[here] = here;
        ArrayDeque<Integer> waiting = new ArrayDeque<>();
        waiting.add(here);
        while (!waiting.isEmpty()) {
            int cell = waiting.remove();
            if (goals.contains(cell)) {
                return first[cell];
            }
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    int to = cell + dy * width + dx;
                    // The island has water all around it.
                    if (island.charAt(to) == '#' && first[to] < 0) {
                        first[to] = cell == here ? to : first[cell];
                        waiting.add(to);
                    }
                }
            }
        }
        return -1;
    }
}
