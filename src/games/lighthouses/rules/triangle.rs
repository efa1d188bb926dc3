//! Which cells a triangle lights (README.md, section 1: the edge rule).

use super::point::Point;
use std::ops::RangeInclusive;

fn turn(a: Point, b: Point, c: Point) -> i64 {
    let (a, b, c) = (a.wide(), b.wide(), c.wide());
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// The cells that a triangle lights: for each row that has any, from which column to which. A centre on an
/// edge counts only on top and left edges. Corners within ± 2^30.
pub fn spans(a: Point, b: Point, c: Point) -> impl Iterator<Item = (i32, RangeInclusive<i32>)> {
    // Counter-clockwise, so that the inside is on the left of every edge.
    let (b, c) = if turn(a, b, c) < 0 { (c, b) } else { (b, c) };
    let flat = turn(a, b, c) == 0;
    let (low, high) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
    let rows = (low..=high).filter(move |_| !flat);
    rows.filter_map(move |y| {
        let (mut from, mut to) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        for (p, q) in [(a, b), (b, c), (c, a)] {
            let (from_edge, to_edge) = side(p, q, y)?;
            from = from.max(from_edge);
            to = to.min(to_edge);
        }
        (from <= to).then_some((y, from..=to))
    })
}

/// The columns of a row that lie on the inner side of an edge; `None`: none does.
fn side(p: Point, q: Point, y: i32) -> Option<(i32, i32)> {
    let counts = p.y == q.y && p.x > q.x || p.y > q.y;
    let ((px, py), (qx, qy)) = (p.wide(), q.wide());
    // (qx - px) (y - py) - (qy - py) (x - px) must be at least 0, or 1 where the edge does not count.
    let steep = qy - py;
    let room = (qx - px) * (i64::from(y) - py) + steep * px - i64::from(!counts);
    let column = |x: i64| x.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    match steep {
        0 => (room >= 0).then_some((i32::MIN, i32::MAX)),
        1.. => Some((i32::MIN, column(room.div_euclid(steep)))),
        _ => Some((column(-room.div_euclid(-steep)), i32::MAX)),
    }
}
