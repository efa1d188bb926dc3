//! A writer of SVG elements: the one place where text and numbers become markup.

use std::fmt::{self, Display, Write as _};

/// Characters of one text that are written at most.
const TEXT_CHARS_MAX: usize = 80;

/// Where a text stands to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A place in the view box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        Self { x, y }
    }
}

/// How large a rectangle is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

impl From<(f64, f64)> for Size {
    fn from((width, height): (f64, f64)) -> Self {
        Self { width, height }
    }
}

/// A fragment of SVG in the making. Coordinates and lengths are in units of the view box; `class` is one of
/// [`super::CLASSES`] or several with spaces between them.
#[derive(Clone, Debug, Default)]
pub struct Svg(String);

impl Svg {
    /// An empty fragment.
    #[must_use]
    pub const fn new() -> Self {
        Self(String::new())
    }

    /// A fragment that begins with what is to be seen, in words.
    #[must_use]
    pub fn titled(title: &str) -> Self {
        let mut svg = Self::new();
        svg.title(title);
        svg
    }

    /// The fragment.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }

    /// A rectangle from its upper left corner, its corners rounded by a radius.
    pub fn rect(&mut self, class: &str, at: impl Into<Point>, size: impl Into<Size>, radius: f64) {
        let (Point { x, y }, Size { width, height }) = (at.into(), size.into());
        let numbers = [
            ("x", x),
            ("y", y),
            ("width", width.max(0.0)),
            ("height", height.max(0.0)),
            ("rx", radius),
        ];
        self.shape("rect", class, &numbers);
    }

    /// A circle.
    pub fn circle(&mut self, class: &str, middle: impl Into<Point>, radius: f64) {
        let Point { x, y } = middle.into();
        let numbers = [("cx", x), ("cy", y), ("r", radius.max(0.0))];
        self.shape("circle", class, &numbers);
    }

    /// A line through several points, of this width.
    pub fn polyline(
        &mut self,
        class: &str,
        points: impl IntoIterator<Item = (f64, f64)>,
        width: f64,
    ) {
        self.through("polyline", class, points, &[("stroke-width", width)]);
    }

    /// A filled shape with these corners.
    pub fn polygon(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        self.through("polygon", class, points, &[]);
    }

    /// Boxes of one kind as one element, each given as `[x, y, width, height]`; nothing if there are none.
    pub fn boxes(&mut self, class: &str, boxes: impl IntoIterator<Item = [f64; 4]>) {
        self.path(class, &[], boxes, |out, [x, y, width, height]| {
            let [x, y, width, height] = [x, y, width, height].map(Number);
            let back = Number(-width.0);
            write!(out, "M{x} {y}h{width}v{height}h{back}z")
        });
    }

    /// Straight lines of one kind as one element, each given by its ends; nothing if there are none.
    pub fn strokes(
        &mut self,
        class: &str,
        ends: impl IntoIterator<Item = ((f64, f64), (f64, f64))>,
        width: f64,
    ) {
        self.path(
            class,
            &[("stroke-width", width)],
            ends,
            |out, (from, to)| {
                let [(x, y), (to_x, to_y)] = [from, to].map(|(x, y)| (Number(x), Number(y)));
                write!(out, "M{x} {y}L{to_x} {to_y}")
            },
        );
    }

    /// The lines between the cells of a field, `step` units from one to the next.
    pub fn grid(
        &mut self,
        at: impl Into<Point>,
        size: impl Into<Size>,
        step: f64,
        stroke_width: f64,
    ) {
        let (Point { x, y }, Size { width, height }) = (at.into(), size.into());
        let inner = |length: f64| {
            let lines = 1..(length / step).ceil() as u32;
            lines.map(move |line| f64::from(line) * step)
        };
        let down = inner(width).map(|at| ((x + at, y), (x + at, y + height)));
        let across = inner(height).map(|at| ((x, y + at), (x + width, y + at)));
        self.strokes("s-line s-faint", down.chain(across), stroke_width);
    }

    /// Round shapes with six bumps, such as wool, as one element; nothing if there are none. A bump begins and ends this
    /// far from the middle.
    pub fn tufts(
        &mut self,
        class: &str,
        middles: impl IntoIterator<Item = impl Into<Point>>,
        radius: f64,
    ) {
        self.path(class, &[], middles, |out, middle| {
            let Point { x, y } = middle.into();
            write!(out, "M{} {}", Number(x + radius), Number(y))?;
            (1..=6).try_for_each(|bump| {
                let (sin, cos) = (f64::from(bump) * std::f64::consts::FRAC_PI_3).sin_cos();
                let (x, y) = (Number(x + radius * cos), Number(y + radius * sin));
                let bend = Number(radius * 0.55);
                write!(out, "A{bend} {bend} 0 0 1 {x} {y}")
            })
        });
    }

    /// Lines through several points each, as one element; nothing if there are none.
    pub fn lines(
        &mut self,
        class: &str,
        lines: impl IntoIterator<Item = Vec<(f64, f64)>>,
        width: f64,
    ) {
        let write = |out: &mut String, line: Vec<(f64, f64)>| {
            for (at, (x, y)) in line.into_iter().enumerate() {
                let letter = if at == 0 { 'M' } else { 'L' };
                write!(out, "{letter}{} {}", Number(x), Number(y))?;
            }
            Ok(())
        };
        self.path(class, &[("stroke-width", width)], lines, write);
    }

    /// A drawing in a square of 48 units, its upper left corner here, its side so long.
    pub fn drawing(&mut self, class: &str, at: impl Into<Point>, side: f64, path: &'static str) {
        let Point { x, y } = at.into();
        self.open("path", class, &[]);
        let (x, y, scale) = (Number(x), Number(y), Number(side / 48.0));
        let _ = write!(
            self.0,
            " transform=\"translate({x} {y})scale({scale})\" d=\"{path}\"/>"
        );
    }

    fn path<T>(
        &mut self,
        class: &str,
        numbers: &[(&'static str, f64)],
        parts: impl IntoIterator<Item = T>,
        write: impl Fn(&mut String, T) -> fmt::Result,
    ) {
        let mut parts = parts.into_iter().peekable();
        if parts.peek().is_none() {
            return;
        }
        self.open("path", class, numbers);
        self.0.push_str(" d=\"");
        for part in parts {
            // Writing to a string cannot fail.
            let _ = write(&mut self.0, part);
        }
        self.0.push_str("\"/>");
    }

    /// An element without content that has numbers only: what the methods above do not have.
    pub fn shape(&mut self, name: &'static str, class: &str, numbers: &[(&'static str, f64)]) {
        self.open(name, class, numbers);
        self.0.push_str("/>");
    }

    /// A line of text on this base line, `size` high.
    pub fn text(
        &mut self,
        class: &str,
        at: impl Into<Point>,
        size: f64,
        anchor: Anchor,
        text: impl Display,
    ) {
        let Point { x, y } = at.into();
        self.open("text", class, &[("x", x), ("y", y), ("font-size", size)]);
        let _ = match anchor {
            Anchor::Start => Ok(()),
            Anchor::Middle => self.0.write_str(" text-anchor=\"middle\""),
            Anchor::End => self.0.write_str(" text-anchor=\"end\""),
        };
        self.0.push('>');
        self.words(&text.to_string());
        self.0.push_str("</text>");
    }

    /// Elements that belong together; `title` says what they are to a person who points at them or has them read out,
    /// and is left out where it is empty.
    pub fn group(&mut self, class: &str, title: &str, draw: impl FnOnce(&mut Self)) {
        self.open("g", class, &[]);
        self.0.push('>');
        if !title.is_empty() {
            self.title(title);
        }
        draw(self);
        self.0.push_str("</g>");
    }

    fn title(&mut self, title: &str) {
        self.0.push_str("<title>");
        self.words(title);
        self.0.push_str("</title>");
    }

    fn through(
        &mut self,
        name: &'static str,
        class: &str,
        points: impl IntoIterator<Item = (f64, f64)>,
        numbers: &[(&'static str, f64)],
    ) {
        self.open(name, class, numbers);
        self.0.push_str(" points=\"");
        for (at, (x, y)) in points.into_iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            let _ = write!(self.0, "{space}{},{}", Number(x), Number(y));
        }
        self.0.push_str("\"/>");
    }

    /// Begins an element's tag. Zeros are what SVG takes where nothing is said.
    fn open(&mut self, name: &'static str, class: &str, numbers: &[(&'static str, f64)]) {
        let _ = write!(self.0, "<{name}");
        if !class.is_empty() {
            let _ = write!(self.0, " class=\"{}\"", escaped(class));
        }
        for (name, value) in numbers {
            let value = Number(*value).to_string();
            if value != "0" {
                let _ = write!(self.0, " {name}=\"{value}\"");
            }
        }
    }

    fn words(&mut self, text: &str) {
        match text.char_indices().nth(TEXT_CHARS_MAX) {
            None => self.0.push_str(&escaped(text)),
            Some((end, _)) => {
                self.0
                    .push_str(&escaped(text.get(..end).unwrap_or_default()));
                self.0.push('…');
            }
        }
    }
}

/// A number with at most two decimals; what is no number is 0.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Numbers beyond are of no picture.
        const MOST: f64 = 1e6;
        let value = if self.0.is_finite() { self.0 } else { 0.0 };
        let hundredths = (value.clamp(-MOST, MOST) * 100.0).round();
        // Adding 0 makes a negative zero positive.
        write!(out, "{}", hundredths / 100.0 + 0.0)
    }
}

/// Text as XML: markup escaped, and what XML cannot hold replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            letter if letter.is_control() => out.push('\u{FFFD}'),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Anchor, Svg};
    use crate::scene::Picture;

    #[test]
    fn whatever_is_drawn_is_xml() {
        let hostile = "</title><script>alert('\"&')</script>\u{0}\u{FFFF}]]>\n".repeat(9);
        let mut svg = Svg::titled(&hostile);
        svg.rect("s-board", (0.0, -0.001), (1.0 / 3.0, -5.0), 0.0);
        svg.group("s-p0", &hostile, |svg| {
            svg.circle("\" onload=\"x", (f64::NAN, f64::INFINITY), 1e300);
            svg.text("s-text", (1.0, 2.0), 3.0, Anchor::Middle, &hostile);
            svg.polyline("s-line", [(1.0, 2.0), (3.456, 4.0)], 1.0);
            svg.boxes("s-fill", [[1.0, 2.0, 3.0, 4.0]]);
            svg.strokes("s-line", [((0.0, -1.5), (f64::NAN, 2.0))], 1.0);
            svg.boxes("s-fill", []);
            svg.grid((0.0, 0.0), (4.0, 2.0), 2.0, 1.0);
            svg.tufts("s-fill", [(1.0, 1.0), (f64::NAN, 1.0)], 10.0);
        });
        let moving = svg.finish();
        assert!(
            moving.contains("width=\"0.33\"/>") && !moving.contains("height"),
            "{moving}"
        );
        assert!(moving.contains("points=\"1,2 3.46,4\""), "{moving}");
        assert!(moving.contains("r=\"1000000\""), "{moving}");
        for path in ["M1 2h3v4h-3z", "M0 -1.5L0 2", "M2 0L2 2"] {
            assert!(moving.contains(&format!(" d=\"{path}\"/>")), "{moving}");
        }
        let picture = Picture {
            width: 10,
            height: 10,
            still: String::new(),
            moving,
        };
        let document = picture.document(".a > .b { fill: red }");
        let parsed = roxmltree::Document::parse(&document).expect("XML");
        let elements = parsed.descendants().filter(|node| node.is_element());
        let names: Vec<&str> = elements.map(|node| node.tag_name().name()).collect();
        assert_eq!(
            names,
            [
                "svg", "style", "g", "g", "title", "rect", "g", "title", "circle", "text",
                "polyline", "path", "path", "path", "path"
            ]
        );
    }
}
