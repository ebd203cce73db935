//! Plots as SVG that stands inside a page: lines with bands, bars, and the frame that others draw
//! in.
//!
//! Knows numbers and labels. Must not know what they mean. Colours are variables of the page's
//! style sheet, so that plots follow it from light to dark.

use std::fmt::Write;

/// Text as it stands in HTML and SVG. Characters that neither can hold become U+FFFD.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// A value over a number, such as that of games, with what lies around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it stands.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Point {
    /// A value without an interval.
    #[must_use]
    pub fn bare(x: f64, y: f64) -> Point {
        Point { x, y, low: y, high: y }
    }
}

/// One line of a plot.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is called in the legend.
    pub name: String,
    /// From left to right.
    pub points: Vec<Point>,
}

/// A plot of lines.
#[derive(Clone, Debug)]
pub struct LinePlot<'a> {
    /// Unique on the page; letters only.
    pub id: &'a str,
    /// What is shown, in one sentence: read out, and shown on pointing.
    pub title: String,
    /// Unit of the vertical axis.
    pub unit: &'a str,
    /// What is counted along the horizontal axis, in the plural.
    pub below: &'a str,
    /// The lines.
    pub series: Vec<Series>,
    /// Dashed lines across: value and label.
    pub marks: Vec<(f64, String)>,
}

/// Width of a plot, in the units of its picture.
pub const WIDTH: f64 = 720.0;
/// Height of a plot.
pub const HEIGHT: f64 = 260.0;
/// Room at the left of the values, for the numbers of the vertical axis.
pub const LEFT: f64 = 56.0;
/// Room at the right.
pub const RIGHT: f64 = 16.0;
/// Room above.
pub const TOP: f64 = 14.0;
/// Room below, for the numbers of the horizontal axis.
pub const BOTTOM: f64 = 40.0;
/// Colours of the style sheet before they come again.
const N_COLOURS: usize = 6;

/// Where values stand in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The least and the greatest value along the horizontal axis.
    pub x: (f64, f64),
    /// The least and the greatest value along the vertical axis.
    pub y: (f64, f64),
}

impl Frame {
    /// Where a value stands along the horizontal axis.
    #[must_use]
    pub fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    /// Where a value stands along the vertical axis.
    #[must_use]
    pub fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (value - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }
}

/// The step, 1, 2 or 5 times a power of ten, that divides a range into at most so many parts.
fn nice_step(range: f64, most: f64) -> f64 {
    let least = range / most;
    let unit = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * unit)
        .find(|&step| step >= least)
        .unwrap_or(10.0 * unit)
}

fn ticks((low, high): (f64, f64), most: f64) -> Vec<f64> {
    let step = nice_step(high - low, most);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|n| n as f64 * step).collect()
}

/// A number at an axis, without the sign of a zero.
fn label(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded}") }
}

/// The range of values that a plot has room for. Intervals of the first few games are wider than
/// all that follows; they may leave the picture.
fn vertical_range(plot: &LinePlot<'_>) -> (f64, f64) {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    let mut hold = |value: f64| {
        low = low.min(value);
        high = high.max(value);
    };
    for series in &plot.series {
        let settled = series.points.len() / 8;
        for point in series.points.iter().skip(settled) {
            hold(point.low);
            hold(point.high);
        }
        series.points.iter().skip(settled / 2).for_each(|point| hold(point.y));
    }
    plot.marks.iter().for_each(|(value, _)| hold(*value));
    let room = ((high - low) * 0.06).max(0.5);
    (low - room, high + room)
}

impl LinePlot<'_> {
    /// The plot as an `svg` element.
    #[must_use]
    pub fn svg(&self) -> String {
        let last = self.series.iter().filter_map(|series| series.points.last());
        let greatest = last.map(|point| point.x).fold(1.0, f64::max);
        let frame = Frame { x: (0.0, greatest), y: vertical_range(self) };
        let mut out = opening(self.id, &self.title);
        axes(&mut out, &frame, self.unit, self.below);
        let clip = format!("{}clip", self.id);
        let _ = write!(
            out,
            "<clipPath id=\"{clip}\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>\
             <g clip-path=\"url(#{clip})\">",
            WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM
        );
        for (index, series) in self.series.iter().enumerate() {
            let colour = index % N_COLOURS;
            if self.series.len() == 1 && series.points.iter().any(|point| point.low < point.high) {
                let there = series.points.iter().map(|point| (point.x, point.high));
                let back = series.points.iter().rev().map(|point| (point.x, point.low));
                let path = path(&frame, there.chain(back));
                let _ = write!(out, "<path class=\"band s{colour}\" d=\"{path}Z\"/>");
            }
            let path = path(&frame, series.points.iter().map(|point| (point.x, point.y)));
            let name = escape(&series.name);
            let dashed = if index >= N_COLOURS { " dashed" } else { "" };
            let _ = write!(
                out,
                "<path class=\"line s{colour}{dashed}\" d=\"{path}\"><title>{name}</title></path>"
            );
            if let Some(end) = series.points.last() {
                let (x, y) = (frame.x(end.x), frame.y(end.y));
                let _ = write!(
                    out,
                    "<circle class=\"dot s{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\">\
                     <title>{name}: {} after {} {}</title></circle>",
                    label(end.y),
                    label(end.x),
                    escape(self.below)
                );
            }
        }
        out.push_str("</g>");
        for (value, text) in &self.marks {
            let y = frame.y(*value);
            let _ = write!(
                out,
                "<line class=\"mark\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"note\" x=\"{}\" y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT + 6.0,
                y - 4.0,
                escape(text)
            );
        }
        out.push_str("</svg>");
        if self.series.len() > 1 {
            out.push_str(&self.legend());
        }
        out
    }

    fn legend(&self) -> String {
        let items = self.series.iter().enumerate().map(|(index, series)| {
            let dashed = if index >= N_COLOURS { " dashed" } else { "" };
            format!(
                "<li><svg class=\"key\" viewBox=\"0 0 24 8\" aria-hidden=\"true\">\
                 <path class=\"line s{}{dashed}\" d=\"M0 4H24\"/></svg>{}</li>",
                index % N_COLOURS,
                escape(&series.name)
            )
        });
        format!("<ul class=\"legend\">{}</ul>", items.collect::<String>())
    }
}

/// The beginning of a plot with its title, which is read out.
#[must_use]
pub fn opening(id: &str, title: &str) -> String {
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}title\">\
         <title id=\"{id}title\">{}</title>",
        escape(title)
    )
}

/// The way through these points, as SVG writes it.
#[must_use]
pub fn path(frame: &Frame, points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{command}{:.1} {:.1}", frame.x(x), frame.y(y));
    }
    path
}

/// Both axes with their numbers, their units and the lines across.
pub fn axes(out: &mut String, frame: &Frame, unit: &str, below: &str) {
    for value in ticks(frame.y, 6.0) {
        let y = frame.y(value);
        let class = if value == 0.0 { "zero" } else { "grid" };
        let _ = write!(
            out,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
            label(value)
        );
    }
    for value in ticks(frame.x, 8.0).into_iter().filter(|value| value.fract() == 0.0) {
        let x = frame.x(value);
        let _ = write!(
            out,
            "<text class=\"tick middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            HEIGHT - BOTTOM + 16.0,
            label(value)
        );
    }
    let _ = write!(
        out,
        "<text class=\"axis end\" x=\"{}\" y=\"{}\">{}</text>\
         <text class=\"axis middle\" transform=\"translate(14 {}) rotate(-90)\">{}</text>",
        WIDTH - RIGHT,
        HEIGHT - 6.0,
        escape(below),
        TOP + (HEIGHT - TOP - BOTTOM) / 2.0,
        escape(unit)
    );
}

/// A bar over a range of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// First value.
    pub from: i64,
    /// Last value.
    pub to: i64,
    /// How many.
    pub count: u64,
}

/// Whole numbers counted in at most some thirty ranges of one width, one of which lies around 0.
/// Where all numbers are even, as they are on boards with an even number of squares, every range
/// holds as many even ones.
#[must_use]
pub fn bars(values: &[i64]) -> Vec<Bar> {
    const MOST_EACH_SIDE: i64 = 16;
    let unit = if values.iter().all(|value| value % 2 == 0) { 2 } else { 1 };
    let farthest = values.iter().map(|value| value.abs() / unit).max().unwrap_or(0);
    // Each range reaches `half` steps to both sides of its middle.
    let half = (0..).find(|half| (farthest + half) / (2 * half + 1) <= MOST_EACH_SIDE).unwrap_or(0);
    let width = 2 * half + 1;
    let place = |value: i64| (value / unit + half).div_euclid(width);
    let n_side = (farthest + half) / width;
    (-n_side..=n_side)
        .map(|index| Bar {
            from: (index * width - half) * unit,
            to: (index * width + half) * unit,
            count: values.iter().filter(|&&value| place(value) == index).count() as u64,
        })
        .collect()
}

/// Bars beside each other, those below 0, at 0 and above in colours of their own.
#[must_use]
pub fn histogram(id: &str, title: &str, unit: &str, below: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let (first, last) = (bars.first().map_or(0, |bar| bar.from), bars.last().map_or(0, |bar| bar.to));
    // Half of what lies between two ranges belongs to each.
    let between = match bars {
        [one, other, ..] => (other.from - one.to) as f64 / 2.0,
        _ => 0.5,
    };
    let x = (first as f64 - between, last as f64 + between);
    let frame = Frame { x, y: (0.0, most as f64 * 1.05) };
    let mut out = opening(id, title);
    axes(&mut out, &frame, unit, below);
    let floor = frame.y(0.0);
    for bar in bars.iter().filter(|bar| bar.count > 0) {
        let class = match (bar.from > 0, bar.to < 0) {
            (true, _) => "won",
            (_, true) => "lost",
            _ => "even",
        };
        let (left, right) = (frame.x(bar.from as f64 - between), frame.x(bar.to as f64 + between));
        let gap = ((right - left) * 0.1).min(2.0);
        let top = frame.y(bar.count as f64);
        let range = if bar.from == bar.to {
            format!("{:+}", bar.from)
        } else {
            format!("{:+} to {:+}", bar.from, bar.to)
        };
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\">\
             <title>{range}: {} {}</title></rect>",
            left + gap / 2.0,
            right - left - gap,
            floor - top,
            bar.count,
            escape(unit)
        );
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_round() {
        assert_eq!(nice_step(100.0, 5.0), 20.0);
        assert_eq!(nice_step(0.9, 5.0), 0.2);
        assert_eq!(ticks((-12.0, 31.0), 6.0), [-10.0, 0.0, 10.0, 20.0, 30.0]);
    }

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(escape("<a href='x'>&\"\u{1b}"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}");
    }

    #[test]
    fn bars_hold_every_value_once_and_zero_in_the_middle() {
        let found = bars(&[-64, -1, 0, 1, 64, 64]);
        assert_eq!(found.iter().map(|bar| bar.count).sum::<u64>(), 6);
        let middle = found[found.len() / 2];
        assert_eq!((middle.from, middle.to, middle.count), (-2, 2, 3));
        assert_eq!(bars(&[]).len(), 1);
    }

    #[test]
    fn even_numbers_are_counted_by_twos() {
        let all_even: Vec<i64> = (-62..=62).filter(|value| value % 2 == 0).collect();
        let found = bars(&all_even);
        assert!(found.iter().all(|bar| bar.count == 3 && bar.to - bar.from == 4), "{found:?}");
    }

    proptest! {
        #[test]
        fn bars_are_few_and_lose_nothing(values in prop::collection::vec(-256..=256_i64, 0..60)) {
            let found = bars(&values);
            prop_assert!(found.len() <= 33);
            prop_assert_eq!(found.iter().map(|bar| bar.count).sum::<u64>(), values.len() as u64);
            let step = if values.iter().all(|value| value % 2 == 0) { 2 } else { 1 };
            prop_assert!(found.windows(2).all(|pair| pair[0].to + step == pair[1].from));
        }

        #[test]
        fn no_number_in_a_plot_is_infinite(ys in prop::collection::vec(-4000.0..4000.0, 0..30)) {
            let points = ys.iter().enumerate()
                .map(|(x, &y)| Point { x: x as f64 + 1.0, y, low: y - 100.0, high: y + 100.0 });
            let series = vec![Series { name: "A".to_owned(), points: points.collect() }];
            let plot = LinePlot { id: "p", title: "t".to_owned(), unit: "Elo", below: "games", series, marks: Vec::new() };
            let svg = plot.svg();
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
