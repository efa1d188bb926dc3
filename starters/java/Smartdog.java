// Plays smart-dog: each dog goes to the far side of a sheep, seen from its pen, and barks it home.

import java.util.ArrayList;
import java.util.List;

class Smartdog extends DroverBot {
    static final String[] WAYS = {"up", "left", "down", "right"};
    static final int[] DX = {0, -1, 0, 1};
    static final int[] DY = {-1, 0, 1, 0};

    // A place is the number of its cell.
    private int cols;
    private int rows;
    private String land;
    private final List<Integer> home = new ArrayList<>();
    private final List<Integer> sheep = new ArrayList<>();
    private final List<Integer> strays = new ArrayList<>();
    private final List<Integer> taken = new ArrayList<>();

    @Override
    String decide(Json ask, Json view, Json acts) {
        look(view);
        String seat = view.get("seat").toString();
        int radius = view.get("ground").get("options").get("dogBarkingR").integer();
        StringBuilder orders = new StringBuilder();
        for (Json thing : view.get("seen").items()) {
            Json dog = thing.get("dog");
            // A dog in panic neither moves nor barks.
            if (dog.isNull() || !dog.get("owner").toString().equals(seat) || dog.get("action").is("panic")) {
                continue;
            }
            int here = place(dog.get("spot"));
            int goal = strays.isEmpty() || home.isEmpty() ? -1 : goal(here);
            int way = here == goal ? -1 : goal < 0 ? wander(dog, view, here) : nearer(here, goal);
            if (way >= 0) {
                orders.append(",{\"move\":[").append(dog.get("id")).append(",\"").append(WAYS[way]).append("\"]}");
                here = moved(here, way);
                taken.add(here);
            }
            int gain = 0;
            for (int place : sheep) {
                gain += apart(here, place) > radius * radius ? 0 : home.contains(place) ? -1 : 1;
            }
            // An indignant one moves, but does not bark.
            if (here == goal && dog.get("action").is("move") && gain > 0) {
                orders.append(",{\"bark\":").append(dog.get("id")).append("}");
            }
        }
        return orders.length() == 0 ? "[]" : "[" + orders.substring(1) + "]";
    }

    private void look(Json view) {
        Json torus = view.get("ground").get("torus");
        cols = torus.get("cols").integer();
        rows = torus.get("rows").integer();
        land = view.get("ground").get("land").text();
        home.clear();
        sheep.clear();
        strays.clear();
        taken.clear();
        for (int at = 0; at < land.length(); at++) {
            if (land.charAt(at) == '1' + view.get("seat").integer()) {
                home.add(at);
            }
        }
        for (Json thing : view.get("seen").items()) {
            if (thing.has("dog")) {
                taken.add(place(thing.get("dog").get("spot")));
            } else if (thing.has("sheep")) {
                int place = place(thing.get("sheep").get("spot"));
                taken.add(place);
                sheep.add(place);
                if (!home.contains(place)) {
                    strays.add(place);
                }
            }
        }
    }

    /** Where a bark drives the nearest sheep towards the pen: sheep run straight away from it. */
    private int goal(int here) {
        int prey = nearest(here, strays), pen = nearest(prey, home);
        int dx = across(prey, pen), dy = down(prey, pen);
        boolean isAcross = Math.abs(dx) > Math.abs(dy);
        return moved(prey, isAcross ? (dx > 0 ? 1 : 3) : dy > 0 ? 0 : 2);
    }

    /** The way to a free place that is nearest to the goal; -1 if there is none. */
    private int nearer(int here, int goal) {
        int best = -1;
        for (int way : free(here)) {
            if (best < 0 || apart(moved(here, way), goal) < apart(moved(here, best), goal)) {
                best = way;
            }
        }
        return best;
    }

    /** Ten turns the same way, if that is possible. */
    private int wander(Json dog, Json view, int here) {
        List<Integer> free = free(here);
        int way = (dog.get("id").integer() + view.get("turn").integer() / 10) % WAYS.length;
        if (free.isEmpty() || free.contains(way)) {
            return free.isEmpty() ? -1 : way;
        }
        return free.get(random.nextInt(free.size()));
    }

    private List<Integer> free(int here) {
        List<Integer> free = new ArrayList<>();
        for (int way = 0; way < WAYS.length; way++) {
            int to = moved(here, way);
            if (!taken.contains(to) && "#^".indexOf(land.charAt(to)) < 0) {
                free.add(way);
            }
        }
        return free;
    }

    private int nearest(int here, List<Integer> places) {
        int best = places.get(0);
        for (int place : places) {
            best = apart(here, place) < apart(here, best) ? place : best;
        }
        return best;
    }

    private int place(Json spot) {
        return spot.get("y").integer() * cols + spot.get("x").integer();
    }

    private int moved(int place, int way) {
        int x = (place % cols + DX[way] + cols) % cols, y = (place / cols + DY[way] + rows) % rows;
        return y * cols + x;
    }

    /** How far it is in a straight line, squared. */
    private int apart(int one, int other) {
        int dx = across(one, other), dy = down(one, other);
        return dx * dx + dy * dy;
    }

    /** How far it is to the right, and down; round the world's borders if that is shorter. */
    private int across(int one, int other) {
        return (other % cols - one % cols + cols + cols / 2) % cols - cols / 2;
    }

    private int down(int one, int other) {
        return (other / cols - one / cols + rows + rows / 2) % rows - rows / 2;
    }
}
