//! Charts as SVG, without a library: bars by case, and curves on logarithmic axes.

use super::run::Row;
use std::fmt::Write as _;

/// Colours of engines, the first for Tumble.
const COLOURS: [&str; 9] =
    ["#c0392b", "#2980b9", "#1f618d", "#27ae60", "#8e44ad", "#f39c12", "#7f8c8d", "#16a085", "#34495e"];

fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Time of every engine on one thread as a multiple of the fastest that passes, a group of bars for each case. Bars of engines
/// that fail the gate are hollow.
pub fn bars(rows: &[Row]) -> String {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.threads == 1 && row.best().is_some()).collect();
    let (mut cases, mut engines): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for row in &rows {
        if !cases.contains(&row.case.as_str()) {
            cases.push(&row.case);
        }
        if !engines.contains(&row.engine.as_str()) {
            engines.push(&row.engine);
        }
    }
    const BAR: usize = 9;
    const LEFT: usize = 130;
    const WIDE: f64 = 560.0;
    // Longer bars are cut there, with their figure beside them.
    const LONGEST: f64 = 6.0;
    let group = BAR * engines.len() + 10;
    let height = 50 + group * cases.len();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"14\">time per step on one thread, as a multiple of the fastest engine that passes (hollow: fails)</text>\n"
    );
    for (i, engine) in engines.iter().enumerate() {
        let x = LEFT + 80 * i;
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"22\" width=\"9\" height=\"9\" fill=\"{}\"/>", colour(i));
        let _ = writeln!(svg, "<text x=\"{}\" y=\"31\">{}</text>", x + 12, escape(engine));
    }
    for (c, case) in cases.iter().enumerate() {
        let top = 42 + c * group;
        let _ = writeln!(svg, "<text x=\"4\" y=\"{}\">{}</text>", top + group / 2, escape(case));
        let of_case = || rows.iter().filter(|row| row.case == *case);
        let fastest = of_case().filter(|row| row.passes()).filter_map(|row| row.best()).reduce(f64::min);
        let Some(fastest) = fastest else { continue };
        for row in of_case() {
            let Some(i) = engines.iter().position(|engine| *engine == row.engine) else { continue };
            let times = row.best().unwrap_or(fastest) / fastest;
            let long = WIDE * times.min(LONGEST) / LONGEST;
            let fill = if row.passes() { colour(i) } else { "none" };
            let y = top + BAR * i;
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{long:.1}\" height=\"7\" fill=\"{fill}\" stroke=\"{}\"/>",
                colour(i)
            );
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" font-size=\"8\">{times:.2}</text>",
                LEFT as f64 + long + 4.0,
                y + 7
            );
        }
    }
    svg + "</svg>\n"
}

/// Curves through points (x, y) on logarithmic axes, one for each name.
pub fn curves(title: &str, x_label: &str, y_label: &str, lines: &[(String, Vec<(f64, f64)>)]) -> String {
    let points = || lines.iter().flat_map(|(_, points)| points).filter(|(x, y)| *x > 0.0 && *y > 0.0);
    let range = |pick: fn(&(f64, f64)) -> f64| {
        let low = points().map(pick).reduce(f64::min).unwrap_or(1.0);
        let high = points().map(pick).reduce(f64::max).unwrap_or(10.0);
        (low.log10().floor(), high.log10().ceil().max(low.log10().floor() + 1.0))
    };
    let (xs, ys) = (range(|p| p.0), range(|p| p.1));
    let place = |(x, y): (f64, f64)| {
        let along = (x.log10() - xs.0) / (xs.1 - xs.0);
        let up = (y.log10() - ys.0) / (ys.1 - ys.0);
        (70.0 + 520.0 * along, 360.0 - 310.0 * up)
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"410\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"70\" y=\"20\">{}</text>\n\
         <text x=\"300\" y=\"400\">{}</text>\n<text x=\"4\" y=\"36\">{}</text>\n",
        escape(title),
        escape(x_label),
        escape(y_label)
    );
    for power in xs.0 as i32..=xs.1 as i32 {
        let (x, _) = place((10_f64.powi(power), 10_f64.powf(ys.0)));
        let _ = writeln!(svg, "<line x1=\"{x:.1}\" y1=\"50\" x2=\"{x:.1}\" y2=\"360\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"376\">{}</text>", 10_f64.powi(power));
    }
    for power in ys.0 as i32..=ys.1 as i32 {
        let (_, y) = place((10_f64.powf(xs.0), 10_f64.powi(power)));
        let _ = writeln!(svg, "<line x1=\"70\" y1=\"{y:.1}\" x2=\"590\" y2=\"{y:.1}\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"20\" y=\"{y:.1}\">{}</text>", 10_f64.powi(power));
    }
    for (i, (name, points)) in lines.iter().enumerate() {
        let path: Vec<String> =
            points.iter().map(|&point| place(point)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
            path.join(" "),
            colour(i)
        );
        let _ = writeln!(svg, "<text x=\"600\" y=\"{}\" fill=\"{}\">{}</text>", 60 + 14 * i, colour(i), escape(name));
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A straight line of slope one ends in the corners of its decades.
    #[test]
    fn curves_are_placed_by_their_logarithms() {
        let svg = curves("t", "x", "y", &[("line".to_owned(), vec![(100.0, 1.0), (1000.0, 10.0)])]);
        assert!(svg.contains("points=\"70.0,360.0 590.0,50.0\""), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }
}
