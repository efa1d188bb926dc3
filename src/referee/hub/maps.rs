//! The maps of a hub, from a folder.

use std::path::{Path, PathBuf};

/// The maximum number of map files read from one folder.
const MAPS_MAX: usize = 1_000;
/// The maximum size of a map file, in bytes: that of the largest map.
const FILE_BYTES_MAX: u64 = 2_000_000;

/// A map: its name and its file's text.
pub type NamedMap = (String, String);

/// Why a folder's maps cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MapsError {
    /// The folder or one of its files cannot be read.
    #[error("maps: {path} cannot be read: {error}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It contains no maps.
    #[error("maps: there are no *.txt files in {0}")]
    Empty(PathBuf),
    /// More than `MAPS_MAX` maps.
    #[error("maps: {0} has more than {MAPS_MAX} *.txt files")]
    TooMany(PathBuf),
    /// Longer than any map.
    #[error("maps: {0} has more than {FILE_BYTES_MAX} bytes")]
    TooLong(PathBuf),
}

/// Reads every `*.txt` of a folder, in alphabetical order.
///
/// # Errors
/// [`MapsError`] naming the folder or file. Whether a text is a valid map is checked later by the game.
pub fn read_maps(folder: &Path) -> Result<Vec<NamedMap>, MapsError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |error| MapsError::Unreadable { path, error }
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        if path.extension().is_some_and(|ext| ext == "txt") && path.is_file() {
            paths.push(path);
        }
        if paths.len() > MAPS_MAX {
            return Err(MapsError::TooMany(folder.to_owned()));
        }
    }
    paths.sort();
    let mut maps = Vec::with_capacity(paths.len());
    for path in paths {
        let bytes = std::fs::metadata(&path).map_err(unreadable(&path))?.len();
        if bytes > FILE_BYTES_MAX {
            return Err(MapsError::TooLong(path));
        }
        let text = std::fs::read_to_string(&path).map_err(unreadable(&path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        maps.push((name.into_owned(), text));
    }
    if maps.is_empty() {
        return Err(MapsError::Empty(folder.to_owned()));
    }
    Ok(maps)
}
