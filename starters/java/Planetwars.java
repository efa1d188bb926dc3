// Plays Planet Wars: every strong planet takes the planet near it that pays best.

import java.util.HashSet;
import java.util.List;
import java.util.Set;

class Planetwars extends DroverBot {
    @Override
    String decide(Json ask, Json view, Json acts) {
        List<Json> planets = view.get("planets").items();
        int you = view.get("you").integer();
        Set<Integer> aimed = new HashSet<>();
        for (Json fleet : view.get("fleets").items()) {
            if (fleet.get("owner").integer() == you) {
                aimed.add(fleet.get("to").integer());
            }
        }
        StringBuilder launches = new StringBuilder();
        for (Json planet : planets) {
            if (planet.get("owner").integer() != you) {
                continue;
            }
            double best = 0;
            int target = 0, sent = 0;
            for (Json other : planets) {
                int owner = other.get("owner").integer(), growth = other.get("growth").integer();
                double dx = planet.get("x").number() - other.get("x").number();
                double dy = planet.get("y").number() - other.get("y").number();
                int turns = (int) Math.ceil(Math.sqrt(dx * dx + dy * dy));
                int ships = other.get("ships").integer() + (owner == 0 ? 0 : growth * turns) + 1;
                double pays = (growth + 0.1) / (ships + turns);
                boolean fits = owner != you && !aimed.contains(other.get("id").integer());
                if (fits && ships < planet.get("ships").integer() && pays > best) {
                    best = pays;
                    target = other.get("id").integer();
                    sent = ships;
                }
            }
            if (best > 0) {
                aimed.add(target);
                launches.append(launches.length() == 0 ? "" : ",");
                launches.append("{\"from\":").append(planet.get("id")).append(",\"to\":").append(target);
                launches.append(",\"ships\":").append(sent).append("}");
            }
        }
        return "{\"launches\":[" + launches + "],\"upgrades\":[],\"message\":null}";
    }
}
