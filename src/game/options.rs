//! Referee options: one JSON object, read into one struct a game whose fields stand in its table of
//! [`OptionCard`]s.

use crate::card::OptionCard;
use crate::game::SetupError;
use serde::de::value::Error as Unfit;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

/// Reads options. What is absent is the default, and so is `null` where it has no meaning of its own.
///
/// # Errors
/// [`SetupError`] names the option that does not exist or cannot be used.
pub fn read<O: DeserializeOwned + Default>(
    cards: &[OptionCard],
    given: &Value,
) -> Result<O, SetupError> {
    let given = match given {
        Value::Null => return Ok(O::default()),
        Value::Object(given) => given,
        other => return Err(SetupError(format!("an object is wanted, not {other}"))),
    };
    let known = |name: &str| cards.iter().any(|card| card.name == name);
    if let Some(name) = given.keys().find(|name| !known(name)) {
        let names: Vec<&str> = cards.iter().map(|card| card.name).collect();
        let names = names.join(", ");
        return Err(SetupError(format!(
            "there is no option {name:?}; the options are {names}"
        )));
    }
    let mut kept = Map::new();
    for (name, value) in given {
        let alone: Map<_, _> = [(name.clone(), value.clone())].into_iter().collect();
        match O::deserialize(Value::Object(alone)) {
            Err(_) if value.is_null() => {}
            Err(why) => {
                let why = why.to_string();
                // Sentences of serde's own do not follow a name.
                let gap = if why.starts_with("invalid") { ":" } else { "" };
                return Err(SetupError(format!("{name}{gap} {why}")));
            }
            Ok(_) => drop(kept.insert(name.clone(), value.clone())),
        }
    }
    O::deserialize(Value::Object(kept)).map_err(|why| SetupError(why.to_string()))
}

/// For `deserialize_with`: a whole number in a range.
///
/// # Errors
/// A sentence that names the range, to follow the option's name.
pub fn whole<'de, D, const LEAST: u64, const MOST: u64>(value: D) -> Result<u64, D::Error>
where
    D: Deserializer<'de>,
{
    let value = Value::deserialize(value)?;
    within(&value, LEAST, MOST).map_err(D::Error::custom)
}

/// The same where there may be none.
///
/// # Errors
/// As [`whole`].
pub fn maybe_whole<'de, D, const LEAST: u64, const MOST: u64>(
    value: D,
) -> Result<Option<u64>, D::Error>
where
    D: Deserializer<'de>,
{
    whole::<D, LEAST, MOST>(value).map(Some)
}

/// The value as a whole number in a range.
///
/// # Errors
/// [`OutOfRange`].
pub fn within(value: &Value, least: u64, most: u64) -> Result<u64, OutOfRange> {
    let number = value.as_u64();
    let number = number.filter(|number| (least..=most).contains(number));
    let value = value.clone();
    number.ok_or(OutOfRange { least, most, value })
}

/// A value is no whole number of a range: a sentence that follows the value's name.
#[derive(Debug, thiserror::Error)]
#[error("must be a whole number from {least} to {most}, not {value}")]
pub struct OutOfRange {
    /// The least number.
    pub least: u64,
    /// The greatest.
    pub most: u64,
    /// What was given.
    pub value: Value,
}

/// For `deserialize_with`: a text, or nothing.
///
/// # Errors
/// A sentence, to follow the option's name.
pub fn text<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(value)?;
    Option::deserialize(&value)
        .map_err(|_| D::Error::custom(format!("must be a text, not {value}")))
}

/// For `deserialize_with`: one of an enum's words, `true` or `false`.
///
/// # Errors
/// A sentence that lists the words, to follow the option's name.
pub fn choice<'de, D: Deserializer<'de>, T: DeserializeOwned>(value: D) -> Result<T, D::Error> {
    let value = Value::deserialize(value)?;
    T::deserialize(&value).map_err(|_| {
        let words = words::<T>();
        D::Error::custom(format!("must be {words}, not {value}"))
    })
}

/// The words that can be read as a `T`: `a, b or c`.
fn words<T: DeserializeOwned>() -> String {
    match T::deserialize(Words) {
        Ok(_) => String::new(),
        Err(words) => words.to_string(),
    }
}

/// Reads as nothing: says what could be read.
struct Words;

impl<'de> Deserializer<'de> for Words {
    type Error = Unfit;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unfit> {
        Err(Unfit::custom("something else"))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unfit> {
        Err(Unfit::custom("true or false"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Unfit> {
        Err(Unfit::custom(match words {
            [] => String::new(),
            [word] => (*word).to_owned(),
            [words @ .., last] => format!("{} or {last}", words.join(", ")),
        }))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::{choice, maybe_whole, read, text, whole};
    use crate::card::OptionCard;
    use crate::game::SetupError;
    use serde::Deserialize;
    use serde_json::{Value, json};

    const CARDS: &[OptionCard] = &[
        OptionCard::new("level", "3", "A number."),
        OptionCard::new("limit", "null", "Perhaps a number."),
        OptionCard::new("mode", "\"fast\"", "A word."),
        OptionCard::new("strict", "null", "Perhaps yes or no."),
        OptionCard::new("map", "null", "Perhaps a text."),
        OptionCard::new("count", "0", "A number of any size."),
    ];

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Options {
        #[serde(deserialize_with = "whole::<_, 1, 9>")]
        level: u64,
        #[serde(deserialize_with = "maybe_whole::<_, 0, 5>")]
        limit: Option<u64>,
        #[serde(deserialize_with = "choice")]
        mode: Mode,
        #[serde(deserialize_with = "choice")]
        strict: Option<bool>,
        #[serde(deserialize_with = "text")]
        map: Option<String>,
        count: u32,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Fast,
        Slow,
        InOrder,
    }

    impl Default for Options {
        fn default() -> Self {
            Self {
                level: 3,
                limit: None,
                mode: Mode::Fast,
                strict: None,
                map: None,
                count: 0,
            }
        }
    }

    #[test]
    fn what_is_absent_or_null_is_the_default() {
        let all = json!({"level": null, "limit": null, "mode": null, "strict": null, "map": null});
        for nothing in [Value::Null, json!({}), all] {
            assert_eq!(read(CARDS, &nothing), Ok(Options::default()));
        }
        let some = json!({"level": 9, "limit": 0, "mode": "in_order", "strict": false, "map": "x"});
        let given = Options {
            level: 9,
            limit: Some(0),
            mode: Mode::InOrder,
            strict: Some(false),
            map: Some("x".to_owned()),
            count: 0,
        };
        assert_eq!(read(CARDS, &some), Ok(given));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (given, why) in [
            (json!([]), "an object is wanted, not []"),
            (
                json!({"speed": 1}),
                "there is no option \"speed\"; the options are level, limit, mode, strict, map, count",
            ),
            (
                json!({"level": 10}),
                "level must be a whole number from 1 to 9, not 10",
            ),
            (
                json!({"limit": "5"}),
                "limit must be a whole number from 0 to 5, not \"5\"",
            ),
            (
                json!({"mode": "Fast"}),
                "mode must be fast, slow or in_order, not \"Fast\"",
            ),
            (json!({"strict": 1}), "strict must be true or false, not 1"),
            (json!({"map": 5}), "map must be a text, not 5"),
            (
                json!({"count": true}),
                "count: invalid type: boolean `true`, expected u32",
            ),
        ] {
            assert_eq!(
                read::<Options>(CARDS, &given),
                Err(SetupError(why.to_owned()))
            );
        }
    }
}
