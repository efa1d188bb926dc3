//! `drover referee`: runs a game's referee for others.

use super::common::{Common, game, notify, on_all_cores};
use super::logging;
use super::play_args::rule_options;
use super::referee_args::{RefereeArgs, is_configured};
use super::referee_hub::settings as hub_settings;
use super::stopping::{AGAIN, STOPPED};
use super::usage::{UsageError, refuse};
use crate::config::{Config, Flags, Location, Targets, check_options};
use crate::daemon::{Signals, server_settings};
use crate::link::HttpOptions;
use crate::referee::hub::HubServer;
use crate::referee::{Host, HostSettings, Reaches, Recording, merged, serve};
use crate::tournament::{Extent, open_recording};
use anyhow::Context as _;
use games::text::counted;
use games::{Kit, Wire};
use serde_json::Value;
use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The original referee's address.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 56_789);
/// The original hub's address.
const HUB_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3_002);

/// Serves until Ctrl-C or SIGTERM, then lets running matches end.
pub(super) fn run(common: &Common, args: RefereeArgs) -> anyhow::Result<()> {
    let kit = game(&args.game)?;
    let loaded = common.load(&Flags::default())?;
    logging::start(&loaded.config.log)?;
    let store = args.store.clone().or_else(|| {
        let set = &loaded.config.store;
        let is_set = set.url.reveal().is_some() || loaded.is_set("store.path");
        is_set.then(|| set.location())
    });
    let drain = Duration::from_secs(args.drain);
    if kit.card().wire == Wire::Hub {
        let settings = hub_settings(kit, &args, &loaded.config)?;
        let ours = loaded.config.referee.smartdog.listen;
        let listen = args.listen.or(ours).unwrap_or(HUB_LISTEN);
        return on_all_cores(async {
            let (listener, stop) = listen_until_signal(listen, args.drain).await?;
            notify(&format!(
                "{} hub on {}",
                kit.card().name,
                listener.local_addr()?
            ));
            let recording = recording(store).await?;
            let hub = HubServer::open(settings, recording.clone()).await?;
            hub.serve(listener, stop).await?;
            hub.drain(drain).await;
            recording.close().await;
            Ok(())
        });
    }
    if !args.hubs.is_empty() || args.maps.is_some() || args.always_wait {
        return refuse(format!(
            "--hub, --maps and --always-wait are of hubs; {} players are called",
            kit.card().name
        ));
    }
    let mut settings = settings(kit, &args, &loaded.config)?;
    let allow = allowed(&args, &loaded.config)?;
    let ours = loaded.config.referee.koehandel.listen;
    let listen = args.listen.or(ours).unwrap_or(LISTEN);
    on_all_cores(async {
        let (listener, stop) = listen_until_signal(listen, args.drain).await?;
        let address = listener.local_addr()?;
        notify(&format!("{} referee on http://{address}/", kit.card().name));
        let reaches = Reaches::new(&allow, address, Vec::new());
        settings.http.reach = reaches.local.clone();
        let recording = recording(store).await?;
        let host = Host::new(kit, settings, recording.clone());
        let resumed = host.resume().await?;
        if resumed > 0 {
            let verb = if resumed == 1 { "goes" } else { "go" };
            notify(&format!("{} {verb} on", counted(resumed, "match")));
        }
        let connections_max = loaded.config.referee.koehandel.connections_max;
        let server = server_settings(&loaded.config, connections_max, reaches, None);
        serve(Arc::clone(&host), listener, server, stop).await?;
        host.drain(drain).await;
        recording.close().await;
        Ok(())
    })
}

/// A listener, and a token that the first signal cancels; the second one ends the process.
async fn listen_until_signal(
    listen: SocketAddr,
    drain_s: u64,
) -> anyhow::Result<(TcpListener, CancellationToken)> {
    let mut signals = Signals::new().context("cannot listen for signals")?;
    let listener = TcpListener::bind(listen)
        .await
        .with_context(|| format!("cannot listen on {listen}; choose another address (--listen)"))?;
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        let name = signals.next().await;
        tracing::info!(by = name, "draining");
        cancel.cancel();
        if std::io::stderr().is_terminal() {
            notify(&format!(
                "waiting for the matches that are running, at most {drain_s} s; {AGAIN}"
            ));
        }
        signals.next().await;
        crate::logs::exit(STOPPED.into());
    });
    Ok((listener, stop))
}

async fn recording(store: Option<Location>) -> anyhow::Result<Recording> {
    Ok(match store {
        Some(location) => open_recording(location, Extent::Full).await?,
        None => Recording::none(),
    })
}

/// Which players may be called.
fn allowed(args: &RefereeArgs, config: &Config) -> anyhow::Result<Targets> {
    if args.allow.is_empty() {
        return Ok(config.referee.koehandel.allow.clone());
    }
    let items = args.allow.iter().map(|item| item.trim());
    let parsed = Targets::parse(items);
    Ok(parsed.map_err(|error| UsageError(format!("--allow: {error}")))?)
}

/// The configuration with the flags applied.
fn settings(
    kit: &'static dyn Kit,
    args: &RefereeArgs,
    config: &Config,
) -> anyhow::Result<HostSettings> {
    let set = &config.referee.koehandel;
    let ours = match is_configured(kit) {
        true => set.options.clone(),
        false => Value::Null,
    };
    let options = merged(&ours, &rule_options(kit, &args.options)?);
    check_options(kit, &options).map_err(|error| UsageError(format!("--option: {error}")))?;
    Ok(HostSettings {
        matches_max: args.matches_max.map_or(set.matches_max, NonZeroUsize::get),
        http: HttpOptions {
            reconnects_max: if args.no_retry { 0 } else { u32::MAX },
            resend: !args.no_retry,
            ..HttpOptions::default()
        },
        options,
        ..HostSettings::from(set)
    })
}
