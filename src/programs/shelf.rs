//! The shelf: the folder that keeps users' bots, each version apart. `NAME/VERSION` holds a bot's folder,
//! `NAME/.added.json` says which versions there are, in the order in which they were added, and `NAME/.VERSION.tar.zst` is
//! the folder of one that is built, as it was added. Nothing is cached: a daemon finds what was added while it runs.

use super::archive::{pack, unpack};
use super::build::{BUILD_WITHIN, Building, confined};
use super::copy::{copy, unlock};
use super::launch::{Launch, Programs};
use super::manifest::Manifest;
use super::name::{BotName, is_name, is_version};
use crate::clock::now_us;
use crate::config::Config;
use crate::link::program::{Confinement, Guard, ProgramLimits, ProgramSpec, find};
use rustix::fs::{FlockOperation, flock, syncfs};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

mod error;
mod kept;
#[cfg(test)]
mod tests;

pub use error::ShelfError;
use error::{VERSIONS_MAX, absolute, at, fix, gone};
pub use kept::{Added, Kept, Version};

/// The list of a bot's versions, in its folder.
const ADDED: &str = ".added.json";
/// What keeps two from changing the shelf at once.
const LOCK: &str = ".lock";
/// The beginning of the names of folders in the making.
const STAGING: &str = ".staging-";
/// The end of the names of files that hold what was added, packed.
const SOURCE: &str = ".tar.zst";
/// The longest list of versions read, in bytes.
const ADDED_LEN_MAX: u64 = 1 << 20;
/// How a folder came from another machine.
#[derive(Clone, Copy)]
struct Origin<'a> {
    /// The digest of the folder that was added there.
    digest: &'a str,
    /// Whether it was built there.
    built: bool,
}

/// The folder that keeps users' bots.
#[derive(Clone, Debug)]
pub struct Shelf {
    folder: PathBuf,
    /// What every bot may read besides its own folder.
    read: Vec<PathBuf>,
    /// What no bot may read but its own folder.
    kept: Vec<PathBuf>,
    /// Folders that are hidden from every bot.
    hidden: Vec<PathBuf>,
    /// How builds are guarded; `None`: not at all.
    guard: Option<Guard>,
    /// Whether builds are confined as programs are, but may change their own folder.
    confines: bool,
    /// Ends builds.
    stop: CancellationToken,
}

impl Shelf {
    /// The shelf in this folder, which is made when the first bot is added.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self {
            kept: vec![folder.clone()],
            folder,
            read: Vec::new(),
            hidden: Vec::new(),
            guard: None,
            confines: false,
            stop: CancellationToken::new(),
        }
    }

    /// The shelf of this configuration.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        let folder = absolute(&config.bots.folder);
        let location = config.store.location();
        let database = location.file().map(Path::to_owned);
        let database = database.unwrap_or_else(|| config.store.path.clone());
        let files = [&database].into_iter().chain(&config.file);
        let files = files
            .chain(&config.shim.socket)
            .chain(&config.store.url_file);
        let hidden = [Some(&database), config.shim.socket.as_ref()];
        // A file that is named without a folder lies in the current one.
        let hidden = hidden.into_iter().flatten().map(|path| absolute(path));
        let hidden = hidden.filter_map(|path| path.parent().map(Path::to_owned));
        Self {
            read: config.bots.read.clone(),
            kept: files.chain([&folder]).cloned().collect(),
            hidden: hidden.chain([folder.clone()]).collect(),
            ..Self::new(folder)
        }
    }

    /// The same where nothing that is built goes on once this process has ended, whatever ends it, or this token is cancelled.
    /// The executable must have the verb of [`Guard`].
    #[must_use]
    pub fn building_until(self, stop: CancellationToken) -> Self {
        Self {
            guard: Some(Guard::from_protections(&[])),
            stop,
            ..self
        }
    }

    /// The same for what others have added: it is built within what programs may reach.
    #[must_use]
    pub fn confining(self) -> Self {
        Self {
            confines: true,
            ..self
        }
    }

    /// The same in another folder.
    #[must_use]
    pub fn at(self, folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            kept: self.kept.into_iter().chain([folder.to_owned()]).collect(),
            ..self
        }
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Copies the bot in this folder to the shelf and builds the copy there. The folder itself stays as it is.
    ///
    /// # Errors
    /// [`ShelfError`]; the shelf is as it was then.
    pub fn add(&self, from: &Path) -> Result<(Manifest, Added), ShelfError> {
        let manifest = Manifest::load(from)?;
        let _lock = self.lock()?;
        self.admit(from, manifest, None)
    }

    /// Takes in what another machine has packed: a folder that was added there with this digest, which is built here, or
    /// what was `built` of it there.
    ///
    /// # Errors
    /// [`ShelfError`]; the shelf is as it was then.
    pub fn receive(
        &self,
        packed: impl Read + Seek,
        digest: &str,
        built: bool,
    ) -> Result<Manifest, ShelfError> {
        let _lock = self.lock()?;
        let unpacked = self.staging()?;
        unpack(packed, unpacked.path()).map_err(at(unpacked.path()))?;
        let manifest = Manifest::load(unpacked.path())?;
        let from = Origin { digest, built };
        let (manifest, _) = self.admit(unpacked.path(), manifest, Some(from))?;
        Ok(manifest)
    }

    /// A folder in the making.
    fn staging(&self) -> Result<tempfile::TempDir, ShelfError> {
        let staging = tempfile::Builder::new()
            .prefix(STAGING)
            .tempdir_in(&self.folder);
        let staging = staging.map_err(at(&self.folder))?;
        // Others may have to read it: the daemon's user.
        fs::set_permissions(staging.path(), fs::Permissions::from_mode(0o755))
            .map_err(at(staging.path()))?;
        Ok(staging)
    }

    /// Takes in a folder, while the shelf is locked.
    fn admit(
        &self,
        from: &Path,
        manifest: Manifest,
        origin: Option<Origin<'_>>,
    ) -> Result<(Manifest, Added), ShelfError> {
        let (name, version) = (&manifest.name, &manifest.version);
        let mut versions = self.versions(name)?;
        let staging = self.staging()?;
        let copied = copy(from, staging.path())?;
        let built = origin.is_some_and(|origin| origin.built);
        let digest = origin.map_or(&*copied.digest, |origin| origin.digest);
        if !built && copied.digest != digest {
            return Err(ShelfError::NotTheSame(manifest.bot()));
        }
        // It may have been changed meanwhile.
        let manifest_read = Manifest::load(staging.path())?;
        let target = self.folder.join(name).join(version);
        let listed = versions.iter().position(|known| known.version == *version);
        let same = listed.and_then(|at| versions.get(at));
        let changed = same.is_some_and(|known| known.digest != digest);
        if changed || manifest_read != manifest {
            return Err(ShelfError::Changed {
                name: name.clone(),
                version: version.clone(),
            });
        }
        let entry = Version {
            version: version.clone(),
            added_us: now_us(),
            digest: digest.to_owned(),
        };
        let source = match &manifest.build {
            Some(_) if origin.is_none() => self.source(staging.path())?,
            _ => None,
        };
        if let Some(at) = listed.filter(|_| target.is_dir()) {
            versions.remove(at);
            versions.push(entry);
            self.keep_source(&manifest, source)?;
            self.list(name, &versions)?;
            return Ok((manifest, Added::Again));
        }
        versions.retain(|known| known.version != *version);
        if versions.len() >= VERSIONS_MAX {
            return Err(ShelfError::TooMany { name: name.clone() });
        }
        let staging = if built {
            staging
        } else {
            self.built(&manifest, staging)?
        };
        self.place(staging.path(), &target)?;
        self.keep_source(&manifest, source)?;
        versions.push(entry);
        self.list(name, &versions)?;
        let (files, bytes) = (copied.files, copied.bytes);
        Ok((manifest, Added::New { files, bytes }))
    }

    /// A copied bot, built. What others have written may have left anything in its folder: of that a copy is taken.
    fn built(
        &self,
        manifest: &Manifest,
        staging: tempfile::TempDir,
    ) -> Result<tempfile::TempDir, ShelfError> {
        let folder = staging.path();
        if self.confines {
            let own = fs::Permissions::from_mode(0o700);
            fs::set_permissions(folder, own).map_err(at(folder))?;
        }
        let built = self.build(manifest, folder);
        let staging = match self.confines {
            true => {
                unlock(folder);
                built?;
                let plain = self.staging()?;
                copy(folder, plain.path())?;
                plain
            }
            false => built.map(|()| staging)?,
        };
        if Manifest::load(staging.path())? != *manifest {
            return Err(ShelfError::Rewritten);
        }
        Ok(staging)
    }

    /// Gives what is whole its name.
    fn place(&self, staging: &Path, target: &Path) -> Result<(), ShelfError> {
        let bot = target.parent().unwrap_or(target);
        fs::create_dir_all(bot).map_err(at(bot))?;
        // Nothing of it may be missing then.
        let synced = File::open(&self.folder).and_then(|folder| Ok(syncfs(folder)?));
        synced.map_err(at(&self.folder))?;
        // What a version that is listed no longer has left behind.
        gone(fs::remove_dir_all(target)).map_err(at(target))?;
        fs::rename(staging, target).map_err(at(target))
    }

    /// Builds a copied bot, and looks whether its program is there then.
    fn build(&self, manifest: &Manifest, staging: &Path) -> Result<(), ShelfError> {
        if let Some(words) = &manifest.build {
            let folder = staging.join(&manifest.directory);
            let program = ProgramSpec {
                words: words.clone(),
                ..manifest.program(staging)
            };
            let (guard, limits) = match self.confines {
                true => self.confined(&program, staging)?,
                false => (self.guard, ProgramLimits::default()),
            };
            let building = Building {
                within: BUILD_WITHIN,
                guard,
                limits,
                stops: &|| self.stop.is_cancelled(),
                room: self.confines.then_some(staging),
            };
            building.run(words, &manifest.environment, &folder)?;
        }
        if manifest.url.is_none() {
            find(&manifest.program(staging)).map_err(|why| ShelfError::Program {
                fix: fix(&why),
                why,
            })?;
        }
        Ok(())
    }

    /// How a build is confined that others have written.
    fn confined(
        &self,
        program: &ProgramSpec,
        folder: &Path,
    ) -> Result<(Option<Guard>, ProgramLimits), ShelfError> {
        let mut confinement = Confinement::new(program, folder, &self.read, &self.kept);
        confinement.hidden.extend_from_slice(&self.hidden);
        let (guard, limits) = confined(confinement, folder).map_err(ShelfError::Unprotected)?;
        Ok((Some(guard), limits))
    }

    /// A folder as an archive, which is gone again unless it is kept.
    fn packed(&self, folder: &Path) -> Result<tempfile::NamedTempFile, ShelfError> {
        let file = tempfile::Builder::new()
            .prefix(STAGING)
            .tempfile_in(&self.folder);
        let mut file = file.map_err(at(&self.folder))?;
        pack(folder, &mut file).map_err(at(folder))?;
        // As the folders are, for the daemon's user.
        let mode = fs::Permissions::from_mode(0o644);
        let written = file.as_file().set_permissions(mode);
        let synced = written.and_then(|()| file.as_file().sync_all());
        synced.map(|()| file).map_err(at(&self.folder))
    }

    /// A folder as it is before its build changes it, packed, unless it is too large for that.
    fn source(&self, folder: &Path) -> Result<Option<tempfile::NamedTempFile>, ShelfError> {
        match self.packed(folder) {
            Err(ShelfError::Io { why, .. }) if why.kind() == ErrorKind::FileTooLarge => Ok(None),
            packed => packed.map(Some),
        }
    }

    fn keep_source(
        &self,
        manifest: &Manifest,
        source: Option<tempfile::NamedTempFile>,
    ) -> Result<(), ShelfError> {
        let path = self.source_of(&manifest.name, &manifest.version);
        let kept = source.map(|source| source.persist(&path));
        kept.transpose()
            .map_err(|why| at(&path)(why.error))
            .map(drop)
    }

    /// Where the folder is, packed, that a bot with a build was added from.
    fn source_of(&self, name: &str, version: &str) -> PathBuf {
        let file = format!(".{version}{SOURCE}");
        self.folder.join(name).join(file)
    }

    /// Packs a version of a bot for other machines: its folder as it was added, or with what was `built` of it.
    ///
    /// # Errors
    /// [`ShelfError::NoSource`]; [`ShelfError::Io`], also if it becomes too large; [`ShelfError::Manifest`].
    pub fn pack(&self, asked: &BotName, built: bool) -> Result<File, ShelfError> {
        let (name, version) = (&asked.name, asked.version.as_deref().unwrap_or_default());
        let folder = self.folder.join(name).join(version);
        if built || Manifest::load(&folder)?.build.is_none() {
            // The shelf may be another user's. Of what others would refuse, nothing goes into the archive.
            let whole = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
            let copied = copy(&folder, whole.path())?;
            if !built && self.digest(asked)? != Some(copied.digest) {
                return Err(ShelfError::NotTheSame(asked.clone()));
            }
            let mut packed = tempfile::tempfile().map_err(at(&std::env::temp_dir()))?;
            pack(whole.path(), &mut packed).map_err(at(&folder))?;
            packed.rewind().map_err(at(&folder))?;
            return Ok(packed);
        }
        let path = self.source_of(name, version);
        File::open(&path).map_err(|why| match why.kind() {
            ErrorKind::NotFound => ShelfError::NoSource(asked.clone()),
            _ => at(&path)(why),
        })
    }

    /// Every version of every bot, by name, in the order in which they were added.
    ///
    /// # Errors
    /// [`ShelfError::Io`].
    pub fn all(&self) -> Result<Vec<Kept>, ShelfError> {
        let mut all = Vec::new();
        for name in self.names()? {
            let versions = self.versions(&name)?;
            let last = versions.len();
            for (number, version) in (1..).zip(versions) {
                let folder = self.folder.join(&name).join(&version.version);
                all.push(Kept {
                    name: name.clone(),
                    version,
                    is_last: number == last,
                    manifest: Manifest::load(&folder),
                });
            }
        }
        Ok(all)
    }

    /// The bot of this name, ready to be started.
    ///
    /// # Errors
    /// [`ShelfError::Unknown`]; [`ShelfError::Manifest`] if somebody has changed its folder.
    pub fn get(&self, asked: &BotName) -> Result<Launch, ShelfError> {
        match self.look(asked)? {
            Some(launch) => Ok(launch),
            None => Err(self.unknown(asked, &self.versions(&asked.name)?)),
        }
    }

    /// The version that is meant; `None` if there is none.
    fn version(&self, asked: &BotName) -> Result<Option<Version>, ShelfError> {
        let mut versions = self.versions(&asked.name)?;
        Ok(match &asked.version {
            Some(version) => versions.into_iter().find(|known| known.version == *version),
            None => versions.pop(),
        })
    }

    /// The digest of a bot's folder as it was added; `None` if there is no such bot.
    ///
    /// # Errors
    /// [`ShelfError::Io`].
    pub fn digest(&self, asked: &BotName) -> Result<Option<String>, ShelfError> {
        Ok(self.version(asked)?.map(|found| found.digest))
    }

    /// The bot of this name; `None` if there is none.
    fn look(&self, asked: &BotName) -> Result<Option<Launch>, ShelfError> {
        let Some(found) = self.version(asked)? else {
            return Ok(None);
        };
        let folder = self.folder.join(&asked.name).join(&found.version);
        let manifest = Manifest::load(&folder)?;
        let launch = manifest.launch(&folder, &self.read, &self.kept, &self.hidden);
        Ok(Some(launch))
    }

    /// Takes a version of a bot off the shelf, or all of them; what was removed. Matches that play with it keep
    /// its running program, but cannot start another.
    ///
    /// # Errors
    /// [`ShelfError::Unknown`], [`ShelfError::Io`].
    pub fn remove(&self, asked: &BotName) -> Result<Vec<String>, ShelfError> {
        let name = &asked.name;
        // Without a shelf there is nothing to lock.
        if !self.folder.is_dir() {
            return Err(self.unknown(asked, &[]));
        }
        let _lock = self.lock()?;
        let versions = self.versions(name)?;
        let goes = |known: &Version| {
            let version = asked.version.as_ref();
            version.is_none_or(|version| *version == known.version)
        };
        let (removed, kept): (Vec<_>, Vec<_>) = versions.iter().cloned().partition(goes);
        if removed.is_empty() {
            return Err(self.unknown(asked, &versions));
        }
        let bot = self.folder.join(name);
        // The list first: what it does not name is not there.
        self.list(name, &kept)?;
        for version in &removed {
            let folder = bot.join(&version.version);
            gone(fs::remove_dir_all(&folder)).map_err(at(&folder))?;
            let source = self.source_of(name, &version.version);
            gone(fs::remove_file(&source)).map_err(at(&source))?;
        }
        if kept.is_empty() {
            gone(fs::remove_dir_all(&bot)).map_err(at(&bot))?;
        }
        Ok(removed.into_iter().map(|known| known.version).collect())
    }

    /// Keeps others from changing the shelf, which is made if it is not there.
    fn lock(&self) -> Result<File, ShelfError> {
        fs::create_dir_all(&self.folder).map_err(at(&self.folder))?;
        let path = self.folder.join(LOCK);
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file = options.open(&path).map_err(at(&path))?;
        flock(&file, FlockOperation::LockExclusive).map_err(|why| at(&path)(why.into()))?;
        self.sweep();
        Ok(file)
    }

    /// Removes what an addition that was cut off has left.
    fn sweep(&self) {
        let left = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(STAGING));
        for entry in left {
            // It stays for the next time.
            unlock(&entry.path());
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }

    fn names(&self) -> Result<Vec<String>, ShelfError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(at(&self.folder))?,
        };
        let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        let mut names: Vec<String> = entries
            .filter_map(name)
            .filter(|name| is_name(name))
            .collect();
        names.sort();
        Ok(names)
    }

    /// The versions of a bot in the order in which they were added; none if there is no such bot.
    fn versions(&self, name: &str) -> Result<Vec<Version>, ShelfError> {
        let path = self.folder.join(name).join(ADDED);
        let text = match fs::metadata(&path) {
            Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Vec::new());
            }
            Ok(about) if about.len() > ADDED_LEN_MAX => {
                Err(io::Error::from(ErrorKind::FileTooLarge))
            }
            about => about.and_then(|_| fs::read(&path)),
        };
        let read = |text: Vec<u8>| serde_json::from_slice::<Vec<Version>>(&text);
        let versions = text.and_then(|text| read(text).map_err(io::Error::from));
        let versions = versions.map_err(at(&path))?;
        // It becomes a path.
        let plain = |known: &Version| is_version(&known.version);
        Ok(versions.into_iter().filter(plain).collect())
    }

    /// Writes the list of a bot's versions, all of it or nothing.
    fn list(&self, name: &str, versions: &[Version]) -> Result<(), ShelfError> {
        let bot = self.folder.join(name);
        let written = || {
            let mut file = tempfile::NamedTempFile::new_in(&bot)?;
            serde_json::to_writer_pretty(&mut file, versions)?;
            file.write_all(b"\n")?;
            let mode = fs::Permissions::from_mode(0o644);
            file.as_file().set_permissions(mode)?;
            file.as_file().sync_all()?;
            file.persist(bot.join(ADDED))?;
            File::open(&bot)?.sync_all()
        };
        written().map_err(at(&bot.join(ADDED)))
    }

    fn unknown(&self, asked: &BotName, versions: &[Version]) -> ShelfError {
        let join = |names: Vec<String>| names.join(", ");
        let known = if versions.is_empty() {
            match self.names().unwrap_or_default() {
                names if names.is_empty() => "none was added: drover bot add FOLDER".to_owned(),
                names => format!("there are: {}", join(names)),
            }
        } else {
            let versions = versions.iter().map(|known| known.version.clone());
            format!("its versions are: {}", join(versions.collect()))
        };
        ShelfError::Unknown {
            asked: asked.clone(),
            known,
        }
    }
}

impl Programs for Shelf {
    fn find(&self, name: &str, version: Option<&str>) -> Option<Launch> {
        let text = match version {
            Some(version) => format!("{name}@{version}"),
            None => name.to_owned(),
        };
        let asked: BotName = text.parse().ok()?;
        self.look(&asked).unwrap_or_else(|why| {
            tracing::warn!(bot = %asked, "the bot cannot be used: {why}");
            None
        })
    }
}
