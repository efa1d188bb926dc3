//! Who sees what: the one place that decides it for every handler.
//!
//! While the match runs, what a seat knows is visible to its owner and to admins; after it, and after an
//! embargo, to all who may read.

use super::problem::Problem;
use crate::access::{Denied, Rights};
use crate::clock::now_us;
use crate::history::{OpponentKind, Secrecy, SessionRow, StoredModel, Teaching, public_spec};
use crate::store::MatchRow;
use serde_json::Value;
use std::net::IpAddr;
use std::time::Duration;

/// Why something is not shown.
pub(super) const WITHHELD: &str = "what a seat knows is shown to its owner alone while the match runs; \
     it can be read when the match has ended and `api.embargo_s` has passed";

/// The fields of a fact in which a program, or the system, speaks: for callers with a token.
const IN_WORDS: [&str; 2] = ["detail", "why"];

/// What one caller sees at the moment of the request.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    rights: Rights,
    embargo_us: i64,
    /// Matches that were over by then are public, in microseconds since 1970-01-01 UTC.
    open_us: i64,
}

impl Sight {
    /// The sight of a caller with these rights, now.
    pub(super) fn new(rights: Rights, embargo: Duration) -> Self {
        let seen = Self {
            rights,
            embargo_us: i64::try_from(embargo.as_micros()).unwrap_or(i64::MAX),
            open_us: 0,
        };
        seen.now()
    }

    /// What the same caller sees now.
    pub(super) fn now(&self) -> Self {
        Self {
            open_us: now_us().saturating_sub(self.embargo_us),
            ..self.clone()
        }
    }

    /// The caller's rights.
    pub(super) fn rights(&self) -> &Rights {
        &self.rights
    }

    /// Whether all of a match is public.
    pub(super) fn is_open(&self, row: &MatchRow) -> bool {
        self.is_over(row.over_us)
    }

    /// Whether the caller sees what a session knows.
    pub(super) fn sees(&self, whose: &Secrecy) -> bool {
        self.is_over(whose.over_us) || self.rights.owns(whose)
    }

    /// Whether the caller sees the number under which the match's referee calls: with it a caller could
    /// impersonate the referee.
    pub(super) fn sees_market(&self, row: &MatchRow) -> bool {
        self.is_open(row) || self.rights.is_admin()
    }

    /// Keeps the sessions whose knowledge the caller sees, and returns whether there were others.
    pub(super) fn keep(&self, sessions: &mut Vec<SessionRow>) -> bool {
        let before = sessions.len();
        sessions.retain(|row| self.sees(&row.secrecy));
        sessions.len() < before
    }

    /// Whether the caller always sees everything, so that nothing need be looked up.
    pub(super) fn sees_all(&self) -> bool {
        self.rights.is_admin()
    }

    /// Why a list of what happened may be incomplete, whether or not anything was left out: the difference would reveal
    /// what is happening.
    pub(super) fn withheld(&self) -> Option<&'static str> {
        (!self.sees_all()).then_some(WITHHELD)
    }

    /// The moment after which a match must not have been over for all to see it.
    pub(super) fn open_us(&self) -> i64 {
        self.open_us
    }

    /// The same for this caller: none for those who always see everything.
    pub(super) fn seen_us(&self) -> i64 {
        match self.sees_all() {
            true => i64::MAX,
            false => self.open_us,
        }
    }

    /// Whether the caller sees a model, given what was learnt from matches that are not public.
    pub(super) fn sees_model(&self, model: &StoredModel, taught: &[Teaching]) -> bool {
        let forms = |taught: &&Teaching| {
            let name = match model.kind {
                OpponentKind::Named => &taught.name,
                OpponentKind::Type => &taught.kind,
            };
            taught.game == model.game && name.as_ref() == Some(&model.name)
        };
        let mut forming = taught.iter().filter(forms);
        forming.all(|taught| self.sees(&taught.secrecy))
    }

    /// A player's spec as the caller sees it: what its program is called with and where it is reached are its owner's
    /// and admins' to know. Others see its name instead, or of what kind it is.
    pub(super) fn spec<'a>(&self, spec: &'a str, name: Option<&'a str>) -> &'a str {
        let public = public_spec(spec);
        match public == spec || self.rights.plays_as(name) {
            true => spec,
            false => name.unwrap_or(public),
        }
    }

    /// A referee as the caller sees it: a name, or for those with a token an address.
    pub(super) fn referee(&self, referee: String) -> String {
        match self.rights.is_public() && is_address(&referee) {
            true => "address".to_owned(),
            false => referee,
        }
    }

    /// What is said of a failure, as the caller sees it: the words of programs and of the system are for those with a token.
    pub(super) fn detail(&self, detail: String) -> String {
        match self.rights.is_public() {
            true => String::new(),
            false => detail,
        }
    }

    /// Refuses a caller without a token what is about this daemon rather than about matches.
    pub(super) fn needs_token(&self) -> Result<(), Problem> {
        match self.rights.is_public() {
            true => Err(Problem::unauthorised(Denied::Missing.to_string())),
            false => Ok(()),
        }
    }

    /// Whether matches may not be looked for by this referee.
    pub(super) fn hides_referee(&self, referee: &str) -> bool {
        self.rights.is_public() && is_address(referee)
    }

    /// Whether a player may not be looked for by this spec: one who may not see it could find it out so.
    pub(super) fn hides(&self, spec: &str) -> bool {
        // What is left of such a spec is not one player's.
        let is_kind = ["cmd", "url"].contains(&spec);
        !self.rights.is_admin() && (is_kind || public_spec(spec) != spec)
    }

    /// Whether what was over at this time is public.
    pub(super) fn is_over(&self, over_us: Option<i64>) -> bool {
        over_us.is_some_and(|over_us| over_us <= self.open_us)
    }

    /// Takes out of a fact's data what a program, or the system, says in it, if the caller has no token; whether there was
    /// any.
    pub(super) fn reduce(&self, data: &mut Value) -> bool {
        match data {
            Value::Object(data) if self.rights.is_public() => {
                let said = IN_WORDS.map(|field| data.remove(field).is_some());
                said.contains(&true)
            }
            _ => false,
        }
    }
}

/// Whether this is a host's address, or that of a hub there: `HOST:PORT/HUB`.
fn is_address(text: &str) -> bool {
    let host = text.split('/').next().unwrap_or_default();
    let port = host.rsplit_once(':').map(|(_, port)| port);
    host.parse::<IpAddr>().is_ok() || port.is_some_and(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::Sight;
    use crate::access::{Rights, Scope};
    use crate::clock::now_us;
    use crate::history::Secrecy;
    use crate::store::Side;
    use serde_json::json;
    use std::time::Duration;

    fn sight(scopes: &[&str], embargo_s: u64) -> Sight {
        let scopes: Vec<Scope> = scopes.iter().map(|text| text.parse().unwrap()).collect();
        Sight::new(Rights::new(scopes), Duration::from_secs(embargo_s))
    }

    #[test]
    fn addresses_of_referees_and_hubs_are_for_those_with_a_token() {
        let public = Sight::new(Rights::public(), Duration::ZERO);
        for address in [
            "10.0.0.7",
            "::1",
            "10.0.0.7:80",
            "[::1]:80",
            "10.0.0.7:3002/default",
            "hub.example:3002/a",
        ] {
            assert_eq!(public.referee(address.to_owned()), "address");
            assert!(public.hides_referee(address));
            assert_eq!(sight(&["read"], 0).referee(address.to_owned()), address);
        }
        for name in ["drover", "arbiter/one", "imported", ""] {
            assert_eq!(public.referee(name.to_owned()), name);
        }
    }

    #[test]
    fn a_seats_knowledge_is_its_owners_until_all_is_over() {
        let check = |scopes: &[&str], side, entrant: Option<&str>, over_s: Option<i64>, seen| {
            let whose = Secrecy {
                side,
                bot: "champion".into(),
                entrant: entrant.map(str::to_owned),
                over_us: over_s.map(|ago_s| now_us() - ago_s * 1_000_000),
            };
            let case = format!("{scopes:?} {whose:?}");
            assert_eq!(sight(scopes, 60).sees(&whose), seen, "{case}");
        };
        for over_s in [None, Some(0), Some(59)] {
            check(&["read"], Side::Player, Some("ann"), over_s, false);
            check(&["admin"], Side::Player, Some("ann"), over_s, true);
            check(&["bot:champion"], Side::Player, None, over_s, true);
            check(&["bot:champion"], Side::Referee, None, over_s, false);
            check(&["bot:evolved"], Side::Player, None, over_s, false);
            check(&["entrant:ann"], Side::Referee, Some("ann"), over_s, true);
            check(&["entrant:ann"], Side::Player, Some("ann"), over_s, true);
            check(&["entrant:ann"], Side::Player, Some("bob"), over_s, false);
            check(&["entrant:ann"], Side::Player, None, over_s, false);
            check(
                &["entrant:bob", "bot:champion"],
                Side::Player,
                None,
                over_s,
                true,
            );
        }
        check(&["read"], Side::Referee, None, Some(61), true);
    }

    #[test]
    fn what_programs_say_in_facts_is_for_those_with_a_token() {
        let public = Sight::new(Rights::public(), Duration::ZERO);
        let fact = json!({"why": "it said: boom", "detail": "exit 1", "cause": "late"});
        for (sight, shown) in [
            (public, json!({"cause": "late"})),
            (sight(&["read"], 0), fact.clone()),
        ] {
            let mut data = fact.clone();
            assert_eq!(sight.reduce(&mut data), shown != fact);
            assert_eq!(data, shown);
        }
    }

    #[test]
    fn commands_and_addresses_are_for_their_owners_and_admins() {
        let secret = [
            "url:http://10.0.0.1:80/koehandel",
            "cmd:./bot",
            "cmd:python3 bot.py 'a key'",
        ];
        for spec in secret {
            let kind = &spec[..3];
            for (scope, name, shown) in [
                ("admin", None, spec),
                ("read", None, kind),
                ("read", Some("ann"), "ann"),
                ("entrant:bob", Some("ann"), "ann"),
                ("entrant:ann", Some("ann"), spec),
                ("entrant:ann", None, kind),
            ] {
                assert_eq!(sight(&[scope], 0).spec(spec, name), shown, "{scope} {spec}");
            }
            assert!(sight(&["entrant:ann"], 0).hides(spec));
            assert!(!sight(&["admin"], 0).hides(spec));
        }
        for spec in ["builtin:champion", "bot:mybot@2", "champion", "filler", ""] {
            assert_eq!(sight(&["read"], 0).spec(spec, Some("ann")), spec);
            assert!(!sight(&["read"], 0).hides(spec));
        }
    }
}
