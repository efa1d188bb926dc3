//! Counts over matches: what is learnt of rivals, merged by adding up.

use crate::game::{Seat, Seats};
use crate::models::Models;
use crate::wire::Lesson;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::marker::PhantomData;
use std::ops::Add;

/// Counts that can be added up and shown.
pub trait Counts:
    Copy + Default + Add<Output = Self> + Serialize + DeserializeOwned + 'static
{
    /// As rates with what they are out of.
    fn show(&self) -> Value;
}

/// Models that are counts.
pub struct Counted<T>(PhantomData<fn() -> T>);

impl<T> Counted<T> {
    /// The door to them.
    pub const NEW: Self = Self(PhantomData);
}

impl<T: Counts> Models for Counted<T> {
    /// What cannot be read counts nothing.
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        let read = |value: &Value| T::deserialize(value).unwrap_or_default();
        json!(model.map(read).unwrap_or_default() + read(evidence))
    }

    fn show(&self, model: &Value) -> Value {
        T::deserialize(model).map_or(Value::Null, |counts| counts.show())
    }
}

/// What one's game has taught of each rival that was `seen` in it, named by how many seats clockwise it sits.
pub fn rivals<T: Serialize>(
    own: Seat,
    records: &Seats<T>,
    seen: impl Fn(&T) -> bool,
) -> Vec<Lesson> {
    let players = records.len();
    let rivals = records
        .iter()
        .filter(|(seat, record)| *seat != own && seen(record));
    rivals
        .map(|(seat, record)| Lesson {
            rival: ((seat.index() + players - own.index()) % players.max(1)).to_string(),
            kind: None,
            evidence: json!(record),
        })
        .collect()
}

/// A struct of counts: its fields, documented as usual, each a number that adds up.
#[macro_export]
macro_rules! counts {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        $vis struct $name {
            $($(#[$doc])* $field_vis $field: $type,)*
        }

        impl std::ops::Add for $name {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self {
                    $($field: self.$field + other.$field,)*
                }
            }
        }
    };
}
pub use counts;
