//! Figures in words: what rows become on pages.

use crate::api::matches::MatchShown;
use crate::chart::{minus, short};
use crate::history::public_spec;
use crate::replay::{MEASURED_MS, seat_names};
use crate::store::{Place, SeatRow};
use games::scene::Names;
use games::sentence::listed;
use games::text::counted;
use games::{Cause, Part, Participation};
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

/// The most letters of a value that is no figure.
const VALUE_LEN_MAX: usize = 240;

/// Why something is not shown.
pub(super) const WITHHELD: &str = "What a seat knows is its owner's while the match runs. \
     Everybody can read it some time after the end.";

/// A share that was seen less often has no interval on pages: it would go from about 0 to 100 %.
pub(super) const INTERVAL_MIN: u64 = 10;
/// What stands there instead.
pub(super) const TOO_FEW: &str = "too few results";

/// A moment: as machines read it, and as people do.
pub(super) struct When {
    pub(super) iso: String,
    pub(super) text: String,
}

/// A moment, to the second.
pub(super) fn when(at: Timestamp) -> When {
    When {
        iso: at.to_string(),
        text: at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
    }
}

/// The same to the millisecond, without its day.
pub(super) fn clock_time(at: Timestamp) -> When {
    When {
        iso: at.to_string(),
        text: at.strftime("%H:%M:%S%.3f").to_string(),
    }
}

/// Who sits on a seat: the name there, or the bot where the seat is not known.
pub(super) fn seated(names: &Names, seat: Option<u8>, bot: &str) -> String {
    match seat {
        Some(seat) => names.name(seat.into()),
        None => player(bot).to_owned(),
    }
}

/// What people call the game of this name.
pub(super) fn title(game: &str) -> &str {
    games::find(game).map_or(game, |kit| kit.card().title)
}

/// How long something took, or has taken so far.
pub(super) fn lasted(from: Timestamp, to: Timestamp) -> String {
    let ms = to.as_millisecond().saturating_sub(from.as_millisecond());
    let ms = ms.max(0);
    let seconds = ms / 1_000;
    match seconds {
        0 if ms < 100 => "< 0.1 s".to_owned(),
        ..10 => format!("{}.{} s", seconds, ms % 1_000 / 100),
        10..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3_600..172_800 => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// A duration in words.
pub(super) fn spell(time: Duration) -> String {
    let start = Timestamp::UNIX_EPOCH;
    lasted(start, start.saturating_add(time).unwrap_or(Timestamp::MAX))
}

/// Milliseconds in the unit that suits them.
pub(super) fn millis(ms: f64) -> String {
    match (ms * 1e3).round() as u64 {
        0 => "< 1 µs".to_owned(),
        us @ 1..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{ms:.1} ms"),
        10_000..1_000_000 => format!("{ms:.0} ms"),
        _ => format!("{:.1} s", ms / 1e3),
    }
}

/// How long an answer, or a part of it, took, in milliseconds. In matches within one process answers follow at once.
pub(super) fn answer_time(ms: f64) -> String {
    match ms < MEASURED_MS {
        true => format!("< {}", millis(MEASURED_MS)),
        false => millis(ms),
    }
}

/// Bytes in the unit that suits them.
pub(super) fn bytes(count: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let mut shown = (count, "bytes");
    for unit in units {
        shown.1 = unit;
        if shown.0 < 1_000.0 {
            break;
        }
        shown.0 /= 1_000.0;
    }
    format!(
        "{:.*} {}",
        usize::from(shown.0 < 10.0 && shown.1 != "bytes"),
        shown.0,
        shown.1
    )
}

/// Why a match ended, in words.
pub(super) fn cause(cause: Cause) -> String {
    match cause {
        Cause::Normal => "played to its end".to_owned(),
        cause => cause.word().replace('_', " "),
    }
}

/// Who plays by this spec: the bot's name, or the spec without what may hold secrets.
pub(super) fn player(spec: &str) -> &str {
    match spec.strip_prefix("builtin:") {
        Some(bot) => bot,
        None if spec.is_empty() => "unknown",
        None => spec,
    }
}

/// The built-in bot that plays on a seat, behind an address, too; `None` if none does or that is not known.
pub(super) fn built_in<'a>(game: &str, seat: &'a SeatRow) -> Option<&'a str> {
    let known = seat.bot.as_deref().map(player);
    let bot = known.or_else(|| seat.spec.strip_prefix("builtin:"))?;
    let bots = games::find(game)?.card().bots;
    bots.iter().any(|card| card.name == bot).then_some(bot)
}

/// A number where there is one.
pub(super) fn or_none(number: Option<u8>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Where on a match's page an entry of a transcript stands.
pub(super) fn evidence(session: i64, entry: i64) -> String {
    format!("?tab=transcript&session={session}&entry={entry}#e{entry}")
}

/// To the replay at a seat's entry.
pub(super) fn replay(entry: i64, seat: Option<u8>) -> String {
    format!("?entry={entry}&seat={}#replay", or_none(seat))
}

/// A figure with as many decimals as say something.
pub(super) fn figure(number: f64) -> String {
    let text = match number.abs() {
        ..1.0 => format!("{number:.3}"),
        1.0..100.0 => format!("{number:.2}"),
        _ => format!("{number:.0}"),
    };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A mean score with two decimals, halves rounded up.
pub(super) fn mean_score(mean: f64) -> String {
    minus(format!("{:.2}", (100.0 * mean + 0.5).floor() / 100.0))
}

/// A share as per cent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", 100.0 * share)
}

/// A share that is not nothing as per cent, however small.
pub(super) fn small_percent(share: f64) -> String {
    match share < 1e-3 {
        true => "< 0.1\u{a0}%".to_owned(),
        false => percent(share),
    }
}

/// An interval of shares as per cent.
pub(super) fn range(low: f64, high: f64) -> String {
    format!("{:.1}–{}", 100.0 * low, percent(high))
}

/// The 95 % interval of a share as per cent, where it was seen often enough to say something.
pub(super) fn interval(low: f64, high: f64, seen: u64) -> String {
    match seen {
        INTERVAL_MIN.. => range(low, high),
        _ => TOO_FEW.to_owned(),
    }
}

/// A value of a game's own, on one line.
pub(super) fn value(value: &Value) -> String {
    let text = match value {
        Value::Null => "–".to_owned(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.as_f64().map_or_else(String::new, figure),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => fields_of(fields),
    };
    short(&text, VALUE_LEN_MAX)
}

fn fields_of(fields: &serde_json::Map<String, Value>) -> String {
    let fields = fields
        .iter()
        .filter(|(_, field)| !field.is_null())
        .map(|(name, field)| format!("{} {}", name.replace('_', " "), value(field)));
    fields.collect::<Vec<_>>().join(", ")
}

/// A match on one line of a list.
pub(super) struct MatchLine {
    pub(super) id: String,
    pub(super) game: String,
    /// Its place in a tournament, once it has ended in one.
    pub(super) tournament: Option<Place>,
    pub(super) started: When,
    pub(super) live: bool,
    /// How long it took or has taken.
    pub(super) took: String,
    /// Why it ended, in words.
    pub(super) end: String,
    /// Whether it ended as it should.
    pub(super) well: bool,
    /// How it is over if nobody won, in words; else empty.
    pub(super) result: String,
    pub(super) seats: Vec<SeatLine>,
    /// Where it stands for several matches of a tournament: what is said of them in place of seats.
    pub(super) folded: Option<Folded>,
}

/// What a line says of several matches of a tournament.
pub(super) struct Folded {
    /// To them.
    pub(super) link: String,
    /// How many there are, in words.
    pub(super) count: String,
    /// Their rounds, and who won the tournament.
    pub(super) about: String,
}

impl MatchLine {
    /// What people call its game.
    pub(super) fn title(&self) -> &str {
        title(&self.game)
    }
}

/// A seat in such a line.
#[derive(Default)]
pub(super) struct SeatLine {
    pub(super) seat: u8,
    /// The class of its colour.
    pub(super) colour: &'static str,
    pub(super) name: String,
    /// What plays, if that is not the name.
    pub(super) bot: String,
    /// The built-in bot, if it is one.
    pub(super) builtin: Option<String>,
    /// Its score in the game's words; empty while it is not known.
    pub(super) score: String,
    /// `won`, `tied`, `lost`, or empty while it is not known.
    pub(super) outcome: &'static str,
    pub(super) blamed: bool,
    /// What went wrong with its part, such as `crashed at turn 12`, and how it showed; empty if it played.
    pub(super) part: String,
    pub(super) part_detail: String,
    /// How many of its decisions its fallback took, in words; empty: none, or that is not known.
    pub(super) fallback: String,
}

/// A match as a line, at this moment.
pub(super) fn line(found: &MatchShown, now: Timestamp) -> MatchLine {
    let (names, scores) = (seat_names(&found.seats), games::scores(&found.game));
    let seats = found.seats.iter().map(|seat| {
        // `cmd` is a kind of player, and an address says less than the name.
        let bot = match player(&seat.spec) {
            "cmd" => "",
            bot if public_spec(bot) == "url" => "",
            bot => bot,
        };
        let name = names.name(seat.seat.into());
        SeatLine {
            seat: seat.seat,
            colour: names.colour(seat.seat.into()),
            bot: if is_name_of(&name, bot) { "" } else { bot }.to_owned(),
            name,
            builtin: built_in(&found.game, seat).map(str::to_owned),
            score: seat
                .score
                .map_or_else(String::new, |score| scores.full(score)),
            outcome: outcome(seat.win_share),
            blamed: found.blame == Some(seat.seat),
            part: fallen(seat).map_or_else(String::new, Participation::words),
            part_detail: fallen(seat).map_or_else(String::new, |part| part.detail.clone()),
            fallback: seat
                .participation
                .as_ref()
                .map_or_else(String::new, fallback),
        }
    });
    let seats: Vec<SeatLine> = seats.collect();
    let mut fallen = found.seats.iter().filter_map(fallen).peekable();
    let end = match found.cause {
        Some(Cause::Normal) if fallen.peek().is_some() => {
            let mut words: Vec<&str> = fallen.map(|part| part.how.word()).collect();
            words.sort_unstable();
            words.dedup();
            format!("{}, a player {}", cause(Cause::Normal), words.join(", "))
        }
        other => other.map_or_else(String::new, cause),
    };
    MatchLine {
        id: found.id.clone(),
        game: found.game.clone(),
        tournament: found.tournament.clone(),
        started: when(found.started),
        live: found.live,
        took: lasted(found.started, found.ended.unwrap_or(now)),
        well: end == cause(Cause::Normal),
        end,
        result: match found.live || seats.iter().any(|seat| seat.outcome == "won") {
            true => String::new(),
            false => result(&seats),
        },
        seats,
        folded: None,
    }
}

/// Whether a player is called by its bot's name, perhaps with its number behind it.
pub(super) fn is_name_of(name: &str, bot: &str) -> bool {
    let rest = name.strip_prefix(bot);
    rest.is_some_and(|rest| {
        let number = rest.strip_prefix(' ').map(str::parse::<u32>);
        rest.is_empty() || matches!(number, Some(Ok(_)))
    })
}

/// How a match is over that nobody won, in words.
fn result(seats: &[SeatLine]) -> String {
    let with = |outcome: &str| {
        let seats = seats.iter().filter(|seat| seat.outcome == outcome);
        seats.map(|seat| seat.name.clone()).collect::<Vec<_>>()
    };
    match (with("tied").as_slice(), with("lost").as_slice()) {
        ([], []) => String::new(),
        ([], lost) if lost.len() == seats.len() => "no winner".to_owned(),
        ([], lost) => format!("{} lost", listed(lost)),
        (tied, _) if tied.len() == seats.len() => "tied".to_owned(),
        (tied, _) => format!("{} tied", listed(tied)),
    }
}

/// How a seat took part, if it did not play to the end of its part.
fn fallen(seat: &SeatRow) -> Option<&Participation> {
    let part = seat.participation.as_ref();
    part.filter(|part| part.how != Part::Played)
}

/// How many of a seat's decisions its fallback took, in words; empty: none.
pub(super) fn fallback(part: &Participation) -> String {
    match (part.fallback, part.decisions) {
        (Some(count @ 1..), Some(of)) => {
            format!("{count} of {} by its fallback", counted(of, "decision"))
        }
        _ => String::new(),
    }
}

/// What a share of the win is called.
fn outcome(share: Option<f64>) -> &'static str {
    match share {
        None => "",
        Some(share) if share >= 1.0 => "won",
        Some(share) if share > 0.0 => "tied",
        Some(_) => "lost",
    }
}

/// This moment.
pub(super) fn now() -> Timestamp {
    crate::api::shapes::time(crate::clock::now_us())
}

#[cfg(test)]
mod tests {
    use super::{
        INTERVAL_MIN, TOO_FEW, answer_time, built_in, bytes, figure, interval, is_name_of, lasted,
        mean_score, millis, small_percent, value,
    };
    use crate::store::SeatRow;
    use jiff::Timestamp;
    use serde_json::json;

    #[test]
    fn a_bots_name_is_its_own_with_no_more_than_a_number() {
        for (name, is) in [
            ("bold", true),
            ("bold 2", true),
            ("bold dog", false),
            ("bolder", false),
        ] {
            assert_eq!(is_name_of(name, "bold"), is, "{name}");
        }
    }

    #[test]
    fn a_built_in_bot_is_found_behind_an_address() {
        let mut seat = SeatRow {
            spec: "url:http://h/guide".to_owned(),
            ..SeatRow::default()
        };
        assert_eq!(built_in("koehandel", &seat), None);
        seat.bot = Some("guide".to_owned());
        assert_eq!(built_in("koehandel", &seat), Some("guide"));
        assert_eq!(built_in("smartdog", &seat), None);
    }

    #[test]
    fn figures_are_as_long_as_they_say_something() {
        for (number, text) in [
            (0.0, "0"),
            (0.91, "0.91"),
            (-4.25, "-4.25"),
            (1234.5, "1234"),
        ] {
            assert_eq!(figure(number), text);
        }
        let means = [3.125, 2.25, 2.5, -0.001, -4.5].map(mean_score);
        assert_eq!(means, ["3.13", "2.25", "2.50", "0.00", "−4.50"]);
        assert_eq!(interval(0.2, 0.8, INTERVAL_MIN - 1), TOO_FEW);
        assert_eq!(interval(0.2, 0.8, INTERVAL_MIN), "20.0–80.0\u{a0}%");
        for (count, text) in [(0.0, "0 bytes"), (1_200.0, "1.2 kB"), (42e6, "42 MB")] {
            assert_eq!(bytes(count), text);
        }
        for (us, text) in [
            (0, "< 1 µs"),
            (12, "12 µs"),
            (1_540, "1.5 ms"),
            (205_000, "205 ms"),
            (2_500_000, "2.5 s"),
        ] {
            assert_eq!(millis(f64::from(us) / 1e3), text);
        }
        assert_eq!(
            [0.0009, 0.001].map(small_percent),
            ["< 0.1\u{a0}%", "0.1\u{a0}%"]
        );
        assert_eq!([0.002, 9.71].map(answer_time), ["< 5 µs", "9.7 ms"]);
        let at = |ms| Timestamp::from_millisecond(ms).unwrap();
        for (ms, text) in [
            (-5, "< 0.1 s"),
            (99, "< 0.1 s"),
            (100, "0.1 s"),
            (1_290, "1.2 s"),
            (65_000, "1 min 05 s"),
            (90_000_000, "25 h 00 min"),
        ] {
            assert_eq!(lasted(at(0), at(ms)), text);
        }
        let data =
            json!({"by": "W", "bid": 190, "held": null, "own_bids": [1, 2.5], "caught": true});
        assert_eq!(value(&data), "bid 190, by W, caught yes, own bids [1, 2.5]");
        assert_eq!(value(&json!("é".repeat(300))).chars().count(), 241);
    }
}
