//! The guides, as they are in `docs/`, and what else users read: compiled in, and made pages of when they are asked for.

use super::layout::{Shell, shown};
use super::visit::Visit;
use crate::api::problem::Problem;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html,
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
    ("security", include_str!("../../../SECURITY.md")),
    ("changelog", include_str!("../../../CHANGELOG.md")),
];

/// Guides of more bytes are in parts, if they have this many.
const LONG: usize = 12_000;
const PARTS_MIN: usize = 4;

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
    shown(&Guide {
        shell: visit.shell(title(text), "/docs"),
        body: rendered(text),
        inner: !name.is_empty(),
    })
}

/// A guide as HTML: headings can be linked to, commands copied; links to other guides lead to their pages, and show their
/// titles where they show the name of a file; those to other files are these files' names. A long one has contents, and
/// parts that can be folded.
fn rendered(text: &str) -> String {
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let headings = events.iter().filter(|event| is_part(event)).count();
    let mut rendering = Rendering {
        in_parts: text.len() > LONG && headings >= PARTS_MIN,
        ..Rendering::default()
    };
    for event in events {
        rendering.take(event);
    }
    let mut body = String::new();
    html::push_html(&mut body, rendering.finish().into_iter());
    // What is text is escaped: these are elements.
    body.replace("<th>", "<th scope=\"col\">")
        .replace(
            "<th style=\"text-align: right\">",
            "<th scope=\"col\" class=\"n\">",
        )
        .replace("<td style=\"text-align: right\">", "<td class=\"n\">")
}

/// Whether a part begins with it.
fn is_part(event: &Event<'_>) -> bool {
    let Event::Start(Tag::Heading { level, .. }) = event else {
        return false;
    };
    *level == HeadingLevel::H2
}

/// A guide that is being rendered.
#[derive(Default)]
struct Rendering<'a> {
    events: Vec<Event<'a>>,
    /// The links that are open: whether each leads somewhere, and to which guide.
    links: Vec<(bool, Option<&'static str>)>,
    /// Where the heading that is open begins.
    heading: Option<usize>,
    in_parts: bool,
    /// The ids and words of the parts' headings, and where the first part begins.
    parts: Vec<(String, String)>,
    first: Option<usize>,
}

impl<'a> Rendering<'a> {
    fn take(&mut self, event: Event<'a>) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::Link { dest_url, .. }) => self.open_link(&dest_url),
            Event::End(TagEnd::Link) => {
                let (leads, _) = self.links.pop().unwrap_or_default();
                self.events.extend(leads.then_some(event));
            }
            Event::Text(text) | Event::Code(text) if self.names_a_guide(&text) => {
                let title = self.links.last().and_then(|(_, title)| *title);
                self.events
                    .push(Event::Text(title.unwrap_or_default().into()));
            }
            Event::Text(name) if self.names_a_file(&name) => self.events.push(Event::Code(name)),
            Event::Start(Tag::Heading { level, .. }) => {
                if self.in_parts && level == HeadingLevel::H2 {
                    self.open_part();
                }
                self.heading = Some(self.events.len());
                self.events.push(event);
            }
            Event::End(TagEnd::Heading(level)) => self.close_heading(level, event),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => {
                let class = if &*kind == "sh" { "cmd" } else { "cmd said" };
                self.events
                    .push(raw(format!("<div class=\"{class}\"><pre>")));
            }
            Event::End(TagEnd::CodeBlock) => self.events.push(raw("</pre></div>\n")),
            Event::Start(Tag::Table(_)) => {
                self.events.push(raw(
                    "<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">\n",
                ));
                self.events.push(event);
            }
            Event::End(TagEnd::Table) => self.events.extend([event, raw("</div>\n")]),
            event => self.events.push(event),
        }
    }

    fn open_link(&mut self, link: &str) {
        let to = address(link);
        self.links
            .push((to.is_some(), to.as_deref().and_then(title_at)));
        self.events.extend(to.map(|to| {
            Event::Start(Tag::Link {
                link_type: LinkType::Inline,
                dest_url: to.into(),
                title: CowStr::Borrowed(""),
                id: CowStr::Borrowed(""),
            })
        }));
    }

    /// Whether a text is a link's, which shows the name of a guide's file.
    fn names_a_guide(&self, text: &str) -> bool {
        let open = self.links.last();
        open.is_some_and(|(_, title)| title.is_some()) && text.ends_with(".md")
    }

    /// Whether a text is the name of a file that is not served.
    fn names_a_file(&self, text: &str) -> bool {
        let open = self.links.last();
        open.is_some_and(|(leads, _)| !leads) && text.contains('.') && !text.contains(' ')
    }

    fn open_part(&mut self) {
        match self.first {
            Some(_) => self.events.push(raw("</details>\n")),
            None => self.first = Some(self.events.len()),
        }
        self.events
            .push(raw("<details class=\"part\" open><summary>"));
    }

    fn close_heading(&mut self, level: HeadingLevel, end: Event<'a>) {
        let Some(begin) = self.heading.take() else {
            return;
        };
        let words = name_heading(&mut self.events, begin, level);
        self.events.push(end);
        if self.in_parts && level == HeadingLevel::H2 {
            self.events.push(raw("</summary>\n"));
            self.parts.push((slug(&words), words));
        }
    }

    /// All of it, with the contents before the first part.
    fn finish(mut self) -> Vec<Event<'a>> {
        let Some(first) = self.first else {
            return self.events;
        };
        self.events.push(raw("</details>\n"));
        let link = |(id, words): (String, String)| {
            let open = raw(format!("<li><a href=\"#{id}\">"));
            [open, Event::Text(words.into()), raw("</a></li>\n")]
        };
        let open = raw("<nav class=\"contents\" aria-label=\"Contents\"><ul>\n");
        let links = self.parts.into_iter().flat_map(link);
        let contents = std::iter::once(open).chain(links);
        let contents: Vec<Event<'a>> = contents.chain([raw("</ul></nav>\n")]).collect();
        drop(self.events.splice(first..first, contents));
        self.events
    }
}

/// The title of the guide to which an address leads.
fn title_at(address: &str) -> Option<&'static str> {
    let path = address.split('#').next()?.strip_prefix("/docs")?;
    let name = path.trim_start_matches('/');
    let guide = GUIDES.iter().find(|(known, _)| *known == name);
    guide.map(|(_, text)| title(text))
}

/// A guide's title: its first line.
fn title(text: &str) -> &str {
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches(['#', ' '])
}

fn raw<'a>(html: impl Into<CowStr<'a>>) -> Event<'a> {
    Event::Html(html.into())
}

/// Gives a heading an id made of its words. Returns these.
fn name_heading(events: &mut [Event<'_>], begin: usize, level: HeadingLevel) -> String {
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
    words
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
        "SECURITY.md" | "../SECURITY.md" => "security",
        "CHANGELOG.md" | "../CHANGELOG.md" => "changelog",
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
        assert_eq!(GUIDES.len(), files + 3, "and the README, security, changes");
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
            // Titles, not files; and every part that is opened is closed.
            assert_eq!(
                body.matches("<details").count(),
                body.matches("</details>").count(),
                "{path}"
            );
            for unwanted in ["style=", "<script", "<img", "<!--", "<th>", ".md</a>"] {
                assert!(!body.contains(unwanted), "{path}: {unwanted}");
            }
        }
    }

    #[test]
    fn a_long_guide_has_contents_and_parts() {
        let guide = |name: &str| GUIDES.iter().find(|(known, _)| *known == name).unwrap().1;
        let rest = rendered(guide("rest"));
        let (before, parts) = rest.split_once("<details class=\"part\" open>").unwrap();
        assert!(
            before.contains("<li><a href=\"#filters\">Filters</a></li>"),
            "{before}"
        );
        assert!(
            parts.starts_with("<summary>\n<h2 id=\"lists-pages-cursors\">"),
            "{parts}"
        );
        let index = rendered(guide(""));
        assert!(!index.contains("<details"), "{index}");
        let title = "<a href=\"/docs/hubs\">Keep hub connections";
        assert!(index.contains(title), "{index}");
        // What is in the source alone is no link, but a file's name.
        let readme = rendered(guide("readme"));
        let name = "<li><code>CONTRIBUTING.md</code>: build it";
        assert!(readme.contains(name), "{readme}");
        let changes = "<a href=\"/docs/changelog\">Changelog</a>: what each";
        assert!(readme.contains(changes), "{readme}");
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
