//! Formats of tournaments in words.

use games::text::counted;
use ratings::pairing::Mode;
use ratings::schedule::Format;
use serde_json::Value;

/// A format with its numbers: `round-robin, 2 laps`; the name alone of one that is not known.
pub(super) fn format_words(schedule: &Value) -> String {
    match serde_json::from_value(schedule.clone()) {
        Ok(Format::RoundRobin { laps }) => format!("round-robin, {}", counted(laps, "lap")),
        Ok(Format::Gauntlet { heroes, laps }) => {
            let heroes = match heroes {
                1 => "1 hero".to_owned(),
                many => format!("{many} heroes"),
            };
            format!("gauntlet, {heroes}, {}", counted(laps, "lap"))
        }
        Ok(Format::Swiss { rounds }) => format!("Swiss, {}", counted(rounds, "round")),
        Ok(Format::Groups {
            rounds,
            mode,
            random_rounds,
        }) => {
            let mode = match mode {
                Mode::Spec => format!("{random_rounds} of them drawn, then all paired at once"),
                Mode::Joint => format!("{random_rounds} of them drawn, then paired one by one"),
                Mode::Random => "all drawn".to_owned(),
            };
            format!("groups, {}, {mode}", counted(rounds, "round"))
        }
        Ok(Format::KnockOut { advance: 1 }) => "knock-out, one of a table goes on".to_owned(),
        Ok(Format::KnockOut { advance }) => format!("knock-out, {advance} of a table go on"),
        Err(_) => {
            let name = schedule["format"].as_str().or(schedule.as_str());
            name.unwrap_or("rounds").to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::format_words;
    use serde_json::json;

    #[test]
    fn a_format_is_one_phrase() {
        let groups = |mode: &str| json!({"format": "groups", "rounds": 20, "mode": mode, "random_rounds": 5});
        for (schedule, words) in [
            (
                json!({"format": "round-robin", "laps": 2}),
                "round-robin, 2 laps",
            ),
            (json!({"format": "gauntlet"}), "gauntlet, 1 hero, 1 lap"),
            (
                json!({"format": "gauntlet", "heroes": 2, "laps": 3}),
                "gauntlet, 2 heroes, 3 laps",
            ),
            (json!({"format": "swiss", "rounds": 1}), "Swiss, 1 round"),
            (
                groups("spec"),
                "groups, 20 rounds, 5 of them drawn, then all paired at once",
            ),
            (
                groups("joint"),
                "groups, 20 rounds, 5 of them drawn, then paired one by one",
            ),
            (groups("random"), "groups, 20 rounds, all drawn"),
            (
                json!({"format": "knock-out", "advance": 1}),
                "knock-out, one of a table goes on",
            ),
            (json!({"format": "later", "cups": 1}), "later"),
        ] {
            assert_eq!(format_words(&schedule), words);
        }
    }
}
