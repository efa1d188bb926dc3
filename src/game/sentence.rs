//! Facts in words, for persons. What a game does not word itself is said here.

use crate::scene::{Numbered, Who};
use crate::wire::Fact;
use serde_json::{Map, Value};

/// Letters of a text from outside that are repeated.
const TEXT_CHARS_MAX: usize = 200;
/// Items of a list that are named.
const LISTED_MAX: usize = 12;

/// A fact that is being put into words.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The fact.
    pub fact: &'a Fact,
    /// The place of the seat whose transcript shows it, where that is known.
    pub own: Option<usize>,
}

impl<'a> Reading<'a> {
    /// A field, unless it is null.
    #[must_use]
    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.fact.data.get(name).filter(|value| !value.is_null())
    }

    /// A whole number.
    #[must_use]
    pub fn number(self, name: &str) -> Option<i64> {
        self.get(name)?.as_i64()
    }

    /// A text, as much of it as is repeated.
    #[must_use]
    pub fn text(self, name: &str) -> Option<String> {
        let text = self.get(name)?.as_str()?;
        Some(text.chars().take(TEXT_CHARS_MAX).collect())
    }

    /// Whether a field is true.
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool) == Some(true)
    }

    /// A list.
    #[must_use]
    pub fn list(self, name: &str) -> &'a [Value] {
        let items = self.get(name).and_then(Value::as_array);
        items.map_or(&[], Vec::as_slice)
    }

    /// The one whose transcript shows it.
    #[must_use]
    pub fn own(self) -> String {
        self.own
            .map_or_else(|| "Our bot".to_owned(), |place| Who(place).to_string())
    }

    /// The player whose place a field holds.
    #[must_use]
    pub fn who(self, name: &str) -> Option<String> {
        let place = usize::try_from(self.number(name)?).ok()?;
        Some(Who(place).to_string())
    }

    /// The player whose number on the wire a field holds.
    #[must_use]
    pub fn numbered(self, name: &str) -> Option<String> {
        let number = u32::try_from(self.number(name)?).ok()?;
        Some(Numbered(number).to_string())
    }

    /// Why it came to it, after a colon; empty where that is not known.
    #[must_use]
    pub fn why(self) -> String {
        let why = self.text("why");
        why.map_or_else(String::new, |why| format!(": {why}"))
    }

    /// What no game needs to word by itself: what a session notes of any match, and else the fact's fields.
    #[must_use]
    pub fn plain(self) -> String {
        let own = self.own();
        let why = || self.why();
        match self.fact.kind.as_str() {
            "fallback" => {
                let why = match self.text("cause").as_deref() {
                    Some("late") => "did not answer in time",
                    Some("panic") => "crashed",
                    Some("pool_closed" | "quarantined") => "could not think",
                    Some("program_late") => "sent no answer in time",
                    Some("program_gone") => "was gone",
                    Some("program_illegal") => "answered against the rules",
                    _ => "did not answer",
                };
                format!("{own} {why}: the fallback answered")
            }
            "quarantined" => format!("{own} is not asked any more{}", why()),
            "local" => format!("{own}'s shim answered by itself"),
            "unsound" => {
                let what = self.text("what").unwrap_or_default();
                format!(
                    "{own} left out a message that contradicts others: {what}{}",
                    why()
                )
            }
            _ => words(&self.fact.data),
        }
    }
}

/// A value on one line.
#[must_use]
pub fn words(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.chars().take(TEXT_CHARS_MAX).collect(),
        Value::Array(items) => {
            let shown = items.iter().take(LISTED_MAX).map(words);
            let more = if items.len() > LISTED_MAX {
                ", …"
            } else {
                ""
            };
            format!("[{}{more}]", shown.collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => fields_in_words(fields),
    }
}

fn fields_in_words(fields: &Map<String, Value>) -> String {
    let fields = fields.iter().filter(|(_, field)| !field.is_null());
    let fields = fields.map(|(name, field)| format!("{} {}", name.replace('_', " "), words(field)));
    fields.collect::<Vec<_>>().join(", ")
}

/// Items one after the other, the last one after `and`.
#[must_use]
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Reading, listed, words};
    use crate::scene::Names;
    use crate::wire::Fact;
    use serde_json::json;

    #[test]
    fn what_no_game_words_is_said_plainly() {
        let names = Names::by_seat(&[Some("ann"), Some("bob")]);
        let said = |kind: &str, data, own| {
            let fact = Fact::new(kind, data);
            names.fill(&Reading { fact: &fact, own }.plain())
        };
        assert_eq!(
            said("fallback", json!({"cause": "late"}), Some(1)),
            "bob did not answer in time: the fallback answered"
        );
        assert_eq!(
            said("fallback", json!({"cause": "panic"}), None),
            "Our bot crashed: the fallback answered"
        );
        assert_eq!(
            said("quarantined", json!({"why": "3 panics"}), Some(1)),
            "bob is not asked any more: 3 panics"
        );
        assert_eq!(
            said("quarantined", json!({}), Some(1)),
            "bob is not asked any more"
        );
        let data = json!({"by_whom": "W", "held": null, "bids": [1, 2.5], "caught": true});
        assert_eq!(
            said("odd", data, None),
            "bids [1, 2.5], by whom W, caught yes"
        );
    }

    #[test]
    fn lists_and_words_are_short() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            (listed(&items), listed(&items[..1])),
            ("a, b and c".into(), "a".into())
        );
        assert!(words(&json!(vec![7; 500])).ends_with("7, …]"));
        assert_eq!(words(&json!("é".repeat(300))).chars().count(), 200);
    }
}
