//! The start page: what runs here, and how each game is connected, with commands to copy.

use super::layout::{Shell, shown};
use super::stage::{Stage, StartMatches};
use super::view::MatchLine;
use super::visit::Visit;
use crate::api::health;
use crate::api::problem::Problem;
use askama::Template;
use axum::response::Response;
use games::{Kit, Wire};

/// What adds a connection to a hub, as pages show it.
const HUB: &str = include_str!("../../../templates/pages/hub.toml");

#[derive(Template)]
#[template(path = "pages/start.html")]
struct Start {
    shell: Shell,
    /// What is scarce, or why nothing new is accepted.
    state: Result<Vec<String>, Problem>,
    stage: Option<Stage>,
    /// Matches next to it; none, if the newest cannot be read.
    others: Vec<MatchLine>,
    /// How the first match is played, where there is none.
    first: Option<FirstStep>,
    doors: Vec<Door>,
    games: Vec<Connection>,
    reading: Vec<Command>,
}

/// A listener.
struct Door {
    name: &'static str,
    about: &'static str,
    /// Where it is reached, or what switches it on.
    address: Result<String, &'static str>,
}

/// The first step on an empty database.
struct FirstStep {
    text: &'static str,
    command: Command,
    /// Where there is a form that does it, too.
    form: Option<String>,
}

/// How one game is connected.
struct Connection {
    game: &'static str,
    title: &'static str,
    bots: usize,
    meets: &'static str,
    ways: Vec<Way>,
}

/// One way to connect it.
struct Way {
    title: &'static str,
    text: &'static str,
    command: Command,
}

/// A command to copy.
struct Command {
    what: String,
    text: String,
}

/// `GET /`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    visit.takes(&[])?;
    let follow = Some(visit.events().await);
    let place = Place::new(&visit);
    let games = games::ALL.iter().map(|kit| place.connection(*kit));
    // What cannot be shown at the moment is no reason to show nothing.
    let newest = StartMatches::read(&visit).await.ok();
    let is_empty = |newest: &StartMatches| newest.stage.is_none() && newest.others.is_empty();
    let first = newest.as_ref().filter(|newest| is_empty(newest));
    let first = first.map(|_| place.first_step());
    let (stage, others) = newest.map_or((None, Vec::new()), |newest| (newest.stage, newest.others));
    shown(&Start {
        shell: Shell {
            follow,
            every_s: stage.as_ref().filter(|stage| stage.line.live).map(|_| 3),
            ..visit.shell("Start", "/")
        },
        stage,
        others,
        first,
        state: health::readiness(&visit.state),
        games: games.collect(),
        reading: place.reading(visit.state.tokens.exist()),
        doors: place.doors(),
    })
}

/// The daemon's addresses as this caller can use them.
pub(super) struct Place {
    api: String,
    callbacks: Option<String>,
    /// `/` and the word that every callback's path begins with, if there is one.
    prefix: String,
    referee: Option<String>,
    hub: Option<String>,
    shims: Option<String>,
}

impl Place {
    pub(super) fn new(visit: &Visit) -> Self {
        let doors = &visit.state.doors;
        let prefix = match doors.secret_path.reveal() {
            None => String::new(),
            Some(word) if visit.sight.sees_all() => format!("/{}", word.trim_matches('/')),
            Some(_) => "/SECRET-PATH".to_owned(),
        };
        Self {
            api: format!("http://{}", visit.reach(doors.api)),
            callbacks: doors
                .callbacks
                .map(|address| format!("http://{}", visit.reach(address))),
            prefix,
            referee: doors.referee.map(|address| visit.reach(address)),
            hub: doors.hub.map(|address| visit.reach(address)),
            shims: doors
                .shims
                .as_ref()
                .map(|path| match visit.sight.sees_all() {
                    true => path.display().to_string(),
                    false => "SOCKET".to_owned(),
                }),
        }
    }

    /// Where a referee calls this bot; `None`: none of its game does, or not here.
    pub(super) fn called_at(&self, kit: &dyn Kit, bot: &str) -> Option<String> {
        let address = self.callbacks.as_ref();
        let address = address.filter(|_| kit.card().wire == Wire::Callbacks)?;
        Some(format!(
            "{address}{}/{}/{bot}",
            self.prefix,
            kit.card().name
        ))
    }

    /// What starts a match where none has been played.
    fn first_step(&self) -> FirstStep {
        let callbacks = games::met_by(Wire::Callbacks).zip(self.referee.as_ref());
        let (text, command, form) = match callbacks {
            Some((kit, referee)) => {
                let (bot, bots) = (strongest(kit), kit.card().bots);
                let rival = bots.iter().rev().find(|card| card.name != bot);
                let rival = rival.map_or(bot, |card| card.name);
                (
                    "This starts one between two built-in bots, and you can watch it here:",
                    format!(
                        "curl 'http://{referee}/?connect&url1=builtin:{bot}&url2=builtin:{rival}'"
                    ),
                    Some(format!("http://{referee}/")),
                )
            }
            None => (
                "No referee runs here. This command runs one, with built-in bots that play each other all the time:",
                "drover serve --demo".to_owned(),
                None,
            ),
        };
        FirstStep {
            text,
            command: Command {
                what: "the first match".to_owned(),
                text: command,
            },
            form,
        }
    }

    fn doors(&self) -> Vec<Door> {
        let referee = self.referee.as_ref();
        let referee = referee.map(|referee| format!("http://{referee}/"));
        let callbacks = self.callbacks.as_ref();
        let callbacks = callbacks.map(|address| format!("{address}{}", self.prefix));
        let doors = [
            (
                "Callbacks",
                "referees call our bots here",
                callbacks.ok_or("callbacks.listen"),
            ),
            (
                "Shims",
                "programs started by arbiters reach their bots here",
                self.shims.clone().ok_or("shim.socket"),
            ),
            (
                "Referee",
                "matches over HTTP are started here",
                referee.ok_or("referee.koehandel.listen"),
            ),
            (
                "Hub",
                "players over TCP join here",
                self.hub.clone().ok_or("referee.smartdog.listen"),
            ),
            (
                "REST",
                "all that these pages show, for programs",
                Ok(format!("{}/api/v1", self.api)),
            ),
        ];
        let doors = doors.into_iter().map(|(name, about, address)| Door {
            name,
            about,
            address,
        });
        doors.collect()
    }

    fn connection(&self, kit: &dyn Kit) -> Connection {
        let (meets, ways) = match kit.card().wire {
            Wire::Callbacks => (
                "The referee calls each player's HTTP server.",
                self.over_http(kit),
            ),
            Wire::Hub => (
                "Players connect to a hub over TCP and stay connected.",
                self.over_tcp(kit),
            ),
            Wire::Stdio => (
                "The arbiter starts each player as a program and talks to it over stdin and stdout.",
                self.over_pipes(kit),
            ),
        };
        Connection {
            game: kit.card().name,
            title: kit.card().title,
            bots: kit.card().bots.len(),
            meets,
            ways,
        }
    }

    fn over_http(&self, kit: &dyn Kit) -> Vec<Way> {
        let (game, bot) = (kit.card().name, strongest(kit));
        let yours = match &self.referee {
            Some(referee) => format!(
                "curl 'http://{referee}/?connect&url1=http://YOUR-HOST:9000/&url2=builtin:{bot}'"
            ),
            None => format!("drover referee {game} --listen 0.0.0.0:56789"),
        };
        let (how, url) = match self.called_at(kit, bot) {
            Some(url) => (
                "Give the referee this address; another bot's name takes the place of the last word.",
                url,
            ),
            None => (
                "No callbacks are answered here; this command answers them.",
                "drover serve".to_owned(),
            ),
        };
        vec![
            way(
                "Your server against our bots",
                match self.referee {
                    Some(_) => {
                        "Starts a match between your server and one of our bots; empty seats pass on everything."
                    }
                    None => "No referee runs here; this command runs one.",
                },
                yours,
            ),
            way("Our bots for a referee elsewhere", how, url),
        ]
    }

    fn over_tcp(&self, kit: &dyn Kit) -> Vec<Way> {
        let game = kit.card().name;
        let yours = match self.hub.as_deref().and_then(|hub| hub.rsplit_once(':')) {
            Some((host, port)) => format!(
                "printf 'join YOUR-NAME solo\\n' | nc {} {port}",
                host.trim_matches(['[', ']'])
            ),
            None => format!("drover referee {game} --listen 0.0.0.0:3002 --store hub.db"),
        };
        vec![
            way(
                "Your client on our hub",
                match self.hub {
                    Some(_) => {
                        "The first message to a player; then connect your client to the same address."
                    }
                    None => "No hub runs here; this command runs one.",
                },
                yours,
            ),
            way(
                "Our bots on a hub elsewhere",
                "Into the configuration file; the connection is kept for weeks.",
                HUB.trim_end().to_owned(),
            ),
        ]
    }

    fn over_pipes(&self, kit: &dyn Kit) -> Vec<Way> {
        let (game, bot) = (kit.card().name, strongest(kit));
        let rivals = (*kit.card().seats.start()).max(2) - 1;
        let rivals = format!(" --seat builtin:{bot}").repeat(rivals);
        let shim = match &self.shims {
            Some(path) => format!("drover shim {game} --bot {bot} --socket {path}"),
            None => format!("drover shim {game} --bot {bot} --local"),
        };
        vec![
            way(
                "Your program against our bots",
                "Plays ten games with all rotations of the seats, and keeps them in a database.",
                format!(
                    "drover play {game} --seat 'cmd:./mybot'{rivals} --games 10 --store mine.db"
                ),
            ),
            way(
                "Our bots for an arbiter elsewhere",
                "The command line to give to the arbiter.",
                shim,
            ),
        ]
    }

    fn reading(&self, tokens: bool) -> Vec<Command> {
        let curl = match tokens {
            true => "curl -H \"Authorization: Bearer $DROVER_TOKEN\"",
            false => "curl",
        };
        let read = |what: &str, path: &str| Command {
            what: what.to_owned(),
            text: format!("{curl} '{}/api/v1/{path}'", self.api),
        };
        vec![
            read("the newest matches", "matches?limit=3"),
            read(
                "matches that a bot lost",
                "matches?bot=champion&outcome=lost",
            ),
            read("what was learnt about opponents", "opponents"),
        ]
    }
}

fn way(title: &'static str, text: &'static str, command: String) -> Way {
    let command = Command {
        what: title.to_lowercase(),
        text: command,
    };
    Way {
        title,
        text,
        command,
    }
}

/// The bot to show: the champion, or else the last, which is the strongest.
fn strongest(kit: &dyn Kit) -> &'static str {
    let bots = kit.card().bots;
    let champion = bots.iter().find(|bot| bot.name == "champion");
    champion.or(bots.last()).map_or("BOT", |bot| bot.name)
}
