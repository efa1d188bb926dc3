//! Charts as SVG, made here: scales and paths; the elements are templates, escaped by their engine. Colours and
//! weights are the stylesheet's classes.

use askama::Template;
use std::fmt::Write as _;

/// The size of a picture, in its own units, and what is left for words.
struct Frame {
    /// The stylesheet's class: on which screens it is shown.
    class: &'static str,
    width: f64,
    height: f64,
    /// Room for labels on the left, and at most on the right.
    left: f64,
    right: f64,
    /// About how many numbers stand below.
    columns: u32,
    /// The most letters of a curve's name.
    name_chars: usize,
}

/// On wide screens, and on phones.
const FRAMES: [Frame; 2] = [
    Frame {
        class: "wide",
        width: 880.0,
        height: 300.0,
        left: 48.0,
        right: 150.0,
        columns: 10,
        name_chars: 32,
    },
    Frame {
        class: "narrow",
        width: 350.0,
        height: 280.0,
        left: 38.0,
        right: 92.0,
        columns: 5,
        name_chars: 10,
    },
];

/// Room for labels above and below.
const TOP: f64 = 24.0;
const BOTTOM: f64 = 34.0;
/// How long the pieces are of curves that lie on each other.
const DASH: f64 = 9.0;
/// Room for a curve's label besides its letters, how far it is from the curve, and how wide its letters are about.
const LABEL_LEFT: f64 = 12.0;
const LABEL_GAP: f64 = 8.0;
const CHAR_WIDTH: f64 = 10.0;
/// How far bars are apart, and how wide their ends are to either side.
const BAR_WIDTH: f64 = 8.0;
const BAR_END: f64 = 3.0;
/// How far labels of curves are apart at least.
const LABEL_HEIGHT: f64 = 15.0;
/// Up to this many points each is a mark that leads somewhere.
const MARKS_MAX: usize = 60;
/// How wide an interval's picture is.
const SPAN_WIDTH: f64 = 200.0;

impl Frame {
    /// Where curves end, so that there is room for their bars and names.
    fn end(&self, curves: &[Curve]) -> f64 {
        let names = curves.iter().map(|curve| curve.name.chars().count());
        let room = LABEL_LEFT + CHAR_WIDTH * names.max().unwrap_or_default() as f64;
        self.width - self.right.min(room) - bars_width(curves)
    }
}

/// An interval between 0 and 1.
pub(crate) struct Span {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) at: Option<String>,
    pub(crate) words: String,
}

/// An interval between 0 and 1, and where in it the estimate lies.
pub(crate) fn span(low: f64, at: Option<f64>, high: f64) -> Span {
    let place = |share: f64| format!("{:.1}", SPAN_WIDTH * share.clamp(0.0, 1.0));
    Span {
        from: place(low),
        to: place(high),
        at: at.map(|at| {
            format!(
                "{:.1}",
                (SPAN_WIDTH * at.clamp(0.0, 1.0) - 1.5).clamp(0.0, SPAN_WIDTH - 3.0)
            )
        }),
        words: format!(
            "from {:.0} % to {:.0} % of the scale",
            100.0 * low,
            100.0 * high
        ),
    }
}

/// A point of a curve: where, how high, and the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Point {
    fn has_interval(&self) -> bool {
        self.high > self.low
    }
}

/// A curve with a name. Where several points have intervals, these are a band; where the last one alone has, a bar.
pub(crate) struct Curve {
    pub(crate) name: String,
    /// The class of its colour.
    pub(crate) colour: &'static str,
    pub(crate) points: Vec<Point>,
}

impl Curve {
    fn has_band(&self) -> bool {
        self.points
            .iter()
            .filter(|point| point.has_interval())
            .count()
            > 1
    }

    /// The last point, if that alone has an interval.
    fn bar(&self) -> Option<&Point> {
        let last = self.points.last();
        last.filter(|point| point.has_interval() && !self.has_band())
    }
}

#[derive(Template)]
#[template(path = "curves.svg", escape = "html")]
struct Curves<'a> {
    frame: &'a Frame,
    title: &'a str,
    /// What the numbers on the left count; empty: the title says it.
    unit: &'a str,
    below: &'a str,
    plot: (f64, f64, f64, f64),
    /// Where the names of curves begin.
    names: f64,
    rows: Vec<(String, String)>,
    columns: Vec<Column>,
    /// Whether the numbers below lead somewhere.
    leads: bool,
    curves: Vec<Drawn<'a>>,
}

/// Where the number below a column leads.
pub(crate) type Leads<'a> = &'a dyn Fn(u32) -> String;

/// A number below the curves.
struct Column {
    x: String,
    text: String,
    link: Option<String>,
}

/// A curve as it is drawn.
struct Drawn<'a> {
    name: &'a str,
    /// The name, cut to fit.
    short: String,
    colour: &'static str,
    /// The pieces and gaps of its line, and where they begin, where other curves have the same one.
    dash: Option<(String, String)>,
    line: String,
    band: String,
    bar: String,
    /// Place, link and words of each point.
    marks: Vec<(String, String, String, String)>,
    end: (String, String),
    label: String,
}

/// Curves with their bands or bars over a common scale, for wide screens and for phones; `None` without any point. Axes are
/// named `unit` and `below`. What stands at `x` leads to where `to` has it, if that is given.
pub(crate) fn curves(
    title: &str,
    [unit, below]: [&str; 2],
    to: Option<Leads<'_>>,
    curves: &[Curve],
) -> Option<String> {
    let pictures = FRAMES.iter();
    pictures
        .map(|frame| framed(frame, [title, unit, below], to, curves))
        .collect()
}

fn framed(
    frame: &Frame,
    [title, unit, below]: [&str; 3],
    to: Option<Leads<'_>>,
    curves: &[Curve],
) -> Option<String> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (x_low, x_high) = bounds(points().map(|point| point.x))?;
    let ends = points().flat_map(|point| [point.low, point.y, point.high]);
    let (y_low, y_high) = bounds(ends)?;
    let (left, right) = (frame.left, frame.end(curves));
    let (top, bottom) = (TOP, frame.height - BOTTOM);
    let scale = |value: f64, low: f64, high: f64| match high > low {
        true => (value - low) / (high - low),
        false => 0.5,
    };
    let x = |value: f64| left + (right - left) * scale(value, x_low, x_high);
    let y = |value: f64| bottom - (bottom - top) * scale(value, y_low, y_high);
    let rows = ticks(y_low, y_high, 6).into_iter();
    let rows = rows.map(|(value, text)| (format!("{:.1}", y(value)), text));
    let mut drawn: Vec<Drawn<'_>> = Vec::new();
    for curve in curves {
        let Some(last) = curve.points.last() else {
            continue;
        };
        drawn.push(Drawn {
            name: &curve.name,
            short: short(&curve.name, frame.name_chars),
            colour: curve.colour,
            dash: None,
            line: path(curve.points.iter().map(|point| (x(point.x), y(point.y)))),
            band: band(curve, &x, &y),
            bar: String::new(),
            marks: to.map_or_else(Vec::new, |to| marks(curve, to, &x, &y)),
            end: (format!("{:.1}", x(last.x)), format!("{:.1}", y(last.y))),
            label: String::new(),
        });
    }
    let names = LABEL_GAP + place_bars(&mut drawn, curves, right, &y);
    place_labels(&mut drawn, top, bottom);
    dash_equal(&mut drawn);
    let picture = Curves {
        frame,
        title,
        unit,
        below,
        plot: (left, right, top, bottom),
        names,
        rows: rows.collect(),
        columns: columns([x_low, x_high], frame.columns, to, &x),
        leads: to.is_some(),
        curves: drawn,
    };
    picture.render().ok()
}

/// A text that is cut where there is no room for it.
pub(crate) fn short(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Lines that lie on each other are drawn in pieces by turns, so that each is seen.
fn dash_equal(drawn: &mut [Drawn<'_>]) {
    let lines: Vec<String> = drawn.iter().map(|curve| curve.line.clone()).collect();
    for (at, curve) in drawn.iter_mut().enumerate() {
        let alike = lines.iter().filter(|line| **line == curve.line).count();
        let earlier = lines.iter().take(at);
        let turn = earlier.filter(|line| **line == curve.line).count();
        if alike > 1 {
            let gap = DASH * (alike - 1) as f64;
            let start = 0.0 - DASH * turn as f64;
            curve.dash = Some((format!("{DASH} {gap}"), format!("{start}")));
        }
    }
}

/// The least and the greatest of finite numbers.
fn bounds(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = numbers.filter(|number| number.is_finite());
    finite.fold(None, |bounds, number| {
        let (low, high) = bounds.unwrap_or((number, number));
        Some((low.min(number), high.max(number)))
    })
}

/// Round numbers in an interval, about `count` of them.
fn ticks(low: f64, high: f64, count: u32) -> Vec<(f64, String)> {
    let rough = (high - low) / f64::from(count);
    if rough <= 0.0 || !rough.is_finite() {
        return vec![(low, format!("{low:.0}"))];
    }
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let step = steps
        .into_iter()
        .map(|step| step * power)
        .find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let first = (low / step).ceil() as i64;
    let numbers = (first..)
        .map(|number| number as f64 * step)
        .take_while(|value| *value <= high);
    numbers
        .take(50)
        .map(|value| (value, minus(format!("{:.decimals$}", value + 0.0))))
        .collect()
}

/// A number with a minus sign in place of a hyphen.
pub(crate) fn minus(number: String) -> String {
    number.replace('-', "−")
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut text = String::new();
    for (x, y) in points {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{}{x:.1} {y:.1}",
            if text.is_empty() { "M" } else { "L" }
        );
    }
    text
}

/// There along the upper ends, back along the lower ones; empty where the curve has none.
fn band(curve: &Curve, x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) -> String {
    if !curve.has_band() {
        return String::new();
    }
    let points = curve.points.iter();
    let upper = points.clone().map(|point| (x(point.x), y(point.high)));
    let lower = points.rev().map(|point| (x(point.x), y(point.low)));
    let mut text = path(upper.chain(lower));
    text.push('Z');
    text
}

/// The room that the bars of curves take.
fn bars_width(curves: &[Curve]) -> f64 {
    let bars = curves.iter().filter_map(Curve::bar);
    BAR_WIDTH * bars.count() as f64
}

/// Bars behind the curves' ends at `right`, next to each other. Returns where the last one is.
fn place_bars(
    drawn: &mut [Drawn<'_>],
    curves: &[Curve],
    right: f64,
    y: &impl Fn(f64) -> f64,
) -> f64 {
    let curves = curves.iter().filter(|curve| !curve.points.is_empty());
    let mut at = right;
    for (drawn, curve) in drawn.iter_mut().zip(curves) {
        if let Some(point) = curve.bar() {
            at += BAR_WIDTH;
            drawn.bar = bar(at, point, y);
        }
    }
    at
}

/// An interval at `x`, with its ends and its estimate.
fn bar(x: f64, point: &Point, y: &impl Fn(f64) -> f64) -> String {
    let (from, width) = (x - BAR_END, 2.0 * BAR_END);
    let across = |at: f64| format!("M{from:.1} {:.1}h{width}", y(at));
    format!(
        "M{x:.1} {:.1}V{:.1}{}{}{}",
        y(point.high),
        y(point.low),
        across(point.high),
        across(point.y),
        across(point.low)
    )
}

/// The whole ones among about `count` round numbers from the low to the high end, for below the curves.
fn columns(
    [low, high]: [f64; 2],
    count: u32,
    to: Option<Leads<'_>>,
    x: &impl Fn(f64) -> f64,
) -> Vec<Column> {
    let numbers = ticks(low, high, count).into_iter().map(|tick| tick.0);
    let whole = numbers.filter(|value| value.fract() == 0.0);
    let columns = whole.map(|value| Column {
        x: format!("{:.1}", x(value)),
        text: format!("{value:.0}"),
        link: to.map(|to| to(value as u32)),
    });
    columns.collect()
}

/// The points of a curve that has few of them.
fn marks(
    curve: &Curve,
    to: Leads<'_>,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(f64) -> f64,
) -> Vec<(String, String, String, String)> {
    let points = curve.points.iter();
    let points = points.filter(|_| curve.points.len() <= MARKS_MAX);
    let mark = |point: &Point| {
        let value = minus(format!("{:.0}", point.y));
        let words = format!("{}: {value} after {:.0}", curve.name, point.x);
        let place = (format!("{:.1}", x(point.x)), format!("{:.1}", y(point.y)));
        (place.0, place.1, to(point.x as u32), words)
    };
    points.map(mark).collect()
}

/// Labels next to the ends of their curves, moved apart where they would cover each other.
fn place_labels(drawn: &mut [Drawn<'_>], top: f64, bottom: f64) {
    let mut order: Vec<(f64, usize)> = drawn
        .iter()
        .enumerate()
        .map(|(at, curve)| (curve.end.1.parse().unwrap_or(top), at))
        .collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = top;
    let room = LABEL_HEIGHT * order.len() as f64;
    for (rest, (wanted, at)) in order.into_iter().enumerate() {
        let below = room - LABEL_HEIGHT * rest as f64;
        let y = wanted.min(bottom - below + LABEL_HEIGHT).max(free);
        free = y + LABEL_HEIGHT;
        if let Some(curve) = drawn.get_mut(at) {
            curve.label = format!("{:.1}", y + 4.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Point, curves, span, ticks};

    #[test]
    fn curves_have_bands_labels_and_escaped_names() {
        let point = |x, y| Point {
            x,
            y,
            low: y - 10.0,
            high: y + 10.0,
        };
        let curve = |name: &str, y: f64| Curve {
            name: name.to_owned(),
            colour: "s-p3",
            points: vec![point(1.0, y), point(2.0, y + 5.0)],
        };
        let both = [curve("a<b", 0.0), curve("other", 1.0)];
        let to = |round: u32| format!("#round-{round}");
        let svg = curves("Ratings & errors", ["Elo", "round"], Some(&to), &both).unwrap();
        assert!(svg.contains("a&#60;b") && !svg.contains("a<b"), "{svg}");
        assert!(svg.contains("Ratings &#38; errors"), "{svg}");
        // Of the two pictures one is shown.
        let (wide, narrow) = svg.split_once("<svg class=\"chart narrow\"").unwrap();
        for svg in [wide, narrow] {
            for part in ["band", "edge s-line"] {
                let class = format!("class=\"{part} s-p3\"");
                assert_eq!(svg.matches(&class).count(), 2, "{svg}");
            }
            assert_eq!(svg.matches("href=\"#round-2\"").count(), 3, "{svg}");
            // The numbers below are enough for keys.
            let marks = "href=\"#round-2\" tabindex=\"-1\"";
            assert_eq!(svg.matches(marks).count(), 2, "{svg}");
        }
        assert!(!svg.contains("style="), "{svg}");
        assert_eq!(svg.matches(">Elo</text>").count(), 2, "{svg}");
        assert!(!svg.contains("dasharray"), "{svg}");
        // Rounds are whole.
        assert!(svg.contains(">1</text>") && !svg.contains(">1.0<"), "{svg}");
        // Where the last point alone has an interval, it is a bar next to the others', before the names.
        let mut three = ["one", "two", "three"].map(|name| curve(name, 0.0));
        for curve in &mut three {
            let first = &mut curve.points[0];
            (first.low, first.high) = (first.y, first.y);
        }
        let svg = curves("three", ["", "round"], None, &three).unwrap();
        assert!(!svg.contains("class=\"band") && !svg.contains("class=\"edge"));
        let wide = svg.split_once("<svg class=\"chart narrow\"").unwrap().0;
        let starts = wide.split("class=\"bar s-line s-p3\" d=\"M").skip(1);
        let starts = starts.map(|rest| rest.split_once(' ').unwrap().0);
        assert_eq!(starts.collect::<Vec<_>>(), ["802.0", "810.0", "818.0"]);
        assert!(wide.contains("<text class=\"s-p3\" x=\"826\""), "{wide}");
        assert!(curves("none", ["", ""], None, &[]).is_none());
        let alone = Curve {
            name: "one".into(),
            colour: "s-p0",
            points: vec![point(1.0, 3.0)],
        };
        assert!(curves("one", ["", ""], None, &[alone]).is_some_and(|svg| !svg.contains("NaN")));
    }

    #[test]
    fn curves_that_lie_on_each_other_are_all_seen() {
        let curve = |name: &str, y: f64| {
            let point = |x| Point {
                x,
                y,
                low: y,
                high: y,
            };
            Curve {
                name: name.to_owned(),
                colour: "s-p0",
                points: vec![point(1.0), point(2.0)],
            }
        };
        let all = [
            curve("one", 3.0),
            curve("lower", 1.0),
            curve("with a long name", 3.0),
        ];
        let svg = curves("Ratings", ["", "round"], None, &all).unwrap();
        assert!(!svg.contains("class=\"band"), "no interval: {svg}");
        let dashed = |start| format!("stroke-dasharray=\"9 9\" stroke-dashoffset=\"{start}\"");
        for start in ["0", "-9"] {
            assert_eq!(svg.matches(&dashed(start)).count(), 2, "{start}: {svg}");
        }
        assert!(svg.contains(">with a lon…</text>"), "{svg}");
    }

    #[test]
    fn ticks_are_round_and_spans_stay_on_their_rail() {
        let texts: Vec<String> = ticks(-37.0, 62.0, 5)
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(texts, ["−20", "0", "20", "40", "60"]);
        let texts: Vec<String> = ticks(0.73, 0.89, 6)
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(texts, ["0.75", "0.80", "0.85"]);
        assert_eq!(ticks(3.0, 3.0, 5).len(), 1);
        let all = span(-1.0, Some(2.0), 7.0);
        assert_eq!(
            (&*all.from, &*all.to, all.at.as_deref()),
            ("0.0", "200.0", Some("197.0"))
        );
    }
}
