//! Users' bots on their way to workers. The run puts the folder of each into the database as it was added, under its digest,
//! and what was built of it, for machines like its own; a worker fetches that, or the folder, which it builds for all
//! machines like itself. So all workers of a kind run the same bot, whatever is on their own shelves.

use super::task::CarriedBot;
use super::worker::Carried;
use crate::clock::now_us;
use crate::programs::{BotName, PACKED_MAX, Shelf, ShelfError, missing_protection};
use crate::store::{ArchiveKey, Archives, Standing, Store};
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

/// The folder of the shelf that holds what was fetched: a shelf for each digest.
const FOLDER: &str = ".carried";
/// What says when one of these was last used.
const USED: &str = ".used";
/// What says that one of these is what all workers of a kind run.
const WHOLE: &str = ".whole";
/// The hexadecimal digits of a digest.
const DIGITS: usize = 64;
/// One that was not used for this time is removed, in seconds.
const KEPT_S: i64 = 30 * 24 * 3_600;
/// How often to look for what another process uploads.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Puts these bots of this shelf into a database from which workers fetch them.
///
/// # Errors
/// One cannot be packed, or the database refuses it.
pub async fn offer(
    store: &Store,
    shelf: &Shelf,
    bots: &BTreeMap<String, CarriedBot>,
) -> anyhow::Result<()> {
    let archives = Archives::new(store.clone());
    archives.tidy().await?;
    for (name, bot) in bots {
        let from = named(name)?;
        let shared = share(&archives, shelf, &from, &bot.folder(), false).await;
        shared.with_context(|| format!("{name} cannot be put where workers find it"))?;
        if bot.builds {
            let shared = share(&archives, shelf, &from, &bot.built(), true).await;
            if let Err(error) = shared {
                tracing::warn!(
                    name,
                    error = format!("{error:#}"),
                    "workers build it themselves"
                );
            }
        }
    }
    Ok(())
}

/// Uploads a bot unless it is there.
async fn share(
    archives: &Archives,
    shelf: &Shelf,
    name: &BotName,
    key: &ArchiveKey,
    built: bool,
) -> anyhow::Result<()> {
    loop {
        match archives.claim(key).await? {
            Standing::Whole => return Ok(()),
            // A worker is building it.
            Standing::Awaited if built => return Ok(()),
            Standing::Awaited => tokio::time::sleep(LOOK_EVERY).await,
            Standing::Ours(upload) => {
                let shared = async {
                    let packed = pack(shelf, name, built).await?;
                    anyhow::Ok(archives.put(&upload, packed).await?)
                };
                match archives.during(&upload, shared).await {
                    Ok(true) => return Ok(()),
                    // Another process has begun it again.
                    Ok(false) => {}
                    Err(error) => {
                        archives.abandon(&upload).await;
                        return Err(error);
                    }
                }
            }
        }
    }
}

/// Finds these bots: on this machine's shelf, or in the database. What is built is the same for all workers of a kind, so a
/// shelf of its own has it only for the run in the same process.
///
/// # Errors
/// One is in neither, cannot be built here, or cannot be held back here.
pub async fn fetch(
    store: &Store,
    shelf: &Shelf,
    bots: &BTreeMap<String, CarriedBot>,
) -> anyhow::Result<Carried> {
    let archives = Archives::new(store.clone());
    let is_alone = store.location().file().is_some();
    let mut carried = Carried::default();
    for (text, bot) in bots {
        let name = named(text)?;
        let own = shelf.digest(&name)?.as_ref() == Some(&bot.digest);
        let place = match own && (is_alone || !bot.builds) {
            true => shelf.clone(),
            false => {
                let fetched = fetched(&archives, shelf, &name, bot).await;
                fetched.with_context(|| format!("{text} cannot be fetched"))?
            }
        };
        carried.0.insert(name, place);
    }
    Ok(carried)
}

async fn fetched(
    archives: &Archives,
    shelf: &Shelf,
    name: &BotName,
    bot: &CarriedBot,
) -> anyhow::Result<Shelf> {
    // It names a folder.
    let is_digest =
        bot.digest.len() == DIGITS && bot.digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    anyhow::ensure!(is_digest, "{:?} is no digest", bot.digest);
    if let Some(missing) = tokio::task::spawn_blocking(missing_protection).await? {
        return Err(ShelfError::Unprotected(missing).into());
    }
    let all = shelf.folder().join(FOLDER);
    let folder = all.join(&bot.digest);
    let place = shelf.clone().at(&folder).confining();
    if !is_whole(&place, name, bot)? {
        tokio::task::spawn_blocking(move || forget_old(&all)).await?;
        note(&folder, USED)?;
        match bot.builds {
            true => fetch_built(archives, &place, name, bot).await?,
            false => receive(archives, &place, name, bot, &bot.folder()).await?,
        }
        note(&folder, WHOLE)?;
    }
    note(&folder, USED)?;
    Ok(place)
}

/// Whether a folder holds what all workers of a kind run. A worker that was killed may have left a build that no other
/// has.
fn is_whole(place: &Shelf, name: &BotName, bot: &CarriedBot) -> Result<bool, ShelfError> {
    let is_there = place.digest(name)?.as_ref() == Some(&bot.digest);
    Ok(is_there && place.folder().join(WHOLE).exists())
}

/// Notes something of what is in a folder: that it is used now, or whole.
fn note(folder: &Path, what: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    File::create(folder.join(what)).map(drop)
}

/// Fetches what was built of a bot on such a machine, or builds it for all of them.
async fn fetch_built(
    archives: &Archives,
    place: &Shelf,
    name: &BotName,
    bot: &CarriedBot,
) -> anyhow::Result<()> {
    let built = bot.built();
    loop {
        let standing = archives.claim(&built).await?;
        if is_whole(place, name, bot)? {
            // Another worker has that folder, too.
            if let Standing::Ours(upload) = &standing {
                archives.abandon(upload).await;
            }
            return Ok(());
        }
        if !matches!(standing, Standing::Awaited) && place.digest(name)?.is_some() {
            place.remove(name)?;
        }
        match standing {
            Standing::Whole => return receive(archives, place, name, bot, &built).await,
            Standing::Awaited => tokio::time::sleep(LOOK_EVERY).await,
            Standing::Ours(upload) => {
                let making = async {
                    tracing::info!(%name, "building");
                    receive(archives, place, name, bot, &bot.folder()).await?;
                    let packed = pack(place, name, true).await?;
                    anyhow::Ok(archives.put(&upload, packed).await?)
                };
                match archives.during(&upload, making).await {
                    Ok(true) => return Ok(()),
                    // Another worker was faster: all play what that one has built.
                    Ok(false) => {}
                    Err(error) => {
                        archives.abandon(&upload).await;
                        return Err(error);
                    }
                }
            }
        }
    }
}

/// Takes an archive's bot in, and builds it unless that was done.
async fn receive(
    archives: &Archives,
    place: &Shelf,
    name: &BotName,
    bot: &CarriedBot,
    key: &ArchiveKey,
) -> anyhow::Result<()> {
    let mut file = tempfile::tempfile_in(place.folder())?;
    archives.get(key, PACKED_MAX, &mut file).await?;
    file.rewind()?;
    let (shelf, digest, built) = (place.clone(), bot.digest.clone(), !key.platform.is_empty());
    let received = move || shelf.receive(file, &digest, built);
    let received = tokio::task::spawn_blocking(received).await?;
    if let Err(ShelfError::NotTheSame(_)) = &received {
        archives.discard(key).await?;
    }
    received?;
    if place.digest(name)?.is_none() {
        archives.discard(key).await?;
        anyhow::bail!("its archive holds another bot");
    }
    Ok(())
}

async fn pack(shelf: &Shelf, name: &BotName, built: bool) -> anyhow::Result<File> {
    let (shelf, name) = (shelf.clone(), name.clone());
    Ok(tokio::task::spawn_blocking(move || shelf.pack(&name, built)).await??)
}

fn named(text: &str) -> anyhow::Result<BotName> {
    let name = text.strip_prefix("bot:").unwrap_or(text);
    Ok(name.parse()?)
}

/// Removes what was fetched and not used for long.
fn forget_old(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let used = fs::metadata(entry.path().join(USED));
        let age_s = used.map(|used| now_us() / 1_000_000 - used.mtime());
        if age_s.is_ok_and(|age_s| age_s > KEPT_S) {
            // What stays is tried again the next time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
