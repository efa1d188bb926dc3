//! The guides, as they are in `docs/`: compiled in, and made pages of when they are asked for.

use super::layout::{Shell, shown};
use super::visit::Visit;
use crate::api::problem::Problem;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};

/// Each guide's name in its address, and its text.
const GUIDES: &[(&str, &str)] = &[
    ("", include_str!("../../../docs/README.md")),
    ("readme", include_str!("../../../README.md")),
    ("install", include_str!("../../../docs/install.md")),
    (
        "your-first-bot",
        include_str!("../../../docs/your-first-bot.md"),
    ),
    (
        "bot-protocol",
        include_str!("../../../docs/bot-protocol.md"),
    ),
    (
        "koehandel-container",
        include_str!("../../../docs/koehandel-container.md"),
    ),
    ("hubs", include_str!("../../../docs/hubs.md")),
    ("shims", include_str!("../../../docs/shims.md")),
    ("tour", include_str!("../../../docs/tour.md")),
    ("play", include_str!("../../../docs/play.md")),
    ("opponents", include_str!("../../../docs/opponents.md")),
    ("tournaments", include_str!("../../../docs/tournaments.md")),
    (
        "tournament-reference",
        include_str!("../../../docs/tournament-reference.md"),
    ),
    ("ratings", include_str!("../../../docs/ratings.md")),
    ("rest", include_str!("../../../docs/rest.md")),
    ("access", include_str!("../../../docs/access.md")),
    (
        "configuration",
        include_str!("../../../docs/configuration.md"),
    ),
    ("operate", include_str!("../../../docs/operate.md")),
    ("scale", include_str!("../../../docs/scale.md")),
    (
        "late-callbacks",
        include_str!("../../../docs/late-callbacks.md"),
    ),
];

#[derive(Template)]
#[template(path = "pages/guide.html")]
struct Guide {
    shell: Shell,
    body: String,
    /// Whether it is not the list of guides.
    inner: bool,
}

/// `GET /docs`
pub(super) async fn index(visit: Visit) -> Result<Response, Problem> {
    page(&visit, "")
}

/// `GET /docs/{name}`
pub(super) async fn one(Path(name): Path<String>, visit: Visit) -> Result<Response, Problem> {
    page(&visit, &name)
}

fn page(visit: &Visit, name: &str) -> Result<Response, Problem> {
    visit.takes(&[])?;
    let guide = GUIDES.iter().find(|(known, _)| *known == name);
    let (_, text) = guide.ok_or_else(|| Problem::not_found(format!("there is no guide {name}")))?;
    let title = text.lines().next().unwrap_or_default();
    shown(&Guide {
        shell: visit.shell(title.trim_start_matches(['#', ' ']), "/docs"),
        body: rendered(text),
        inner: !name.is_empty(),
    })
}

/// A guide as HTML: headings can be linked to, commands copied; links to other guides lead to their pages, those to
/// other files are text.
fn rendered(text: &str) -> String {
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut links: Vec<bool> = Vec::new();
    let mut heading: Option<usize> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let to = address(&dest_url);
                links.push(to.is_some());
                events.extend(to.map(|to| {
                    Event::Start(Tag::Link {
                        link_type,
                        dest_url: to.into(),
                        title,
                        id,
                    })
                }));
            }
            Event::End(TagEnd::Link) => {
                let open = links.pop().unwrap_or_default();
                events.extend(open.then_some(event));
            }
            Event::Start(Tag::Heading { .. }) => {
                heading = Some(events.len());
                events.push(event);
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some(begin) = heading.take() {
                    name_heading(&mut events, begin, level);
                }
                events.push(event);
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => {
                let class = if &*kind == "sh" { "cmd" } else { "cmd said" };
                events.push(raw(format!("<div class=\"{class}\"><pre>")));
            }
            Event::End(TagEnd::CodeBlock) => events.push(raw("</pre></div>\n")),
            Event::Start(Tag::Table(_)) => {
                events.push(raw(
                    "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">\n",
                ));
                events.push(event);
            }
            Event::End(TagEnd::Table) => {
                events.push(event);
                events.push(raw("</div>\n"));
            }
            event => events.push(event),
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    // What is text is escaped: these are elements.
    body.replace("<th>", "<th scope=\"col\">")
        .replace(
            "<th style=\"text-align: right\">",
            "<th scope=\"col\" class=\"n\">",
        )
        .replace("<td style=\"text-align: right\">", "<td class=\"n\">")
}

fn raw<'a>(html: impl Into<CowStr<'a>>) -> Event<'a> {
    Event::Html(html.into())
}

/// Gives a heading an id made of its words.
fn name_heading(events: &mut [Event<'_>], begin: usize, level: HeadingLevel) {
    let mut words = String::new();
    for event in events.iter().skip(begin) {
        if let Event::Text(text) | Event::Code(text) = event {
            words.push_str(text);
        }
    }
    if let Some(Event::Start(tag)) = events.get_mut(begin) {
        *tag = Tag::Heading {
            level,
            id: Some(slug(&words).into()),
            classes: Vec::new(),
            attrs: Vec::new(),
        };
    }
}

/// A heading's name in links, as forges make it.
fn slug(words: &str) -> String {
    let kept = words
        .chars()
        .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter })
        .collect::<String>()
        .to_lowercase()
}

/// Where a link of a guide leads here; `None` for files that are not served.
fn address(link: &str) -> Option<String> {
    if link.starts_with('#') || link.starts_with("https://") {
        return Some(link.to_owned());
    }
    let (file, part) = link.split_once('#').unwrap_or((link, ""));
    let file = match file {
        "../README.md" => "readme",
        "docs/README.md" | "README.md" | "docs/" => "",
        file => file.trim_start_matches("docs/").strip_suffix(".md")?,
    };
    let known = GUIDES.iter().any(|(name, _)| *name == file);
    let part = if part.is_empty() {
        String::new()
    } else {
        format!("#{part}")
    };
    let path = format!("/docs/{file}");
    known.then(|| format!("{}{part}", path.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::{GUIDES, rendered};
    use std::collections::BTreeSet;
    use std::fs;

    #[test]
    fn every_guide_is_served_and_its_links_lead_somewhere() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
        let files = fs::read_dir(folder).unwrap().count();
        assert_eq!(GUIDES.len(), files + 1, "the guides and the README");
        let pages: Vec<(String, String)> = GUIDES
            .iter()
            .map(|(name, text)| {
                (
                    format!("/docs/{name}").trim_end_matches('/').to_owned(),
                    rendered(text),
                )
            })
            .collect();
        let places: BTreeSet<String> = pages
            .iter()
            .flat_map(|(path, body)| {
                let ids = body.split(" id=\"").skip(1);
                let ids = ids.filter_map(|rest| rest.split('"').next());
                ids.map(move |id| format!("{path}#{id}"))
                    .chain([path.clone()])
            })
            .collect();
        for (path, body) in &pages {
            for link in body.split("<a href=\"").skip(1) {
                let link = link.split('"').next().unwrap();
                let whole = if link.starts_with('#') {
                    format!("{path}{link}")
                } else {
                    link.to_owned()
                };
                assert!(
                    link.starts_with("https://") || places.contains(&whole),
                    "{path}: {link}"
                );
            }
            for unwanted in ["style=", "<script", "<img", "<!--", "<th>"] {
                assert!(!body.contains(unwanted), "{path}: {unwanted}");
            }
        }
    }

    #[test]
    fn what_is_written_in_a_guide_stays_text() {
        let body = rendered(
            "# A & b <i>\n\nx <script>x</script> `<b>` [x](https://a/\"onclick=) ![i](y)\n",
        );
        assert!(body.contains("<h1 id=\"a--b-\">A &amp; b "), "{body}");
        assert!(
            !body.contains("<script") && !body.contains("<i>") && body.contains("&lt;b&gt;"),
            "{body}"
        );
        assert!(!body.contains("\"onclick"), "{body}");
    }
}
