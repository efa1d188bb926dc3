//! What several answers have in common: lists, times, and words that are defined elsewhere.

use crate::store::Page;
use games::Cause;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

/// A list, or one page of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Listed<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The `cursor` of the next page; `null` on the last one.
    pub next: Option<String>,
    /// Why this list may be incomplete for this caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<&'static str>,
}

impl<T> Listed<T> {
    /// The page with each row shown as `show` says.
    pub(super) fn page<R>(page: Page<R>, show: impl FnMut(R) -> T) -> Self {
        Self {
            items: page.items.into_iter().map(show).collect(),
            next: page.next,
            withheld: None,
        }
    }

    /// A list that is one page.
    pub(super) fn all(items: Vec<T>) -> Self {
        Self {
            items,
            next: None,
            withheld: None,
        }
    }
}

/// Microseconds since 1970-01-01 UTC as a time. What no calendar has becomes its first or last moment.
pub(super) fn time(at_us: i64) -> Timestamp {
    let (first, last) = (Timestamp::MIN, Timestamp::MAX);
    let at_us = at_us.clamp(first.as_microsecond(), last.as_microsecond());
    Timestamp::from_microsecond(at_us).unwrap_or(last)
}

/// The schema of a [`Cause`].
pub(super) fn cause() -> ObjectBuilder {
    let words = Cause::ALL.map(Cause::word);
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words))
}

/// The schema of a [`Cause`] that may be missing.
pub(super) fn cause_or_null() -> ObjectBuilder {
    let words = Cause::ALL.map(|cause| Some(cause.word())).into_iter();
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .enum_values(Some(words.chain([None])))
}
