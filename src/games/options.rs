//! Referee options: one JSON object, read into one struct a game whose fields stand in its table of
//! [`OptionCard`]s.

use crate::kit::OptionCard;
use serde::de::value::Error as Unfit;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

/// Reads options. What is absent is the default, and so is `null` where it has no meaning of its own.
///
/// # Errors
/// A sentence that names the option that does not exist or cannot be used.
pub fn read<O: DeserializeOwned + Default>(
    cards: &[OptionCard],
    given: &Value,
) -> Result<O, String> {
    let given = match given {
        Value::Null => return Ok(O::default()),
        Value::Object(given) => given,
        other => return Err(format!("an object is wanted, not {other}")),
    };
    let known = |name: &str| cards.iter().any(|card| card.name == name);
    if let Some(name) = given.keys().find(|name| !known(name)) {
        let names: Vec<&str> = cards.iter().map(|card| card.name).collect();
        let names = names.join(", ");
        return Err(format!(
            "there is no option {name:?}; the options are {names}"
        ));
    }
    let mut kept = Map::new();
    for (name, value) in given {
        let alone: Map<_, _> = [(name.clone(), value.clone())].into_iter().collect();
        match O::deserialize(Value::Object(alone)) {
            Err(_) if value.is_null() => {}
            Err(why) => return Err(format!("{name} {why}")),
            Ok(_) => drop(kept.insert(name.clone(), value.clone())),
        }
    }
    O::deserialize(Value::Object(kept)).map_err(|why| why.to_string())
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
    let number = value.as_u64();
    let number = number.filter(|number| (LEAST..=MOST).contains(number));
    number.ok_or_else(|| {
        D::Error::custom(format!(
            "must be a whole number from {LEAST} to {MOST}, not {value}"
        ))
    })
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
