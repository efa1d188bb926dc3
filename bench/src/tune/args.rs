//! Arguments that games share, and the texts of maps.

use anyhow::Context as _;
use std::path::{Path, PathBuf};

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

/// Map files with their names: the file or the folder of this name, or the folder that the environment
/// names for `foreign` ones.
pub(crate) fn map_texts(name: &str) -> anyhow::Result<Vec<(String, String)>> {
    let path = match name {
        "foreign" => std::env::var_os(FOREIGN_MAPS)
            .map(PathBuf::from)
            .with_context(|| format!("{FOREIGN_MAPS} must name the folder of the foreign maps"))?,
        name => PathBuf::from(name),
    };
    let shown = |path: &Path| path.display().to_string();
    let mut files = vec![path.clone()];
    if path.is_dir() {
        let entries = std::fs::read_dir(&path).with_context(|| shown(&path))?;
        files = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
        files.sort();
    }
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).with_context(|| shown(&file))?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        Ok((stem.into_owned(), text))
    };
    files.into_iter().map(read).collect()
}
