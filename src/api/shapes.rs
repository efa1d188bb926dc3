//! What several answers have in common: lists, times, and words that are defined elsewhere.

use super::problem::Problem;
pub(super) use crate::clock::time;
use crate::store::{Page, PageAt};
use games::Cause;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Ref, SchemaType, Type};

/// A list, or one page of it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Listed<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The `cursor` of the next page; `null` on the last one. A page with a next one may be short or empty.
    pub next: Option<String>,
    /// Why this list may be incomplete for this caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<&'static str>,
    /// Whether all of the list is public and final.
    #[serde(skip)]
    pub lasting: bool,
}

/// A page that was read, or why it was not.
pub(super) type Paged<T> = Result<Listed<T>, Problem>;

impl<T> Listed<T> {
    /// The page with each row shown as `show` says.
    pub(super) fn page<R>(page: Page<R>, show: impl FnMut(R) -> T) -> Self {
        Self {
            items: page.items.into_iter().map(show).collect(),
            next: page.next,
            withheld: None,
            lasting: false,
        }
    }

    /// A page of a list that is at hand. Its cursors count rows.
    pub(super) fn cut(items: impl IntoIterator<Item = T>, at: &PageAt) -> Paged<T> {
        let before = match &at.after {
            Some(cursor) => cursor.parse().map_err(|_| Problem::cursor(cursor))?,
            None => 0,
        };
        let limit = at.limit as usize;
        let mut rest = items.into_iter().skip(before);
        let items: Vec<T> = rest.by_ref().take(limit).collect();
        let next = rest.next().map(|_| (before + limit).to_string());
        Ok(Self {
            items,
            next,
            withheld: None,
            lasting: false,
        })
    }
}

/// The schema of a [`Listed`].
pub(super) fn listed<T: ToSchema>() -> ObjectBuilder {
    let rows = ArrayBuilder::new().items(Ref::from_schema_name(T::name()));
    let next = SchemaType::from_iter([Type::String, Type::Null]);
    let next = ObjectBuilder::new().schema_type(next);
    let about = "The `cursor` of the next page; null on the last one.";
    let withheld = ObjectBuilder::new().schema_type(Type::String);
    let why = "Why this list may be incomplete for this caller.";
    ObjectBuilder::new()
        .description(Some("A list, or one page of it."))
        .property("items", rows.description(Some("The rows.")))
        .property("next", next.description(Some(about)))
        .property("withheld", withheld.description(Some(why)))
        .required("items")
        .required("next")
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
