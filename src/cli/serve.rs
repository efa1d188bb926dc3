//! `drover serve`: the daemon.

use super::common::{Common, on_all_cores};
use super::logging;
use crate::access::FirstToken;
use crate::config::{Config, Flags};
use crate::daemon::{Addresses, Daemon, Extras, Inherited, Signals};
use anyhow::Context as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use tokio::sync::oneshot;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also run the Koehandel referee and keep the built-in bots playing matches.
    #[arg(long)]
    demo: bool,
    /// Where to listen for callbacks (callbacks.listen); port 0 takes any free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Where to listen for REST (api.listen).
    #[arg(long, value_name = "ADDR")]
    api_listen: Option<String>,
    /// The folder of the database (store.path is then DIR/drover.db).
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
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
        daemon.run(signals).await
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
        let has_token = config.api.token().is_some() || config.api.first_token().is_some();
        let token = match has_token {
            true => " -H \"Authorization: Bearer $TOKEN\"",
            false => "",
        };
        writeln!(out, "\n  bots      http://{callbacks}/koehandel/champion")?;
        writeln!(
            out,
            "  matches   curl{token} 'http://{api}/api/v1/matches?limit=5'"
        )?;
        writeln!(out, "  bluffs    curl{token} http://{api}/api/v1/bluffs")?;
        if let Some(address) = referee {
            writeln!(out, "  referee   http://{address}/")?;
        }
        if let Some(address) = hub {
            writeln!(
                out,
                "  hub       {address} (players dial it and send: join NAME HUB)"
            )?;
        }
        writeln!(out, "  stop      Ctrl-C (again to end at once)\n")?;
    }
    out.flush()
}
