//! Values of parameters.

use std::borrow::Cow;
use std::sync::Arc;

/// A parameter, or one column of a row. Nulls have a type, since PostgreSQL wants one.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Int(Option<i64>),
    Real(Option<f64>),
    Text(Option<Arc<str>>),
    Bytes(Vec<u8>),
}

impl Value {
    /// The number, if it is one.
    pub(super) fn int(self) -> Option<i64> {
        match self {
            Self::Int(value) => value,
            _ => None,
        }
    }

    /// The real number, if it is one.
    pub(super) fn real(self) -> Option<f64> {
        match self {
            Self::Real(value) => value,
            _ => None,
        }
    }

    /// The bytes, if they are some.
    pub(super) fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(value) => Some(value),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub(super) fn text(self) -> Option<Arc<str>> {
        match self {
            Self::Text(value) => value,
            _ => None,
        }
    }
}

/// A statement with its parameters.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(super) sql: Cow<'static, str>,
    pub(super) values: Vec<Value>,
    /// Whether the connection keeps it prepared.
    pub(super) is_kept: bool,
}

/// What one type of values is without a value.
pub(crate) trait Nullable: Into<Value> {
    const NULL: Value;
}

macro_rules! values {
    ($($given:ty => $null:expr, $make:expr;)*) => {$(
        impl From<$given> for Value {
            fn from(value: $given) -> Self {
                let make: fn($given) -> Self = $make;
                make(value)
            }
        }

        impl Nullable for $given {
            const NULL: Value = $null;
        }
    )*};
}

values! {
    i64 => Value::Int(None), |value| Self::Int(Some(value));
    u8 => Value::Int(None), |value| Self::Int(Some(value.into()));
    u32 => Value::Int(None), |value| Self::Int(Some(value.into()));
    bool => Value::Int(None), |value| Self::Int(Some(value.into()));
    f64 => Value::Real(None), |value| Self::Real(Some(value));
    &str => Value::Text(None), |value| Self::Text(Some(value.into()));
    &String => Value::Text(None), |value| Self::Text(Some(value.as_str().into()));
    String => Value::Text(None), |value| Self::Text(Some(value.into()));
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl<T: Nullable> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(T::NULL, Into::into)
    }
}
