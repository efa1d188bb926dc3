//! Places.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place, on a map or not. x grows to the right, y upwards, from the bottom left corner.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Default,
    JsonSchema,
)]
#[serde(from = "(i32, i32)", into = "(i32, i32)")]
#[schemars(with = "(i32, i32)")]
pub struct Point {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

impl Point {
    pub(super) fn wide(self) -> (i64, i64) {
        (self.x.into(), self.y.into())
    }

    /// How many king's moves apart two points are if nothing is in the way.
    #[must_use]
    pub fn distance(self, other: Point) -> i32 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }
}

impl From<(i32, i32)> for Point {
    fn from((x, y): (i32, i32)) -> Self {
        Self { x, y }
    }
}

impl From<Point> for (i32, i32) {
    fn from(point: Point) -> Self {
        (point.x, point.y)
    }
}
