//! Merges the layers and reads the typed configuration from the result.

use super::checks;
use super::error::{ConfigError, Mistakes};
use super::keys::{Key, keys, lists};
use super::layers::{DEFAULT, Environment, Flags, Layer, STORE_FLAG, at};
use super::settings::Config;
use ::config::{Map, Value, ValueKind};
use confique::Config as _;
use games::text::without_mark;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The longest configuration file read, in bytes.
const FILE_LEN_MAX: u64 = 1 << 20;
/// The longest secret file read, in bytes.
const SECRET_LEN_MAX: u64 = 4_096;

/// A configuration and the origin of each of its values.
#[derive(Clone)]
pub struct Loaded {
    /// The typed configuration.
    pub config: Config,
    /// Its source: all layers merged, each value with its origin.
    pub(super) merged: Value,
}

impl fmt::Debug for Loaded {
    /// Without the merged values, which contain secrets in plain text.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(out)
    }
}

impl Loaded {
    /// Whether a key was set anywhere, rather than left at its default.
    #[must_use]
    pub fn is_set(&self, key: &str) -> bool {
        let value = at(&self.merged, key);
        value.is_some_and(|value| value.origin() != Some(DEFAULT))
    }
}

impl Default for Config {
    fn default() -> Self {
        let loaded = load(None, &Environment::new(), &Flags::new());
        loaded.expect("the defaults are in order").config
    }
}

/// Checks that only the caller can make, on what could be read: the mistakes that it finds.
pub type Further<'a> = &'a dyn Fn(&Config) -> Vec<ConfigError>;

/// Reads defaults, file, environment and flags.
///
/// # Errors
/// [`ConfigError`] naming the key, its origin and what is allowed there, for every mistake.
pub fn load(
    file: Option<&Path>,
    environment: &Environment,
    flags: &Flags,
) -> Result<Loaded, ConfigError> {
    load_and(file, environment, flags, &|_| Vec::new())
}

/// The same with further checks.
///
/// # Errors
/// As [`load`].
pub fn load_and(
    file: Option<&Path>,
    environment: &Environment,
    flags: &Flags,
    further: Further<'_>,
) -> Result<Loaded, ConfigError> {
    let mut mistakes = Mistakes::default();
    let mut all = vec![Layer::defaults(keys())];
    if let Some(path) = file
        && let Some(text) = mistakes.note(text_of(path))
    {
        all.push(Layer::from_file(path, &text, &mut mistakes));
    }
    all.push(Layer::from_environment(environment, &mut mistakes));
    all.push(Layer::from_flags(flags, &mut mistakes));
    for layer in &mut all {
        reveal(layer, &mut mistakes);
    }
    let mut loaded = assemble(all, mistakes, further)?;
    loaded.config.file = file.map(Path::to_owned);
    Ok(loaded)
}

/// Merges layers with their secrets: later ones win. Mistakes are errors even if a later layer repairs them.
fn assemble(
    all: Vec<Layer>,
    mut mistakes: Mistakes,
    further: Further<'_>,
) -> Result<Loaded, ConfigError> {
    let home = home(&all);
    let builder = ::config::Config::builder().add_source(all);
    let merged = builder.build()?.cache;
    let layer = merged.clone().try_deserialize()?;
    let mut config = Config::builder().preloaded(layer).load()?;
    checks::complete(&mut config, &home);
    checks::check(&config, &merged, &mut mistakes);
    further(&config)
        .into_iter()
        .for_each(|mistake| mistakes.add(mistake));
    mistakes.into_result()?;
    Ok(Loaded { config, merged })
}

/// The folder of the database that is configured: the last one that is not merely opened by [`STORE_FLAG`].
fn home(layers: &[Layer]) -> PathBuf {
    let opened = Some(format!("flag {STORE_FLAG}"));
    let paths = layers.iter().rev();
    let mut paths = paths.filter_map(|layer| layer.0.get("store.path"));
    let path = paths.find(|path| path.origin() != opened.as_deref());
    let path = path.map(|path| PathBuf::from(path.kind.to_string()));
    let folder = path.as_deref().and_then(Path::parent);
    folder.map(Path::to_owned).unwrap_or_default()
}

/// Reads a file's text over the defaults. Secret files that it names are not opened.
///
/// # Errors
/// As [`load`].
pub fn check_text(text: &str) -> Result<Loaded, ConfigError> {
    let mut mistakes = Mistakes::default();
    let file = Layer::from_file(Path::new("drover.toml"), text, &mut mistakes);
    assemble(vec![Layer::defaults(keys()), file], mistakes, &|_| {
        Vec::new()
    })
}

fn text_of(path: &Path) -> Result<String, ConfigError> {
    let read = std::fs::metadata(path).and_then(|file| match file.len() {
        0..=FILE_LEN_MAX => std::fs::read_to_string(path),
        bytes => Err(io::Error::other(format!(
            "it has {bytes} bytes; at most {FILE_LEN_MAX} are read"
        ))),
    });
    read.map_err(|why| ConfigError::Unreadable {
        path: path.to_owned(),
        why,
    })
}

/// Reads the secrets that a layer gives as files.
fn reveal(layer: &mut Layer, mistakes: &mut Mistakes) {
    reveal_each(keys(), &mut layer.0, mistakes);
    for list in lists() {
        let sections = layer.0.get_mut(&list.path).map(|list| &mut list.kind);
        if let Some(ValueKind::Array(sections)) = sections {
            for section in sections {
                if let ValueKind::Table(fields) = &mut section.kind {
                    reveal_each(&list.keys, fields, mistakes);
                }
            }
        }
    }
}

fn reveal_each(keys: &[Key], values: &mut Map<String, Value>, mistakes: &mut Mistakes) {
    for key in keys.iter().filter(|key| key.is_secret) {
        if let Some(Some(secret)) = mistakes.note(revealed(key, values)) {
            values.insert(key.place.clone(), secret);
        }
    }
}

/// The secret from the file given next to it, if any.
fn revealed(key: &Key, values: &Map<String, Value>) -> Result<Option<Value>, ConfigError> {
    let set = |place: &str| {
        let value = values.get(place)?;
        let origin = value.origin().unwrap_or(DEFAULT).to_owned();
        Some((value.kind.to_string(), origin)).filter(|(text, _)| !text.is_empty())
    };
    let Some((path, origin)) = set(&key.file(&key.place)) else {
        return Ok(None);
    };
    let name = key.path.clone();
    if set(&key.place).is_some() {
        return Err(ConfigError::SecretTwice { origin, key: name });
    }
    let secret = read_secret(&path).map_err(|why| ConfigError::SecretFile {
        origin: origin.clone(),
        key: name,
        path,
        why: why.to_string(),
    })?;
    key.checked(secret.as_str().into(), &origin)?;
    Ok(Some(Value::new(Some(&origin), secret)))
}

/// Why a file holds no secret.
#[derive(Debug, thiserror::Error)]
enum SecretError {
    #[error(transparent)]
    System(#[from] std::io::Error),
    #[error("it has {0} bytes; at most {SECRET_LEN_MAX} are read")]
    TooLong(u64),
    #[error("it must hold the secret on one line")]
    Lines,
}

/// The secret in a file.
fn read_secret(path: &str) -> Result<String, SecretError> {
    let size = std::fs::metadata(path)?.len();
    if size > SECRET_LEN_MAX {
        return Err(SecretError::TooLong(size));
    }
    let text = std::fs::read_to_string(path)?;
    let text = without_mark(&text).trim_end_matches(['\r', '\n']);
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err(SecretError::Lines);
    }
    Ok(text.to_owned())
}
