//! `drover serve`: the daemon.

use super::api_call::base;
use super::common::{Common, notify, on_all_cores};
use super::logging;
use super::stopping::AGAIN;
use super::store_arg::StoreArg;
use crate::access::FirstToken;
use crate::config::{Config, Flags};
use crate::daemon::{Addresses, Daemon, Extras, Inherited, Signals, Stopping};
use anyhow::Context as _;
use games::text::counted;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use tokio::sync::oneshot;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also run the Koehandel referee, where REST listens (port 56789), and keep the built-in bots playing matches.
    #[arg(long)]
    demo: bool,
    /// Where to listen for callbacks (callbacks.listen); port 0 takes any free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Where to listen for REST (api.listen).
    #[arg(long, value_name = "ADDR")]
    api_listen: Option<String>,
    /// The folder of the database (store.path is then DIR/drover.db).
    #[arg(long, value_name = "DIR", conflicts_with = "store")]
    data: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArg,
}

impl Args {
    fn flags(&self) -> Flags {
        let data = self
            .data
            .as_ref()
            .map(|folder| folder.join("drover.db").to_string_lossy().into_owned());
        let set = [
            ("--listen", "callbacks.listen", self.listen.clone()),
            ("--api-listen", "api.listen", self.api_listen.clone()),
            ("--data", "store.path", data),
        ];
        set.into_iter()
            .filter_map(|(flag, key, value)| Some((flag, key, value?)))
            .chain(self.store.flags())
            .collect()
    }
}

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<()> {
    let extras = Extras {
        demo: args.demo,
        inherited: Inherited::take()?,
    };
    on_all_cores(async {
        // Before everything that takes time: process 1 never gets a signal that it does not listen for.
        let mut signals = Signals::new().context("cannot listen for signals")?;
        let daemon = tokio::select! {
            started = start(common.clone(), args.flags(), extras) => started?,
            by = signals.next() => {
                tracing::info!(by, "ending before it has started");
                return Ok(());
            }
        };
        daemon.run(signals, show).await
    })
}

async fn start(common: Common, flags: Flags, extras: Extras) -> anyhow::Result<Daemon> {
    // On a thread of its own, which a signal does not wait for: a secret's file may be a pipe.
    let (sender, loaded) = oneshot::channel();
    std::thread::spawn(move || {
        // The waiting task may have been stopped.
        let _ = sender.send(common.load(&flags));
    });
    let loaded = loaded.await.context("the configuration's reader failed")?;
    let config = loaded?.config;
    logging::start(&config.log)?;
    let daemon = Daemon::start(&config, extras).await?;
    let announced = announce(daemon.addresses(), daemon.new_token(), &config);
    if let Err(error) = announced {
        tracing::warn!(%error, "standard output is closed: the addresses are not printed");
    }
    Ok(daemon)
}

/// Shows on a terminal what a stop waits for.
fn show(stopping: Stopping) {
    if std::io::stderr().is_terminal() {
        notify(&awaited(stopping));
    }
}

fn awaited(stopping: Stopping) -> String {
    let Stopping {
        matches,
        sessions,
        limit,
    } = stopping;
    let what = match (matches, sessions) {
        (0, 0) => return "stopping: no match is running".to_owned(),
        (0, sessions) => format!("{} of others' matches", counted(sessions, "session")),
        (matches, _) => counted(matches, "match"),
    };
    let limit = limit.as_secs();
    format!("waiting for {what}, at most {limit} s; {AGAIN}")
}

/// One machine-readable line, the token that was made, if one was, and, on a terminal, what to do next.
fn announce(
    addresses: Addresses,
    new_token: Option<&FirstToken>,
    config: &Config,
) -> std::io::Result<()> {
    let Addresses {
        callbacks,
        api,
        referee,
        hub,
    } = addresses;
    tracing::info!(
        %callbacks,
        %api,
        referee = referee.map(|address| address.to_string()),
        hub = hub.map(|address| address.to_string()),
        "listening"
    );
    let mut out = std::io::stdout().lock();
    let mut also = String::new();
    for (name, address) in [("referee", referee), ("hub", hub)] {
        also.extend(address.map(|address| format!(" {name}={address}")));
    }
    writeln!(out, "listening callbacks={callbacks} api={api}{also}")?;
    if let Some(token) = new_token {
        let (text, path) = (&token.text, token.path.display());
        writeln!(
            out,
            "token {text} (an admin's, new, shown this once; it is in {path})"
        )?;
    }
    if std::io::stdout().is_terminal() {
        write!(out, "{}", next_steps(addresses, config))?;
    }
    out.flush()
}

/// What to do next, for a person: where the pages are comes first.
fn next_steps(addresses: Addresses, config: &Config) -> String {
    let Addresses {
        callbacks,
        api,
        referee,
        hub,
    } = addresses;
    let has_token = config.api.token().is_some() || config.api.first_token().is_some();
    let (sign_in, token) = match has_token {
        true => (
            "   (sign in with the token)",
            " -H \"Authorization: Bearer $TOKEN\"",
        ),
        false => ("", ""),
    };
    let mut steps = vec![
        format!("open      {}/{sign_in}", base(api)),
        format!("bots      http://{callbacks}/koehandel/champion"),
        format!("matches   curl{token} 'http://{api}/api/v1/matches?limit=5'"),
        format!("bluffs    curl{token} http://{api}/api/v1/bluffs"),
    ];
    steps.extend(referee.map(|address| format!("referee   http://{address}/")));
    let dialled = "(players dial it and send: join NAME HUB)";
    steps.extend(hub.map(|address| format!("hub       {address} {dialled}")));
    steps.push("stop      Ctrl-C (again to end at once)".to_owned());
    let lines: Vec<String> = steps.iter().map(|step| format!("  {step}\n")).collect();
    format!("\n{}\n", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::{awaited, next_steps};
    use crate::config::{Config, Secret};
    use crate::daemon::{Addresses, Stopping};
    use std::time::Duration;

    #[test]
    fn the_page_to_open_comes_first() {
        let at = |text: &str| text.parse().unwrap();
        let addresses = Addresses {
            callbacks: at("0.0.0.0:8080"),
            api: at("0.0.0.0:8081"),
            referee: None,
            hub: None,
        };
        let mut config = Config::default();
        let steps = next_steps(addresses, &config);
        assert!(
            steps.starts_with("\n  open      http://127.0.0.1:8081/\n"),
            "{steps}"
        );
        config.api.token = Some(Secret::new("hush".to_owned()));
        let steps = next_steps(addresses, &config);
        assert!(
            steps.contains("/   (sign in with the token)\n") && !steps.contains("hush"),
            "{steps}"
        );
    }

    #[test]
    fn a_stop_says_what_it_waits_for() {
        for (matches, sessions, expected) in [
            (
                3,
                12,
                "waiting for 3 matches, at most 60 s; Ctrl-C again ends at once",
            ),
            (
                1,
                4,
                "waiting for 1 match, at most 60 s; Ctrl-C again ends at once",
            ),
            (
                0,
                2,
                "waiting for 2 sessions of others' matches, at most 60 s; Ctrl-C again ends at once",
            ),
            (0, 0, "stopping: no match is running"),
        ] {
            let stopping = Stopping {
                matches,
                sessions,
                limit: Duration::from_secs(60),
            };
            assert_eq!(awaited(stopping), expected);
        }
    }
}
