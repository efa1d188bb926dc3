//! What a spectator wants to know of a match besides its moves: its rules, its deal and how to check it, who ran its players,
//! and why it ended.

use super::filters::to_player;
use super::view::{self, When};
use super::visit::Visit;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::results::SeatedBots;
use crate::history::{self, public_spec};
use crate::replay::seat_names;
use crate::store::{IMPORTED, SeatRow};
use crate::tournament::Deal;
use games::OptionCard;
use serde_json::Value;

/// The most letters of what a match was started from.
const SETUP_CHARS_MAX: usize = 40_000;
/// How deep options are looked for in it.
const DEPTH_MAX: usize = 3;

/// What is known about a match.
#[derive(Default)]
pub(super) struct About {
    pub(super) players: Vec<Player>,
    pub(super) ended: Option<When>,
    /// Why it ended, in a sentence.
    pub(super) why: String,
    /// Options that are not as usual, and the others.
    pub(super) changed: Vec<Rule>,
    pub(super) usual: Vec<Rule>,
    /// What was drawn for it: its map or its deal.
    pub(super) drawn: &'static str,
    /// What its deal follows from.
    pub(super) deal: Option<Dealt>,
    /// All that it was started from, once that is public; JSON.
    pub(super) setup: Option<String>,
    /// The commands that play it again and that write it down.
    pub(super) verify: String,
    pub(super) export: String,
    /// Whether our referee ran it, and not another database's.
    pub(super) ours: bool,
}

/// Who sat on a seat.
pub(super) struct Player {
    pub(super) number: usize,
    pub(super) colour: &'static str,
    pub(super) name: String,
    /// To its matches or its bot's page; empty: there is none.
    pub(super) page: String,
    /// Our bot there, where one of another name played.
    pub(super) bot: String,
    pub(super) version: String,
    /// Who ran it.
    pub(super) run_by: &'static str,
}

/// An option of the game.
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) default: String,
    pub(super) about: &'static str,
}

/// What the deal of a tournament's match follows from.
pub(super) struct Dealt {
    pub(super) seed: Option<u64>,
    pub(super) commitment: String,
    pub(super) secret: Option<String>,
    /// The command that checks the commitment.
    pub(super) check: Option<String>,
}

impl About {
    pub(super) async fn read(visit: &Visit, found: &MatchShown) -> Result<Self, Problem> {
        let store = &visit.state.store;
        let row = visit.match_row(&found.id).await?;
        let bots = SeatedBots {
            bots: history::bots_by_seat(store.reader(), &[&row.id]).await?,
            versions: history::only_versions(store.reader()).await?,
        };
        let deal = Deal::read(store, &row).await?.map(dealt);
        let names = seat_names(&found.seats);
        let ours = found.ours && found.referee != IMPORTED;
        let players = row.seats.iter().zip(&found.seats);
        let players = players.map(|(seat, shown)| {
            let played = bots.row(&visit.sight, &row, seat);
            let name = names.name(seat.seat.into());
            let bot = played.bot.filter(|bot| !view::is_name_of(&name, bot));
            Player {
                number: usize::from(seat.seat) + 1,
                colour: names.colour(seat.seat.into()),
                bot: bot.unwrap_or_default(),
                name,
                page: to_player(&found.game, shown),
                version: played.version.unwrap_or_default(),
                run_by: run_by(seat, ours),
            }
        });
        let card = games::find(&found.game).map(|kit| kit.card());
        let options = card.map_or(&[][..], |card| card.options);
        let rules = found.setup.as_ref().map_or_else(Vec::new, |setup| {
            let rules = options.iter().filter_map(|option| rule(setup, option));
            rules.collect()
        });
        let (usual, changed) = rules
            .into_iter()
            .partition(|rule| rule.value == rule.default);
        Ok(Self {
            players: players.collect(),
            ended: found.ended.map(view::when),
            why: why(found),
            changed,
            usual,
            drawn: match card.and_then(|card| card.maps) {
                Some(_) => "Map",
                None => "Deal",
            },
            deal,
            setup: found.setup.as_ref().map(raw),
            verify: format!("drover match verify {}", row.id),
            export: format!("drover match export {} --html match.html", row.id),
            ours,
        })
    }
}

fn why(found: &MatchShown) -> String {
    let Some(cause) = found.cause else {
        return String::new();
    };
    let names = seat_names(&found.seats);
    let blamed = found.blame.map_or_else(String::new, |seat| {
        format!(" by a fault of {}", names.name(seat.into()))
    });
    let detail = found.detail.trim().trim_end_matches('.');
    match detail.is_empty() {
        true => format!("{}{blamed}", view::cause(cause)),
        false => format!("{}{blamed}: {detail}", view::cause(cause)),
    }
}

/// Who ran the player on a seat.
fn run_by(seat: &SeatRow, ours: bool) -> &'static str {
    let spec = public_spec(&seat.spec);
    if !ours {
        return match spec {
            "" => "not known: it sat at another referee's table",
            _ => "Drover, at another referee's table",
        };
    }
    match spec.split_once(':').map_or(spec, |(kind, _)| kind) {
        "builtin" => "a built-in bot, run by our referee",
        "filler" => "nobody: our referee fills the seat",
        "bot" => "a user's program, confined and run by our referee",
        "cmd" => "an entrant's program, started by our referee",
        "url" => "itself: our referee called it over HTTP",
        "remote" => "itself: it dialled our hub",
        _ => "not known",
    }
}

/// An option as it was set, where the setup has it.
fn rule(setup: &Value, option: &OptionCard) -> Option<Rule> {
    let value = set(setup, option.name, DEPTH_MAX)?;
    let default: Value = serde_json::from_str(option.default).ok()?;
    let value = view::value(value);
    Some(Rule {
        name: worded(option.name),
        // What is not set by default follows from the map or the players.
        default: match default {
            Value::Null => value.clone(),
            default => view::value(&default),
        },
        value,
        about: option.description,
    })
}

/// The value of this name in a setup, wherever it keeps its options.
fn set<'a>(setup: &'a Value, name: &str, depth: usize) -> Option<&'a Value> {
    let fields = setup.as_object()?;
    let own = fields.get(name).filter(|value| !value.is_null());
    let rest = fields.values().filter(|_| depth > 0);
    let mut rest = rest.filter_map(|value| set(value, name, depth - 1));
    own.or_else(|| rest.next())
}

/// A key in words: `turnsLimit` and `end_turns_max` as `turns limit` and `end turns max`.
fn worded(key: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for letter in key.chars() {
        match letter {
            '_' => words.push(' '),
            letter if letter.is_uppercase() && before.is_lowercase() => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            letter => words.push(letter),
        }
        before = letter;
    }
    words
}

fn dealt(deal: Deal) -> Dealt {
    Dealt {
        seed: deal.seed,
        check: deal.drawn.check(),
        commitment: deal.drawn.commitment,
        secret: deal.drawn.secret,
    }
}

fn raw(setup: &Value) -> String {
    let text = serde_json::to_string_pretty(setup).unwrap_or_default();
    match text.char_indices().nth(SETUP_CHARS_MAX) {
        None => text,
        Some((at, _)) => format!("{}\n…", text.get(..at).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::{rule, run_by, worded};
    use crate::store::SeatRow;
    use games::OptionCard;
    use serde_json::json;

    #[test]
    fn options_are_found_wherever_a_setup_keeps_them() {
        let setup = json!({"position": {"options": {"turnsLimit": 30, "on_fault": null}},
            "conduct": {"turn_ms": 1000}, "on_fault": "abort"});
        let found = |name, default| {
            let rule = rule(&setup, &OptionCard::new(name, default, "What it is."))?;
            Some([rule.name, rule.value, rule.default])
        };
        let expected = |texts: [&str; 3]| Some(texts.map(str::to_owned));
        assert_eq!(
            found("turnsLimit", "750"),
            expected(["turns limit", "30", "750"])
        );
        assert_eq!(
            found("turn_ms", "1000"),
            expected(["turn ms", "1000", "1000"])
        );
        assert_eq!(
            found("on_fault", "\"forfeit\""),
            expected(["on fault", "abort", "forfeit"])
        );
        // One that follows from the map is as usual.
        assert_eq!(
            found("turnsLimit", "null"),
            expected(["turns limit", "30", "30"])
        );
        assert_eq!(found("rounds", "40"), None);
        assert_eq!(worded("dogVisibilityR"), "dog visibility r");
    }

    #[test]
    fn who_ran_a_player_is_said_without_its_words() {
        let said = |spec: &str, ours| {
            let seat = SeatRow {
                spec: spec.to_owned(),
                ..SeatRow::default()
            };
            run_by(&seat, ours)
        };
        assert!(said("builtin:guide", true).contains("built-in"));
        assert!(said("cmd:/home/ann/s3cret", true).contains("started by our referee"));
        assert!(said("url:http://s3cret", true).contains("over HTTP"));
        assert!(said("filler", true).contains("nobody"));
        assert_eq!(said("", true), "not known");
        let (ours, other) = (said("builtin:guide", false), said("", false));
        assert_eq!(ours, "Drover, at another referee's table");
        assert_eq!(other, "not known: it sat at another referee's table");
    }
}
