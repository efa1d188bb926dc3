//! Arguments that games share, and the texts of maps.

use anyhow::Context as _;
use std::path::PathBuf;

/// The variable that names the folder of the maps called `foreign`.
const FOREIGN_MAPS: &str = "DROVER_FOREIGN_MAPS";

/// `NAME=VALUE`.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    name: String,
    value: f64,
}

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("NAME=VALUE is wanted")?;
        let value = value.parse().map_err(|why| format!("{value:?}: {why}"))?;
        let name = name.to_owned();
        Ok(Self { name, value })
    }
}

/// Changes numbers by their names.
pub(crate) fn apply(
    settings: &[Setting],
    mut set: impl FnMut(&str, f64) -> bool,
) -> anyhow::Result<()> {
    for Setting { name, value } in settings {
        anyhow::ensure!(set(name, *value), "there is no number {name}");
    }
    Ok(())
}

/// Maps with their names: those that `special` knows by a name, else the file or the folder of this name, or
/// the folder that the environment names for `foreign` ones, read by `read`.
pub(crate) fn maps<M, E: Into<anyhow::Error>>(
    names: &[String],
    special: impl Fn(&str) -> anyhow::Result<Vec<(String, M)>>,
    read: impl Fn(&str) -> Result<M, E>,
) -> anyhow::Result<Vec<(String, M)>> {
    let mut maps = Vec::new();
    for name in names {
        let known = special(name)?;
        if !known.is_empty() {
            maps.extend(known);
            continue;
        }
        for file in files(name)? {
            let shown = || file.display().to_string();
            let text = std::fs::read_to_string(&file).with_context(shown)?;
            let map = read(&text).map_err(Into::into).with_context(shown)?;
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            maps.push((stem.into_owned(), map));
        }
    }
    anyhow::ensure!(!maps.is_empty(), "no maps in {}", names.join(", "));
    Ok(maps)
}

fn files(name: &str) -> anyhow::Result<Vec<PathBuf>> {
    let path = match name {
        "foreign" => std::env::var_os(FOREIGN_MAPS)
            .map(PathBuf::from)
            .with_context(|| format!("{FOREIGN_MAPS} must name the folder of the foreign maps"))?,
        name => PathBuf::from(name),
    };
    if !path.is_dir() {
        return Ok(vec![path]);
    }
    let entries = std::fs::read_dir(&path).with_context(|| path.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    Ok(files)
}

/// Shipped maps: all of them by the name `all`, or the one of this name.
pub(crate) fn shipped<M, E: Into<anyhow::Error>>(
    atlas: &[(&str, &str)],
    (name, all): (&str, &str),
    read: impl Fn(&str) -> Result<M, E>,
) -> anyhow::Result<Vec<(String, M)>> {
    let wanted = atlas
        .iter()
        .filter(|(known, _)| name == all || name == *known);
    let read =
        |(name, text): &(&str, &str)| Ok(((*name).to_owned(), read(text).map_err(Into::into)?));
    wanted.map(read).collect()
}
