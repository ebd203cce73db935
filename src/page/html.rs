//! The parts that pages for people are made of: the frame, tables, figures, and the style sheet.
//!
//! Knows text. Must not know what it is about. A page needs no script and nothing from outside, is
//! light or dark as the reader's system has it, and fit for print. Everything that comes from outside
//! passes through [`escape`].

use std::fmt::Write;

use super::plot::escape;

/// A whole page: its title, rules of its own behind those of the style sheet, and what stands below
/// the title, which is HTML.
#[must_use]
pub fn page(title: &str, more_style: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"{} {}\">\n<title>{title}</title>\n\
         <style>{STYLE}{more_style}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n",
        crate::NAME,
        crate::VERSION,
    )
}

/// A picture with what it shows.
#[must_use]
pub fn figure(heading: &str, caption: &str, svg: &str) -> String {
    format!(
        "<section>\n<h2>{}</h2>\n<figure>{svg}<figcaption>{}.</figcaption></figure>\n</section>\n",
        escape(heading),
        escape(caption)
    )
}

/// How a column is shown. The cells are plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To be read.
    Text,
    /// Aligned at the right.
    Number,
    /// To be copied.
    Code,
}

/// A section with a heading, a note where it is not empty, and a table.
#[must_use]
pub fn table(heading: &str, note: &str, columns: &[(&str, Kind)], rows: &[Vec<String>]) -> String {
    let mut out = table_head(heading, note, columns);
    out.push_str("<tbody>\n");
    out.extend(rows.iter().map(|row| table_row(row, columns)));
    out.push_str("</tbody></table></div>\n</section>\n");
    out
}

/// The beginning of such a section, up to the bodies of the table. It is ended by
/// `</table></div>` and `</section>`.
#[must_use]
pub fn table_head(heading: &str, note: &str, columns: &[(&str, Kind)]) -> String {
    let mut out = format!("<section>\n<h2>{}</h2>\n", escape(heading));
    if !note.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n\
         <caption class=\"unseen\">{}</caption>\n<thead><tr>",
        escape(heading),
        escape(heading)
    );
    for (name, kind) in columns {
        let _ = write!(out, "<th scope=\"col\"{}>{}</th>", kind.class(), escape(name));
    }
    out.push_str("</tr></thead>\n");
    out
}

/// A row; cells without a column are left out.
#[must_use]
pub fn table_row(row: &[String], columns: &[(&str, Kind)]) -> String {
    let mut out = "<tr>".to_owned();
    for (index, (cell, (_, kind))) in row.iter().zip(columns).enumerate() {
        let (class, cell) = (kind.class(), escape(cell));
        let _ = match (index, kind) {
            (0, _) => write!(out, "<th scope=\"row\"{class}>{cell}</th>"),
            (_, Kind::Code) => write!(out, "<td{class}><code>{cell}</code></td>"),
            _ => write!(out, "<td{class}>{cell}</td>"),
        };
    }
    out.push_str("</tr>\n");
    out
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Text => "",
            Kind::Number => " class=\"number\"",
            Kind::Code => " class=\"code\"",
        }
    }
}

/// Names with values, side by side; those without a value are left out.
#[must_use]
pub fn definitions(class: &str, items: &[(&str, String)]) -> String {
    let mut out = format!("<dl class=\"{class}\">\n");
    for (name, value) in items.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
    }
    out.push_str("</dl>\n");
    out
}

/// Colours are those of a board: the two families of the histogram differ in lightness as well, so
/// that they are told apart in print and by every eye.
const STYLE: &str = "
:root{color-scheme:light dark;--page:#fcfcfa;--text:#1d2321;--soft:#5c6663;--rule:#d9dedb;--panel:#f1f4f1;
--s0:#0b6e4f;--s1:#b5460f;--s2:#3a5fb0;--s3:#8a3b8f;--s4:#9a7400;--s5:#a8324a;--won:#0b6e4f;--lost:#d98a5f;--even:#8a9390}
@media(prefers-color-scheme:dark){:root{--page:#151a18;--text:#e6ebe8;--soft:#9ba6a1;--rule:#343c39;--panel:#1f2623;
--s0:#4cc79a;--s1:#f0905c;--s2:#8eaef5;--s3:#d690db;--s4:#dfb93f;--s5:#f08095;--won:#4cc79a;--lost:#a9603a;--even:#7c8783}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}
main{max-width:72rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:.2rem 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
p.note,figcaption{color:var(--soft);font-size:.87rem;margin:.2rem 0 .7rem;max-width:62rem}
dl{margin:0 0 1rem;display:flex;flex-wrap:wrap;gap:.6rem}
dl.figures>div{background:var(--panel);border-radius:.5rem;padding:.55rem .9rem;flex:1 1 auto}
dl.settings{gap:.2rem 1.6rem}
dl.settings>div{display:flex;gap:.5rem}
dt{color:var(--soft);font-size:.87rem}
dd{margin:0;overflow-wrap:anywhere}
dl.figures dd{font-size:1.1rem;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .75rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th{color:var(--soft);font-weight:600;font-size:.87rem;border-bottom-width:2px;white-space:nowrap}
tbody th{font-weight:600}
th.number,td.number{text-align:right;white-space:nowrap}
code{font:.82rem/1.45 ui-monospace,\"DejaVu Sans Mono\",Consolas,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
tbody.game tr:first-child>*{border-bottom:0;padding-bottom:0}
tr.moves td{padding:.1rem 0 .4rem 2.6rem}
figure{margin:0}
svg.plot{display:block;width:100%;height:auto;max-width:60rem}
svg text{fill:var(--soft);font-size:12px;font-family:inherit}
svg .note{fill:var(--text)}
svg .end{text-anchor:end}
svg .middle{text-anchor:middle}
svg .grid{stroke:var(--rule)}
svg .zero{stroke:var(--soft)}
svg .mark{stroke:var(--text);stroke-dasharray:5 4}
svg .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
svg .dashed{stroke-dasharray:6 3}
svg .dot{fill:var(--c)}
svg .band{fill:var(--c);opacity:.18}
svg .s0{--c:var(--s0)}svg .s1{--c:var(--s1)}svg .s2{--c:var(--s2)}svg .s3{--c:var(--s3)}svg .s4{--c:var(--s4)}svg .s5{--c:var(--s5)}
svg .won{fill:var(--won)}svg .lost{fill:var(--lost)}svg .even{fill:var(--even)}
ul.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.3rem 0;padding:0}
svg.key{width:1.6rem;height:.6rem;margin-right:.4rem}
@media print{body{font-size:10pt}main{max-width:none;padding:0}section{break-inside:avoid}section:last-of-type{break-inside:auto}
.scroll{overflow:visible}tr,tbody.game{break-inside:avoid}code{font-size:6.8pt}th,td{padding-right:.5rem}
h2,p.note{break-after:avoid}tr.moves td{padding-left:0}}
";

#[cfg(test)]
/// Whether every element that is opened is closed in its turn.
#[cfg(test)]
pub(crate) fn is_balanced(page: &str) -> Result<(), String> {
    const VOID: [&str; 3] = ["meta", "!DOCTYPE", "br"];
    let mut open = vec!["html", "head"];
    let body = page.split_once("</style>").map_or(page, |(_, body)| body);
    for tag in body.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').ok_or_else(|| format!("'<{tag}' is not closed"))?;
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if let Some(name) = name.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => {}
                other => return Err(format!("</{name}> closes {other:?}")),
            }
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}
