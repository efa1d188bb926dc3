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

#[cfg(test)]
mod tests {
    use super::{Setting, apply, files, maps, shipped};

    /// Reads a map of one line.
    fn line(text: &str) -> anyhow::Result<String> {
        anyhow::ensure!(!text.is_empty(), "it is empty");
        Ok(text.trim().to_owned())
    }

    #[test]
    fn numbers_are_changed_by_their_names() {
        let settings = |words: &[&str]| {
            let settings = words.iter().map(|word| word.parse());
            settings.collect::<Result<Vec<Setting>, _>>()
        };
        let mut changed = Vec::new();
        let mut set = |name: &str, value| {
            let known = name != "other";
            changed.extend(known.then(|| (name.to_owned(), value)));
            known
        };
        apply(&settings(&["a=1", "b=-2.5"]).unwrap(), &mut set).unwrap();
        let unknown = apply(&settings(&["other=1"]).unwrap(), &mut set).unwrap_err();
        assert_eq!(unknown.to_string(), "there is no number other");
        assert_eq!(changed, [("a".to_owned(), 1.0), ("b".to_owned(), -2.5)]);
        for (wrong, why) in [("a", "NAME=VALUE is wanted"), ("a=x", "\"x\"")] {
            let told = settings(&[wrong]).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
    }

    #[test]
    fn maps_are_shipped_files_or_folders() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (second, _) = (write("b.txt", "two\n"), write("a.txt", "one"));
        write("notes.md", "no map");
        let atlas = [("plain", "a plain"), ("hill", "a hill")];
        let read = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let found = maps(&names, |name| shipped(&atlas, (name, "all"), line), line)?;
            let found = found
                .into_iter()
                .map(|(name, map)| format!("{name}: {map}"));
            anyhow::Ok(found.collect::<Vec<_>>())
        };
        assert_eq!(read(&["hill"]).unwrap(), ["hill: a hill"]);
        assert_eq!(read(&["all"]).unwrap(), ["plain: a plain", "hill: a hill"]);
        assert_eq!(
            read(&[&second, "hill"]).unwrap(),
            ["b: two", "hill: a hill"]
        );
        let whole = folder.path().to_str().unwrap();
        assert_eq!(read(&[whole]).unwrap(), ["a: one", "b: two"]);
        assert_eq!(files(whole).unwrap().len(), 2);
        let empty = write("c.txt", "");
        for (wrong, why) in [(&*empty, "it is empty"), ("nowhere", "nowhere")] {
            let told = format!("{:#}", read(&[wrong]).unwrap_err());
            assert!(told.contains(why), "{told}");
        }
        assert_eq!(read(&[]).unwrap_err().to_string(), "no maps in ");
    }
}
