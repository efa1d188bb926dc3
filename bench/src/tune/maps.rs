//! What is played on.

use crate::bots::Sheet;
use anyhow::{Context as _, ensure};
use games::{MapStyle, Maps};
use std::path::Path;

/// What a block is played on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ground {
    pub(crate) name: String,
    /// The option `map`: a map's text or name; `None` where the option is not set.
    pub(crate) map: Option<String>,
}

impl Ground {
    fn new(name: impl Into<String>, map: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            map: Some(map.into()),
        }
    }
}

/// The maps of these names; without any, those that the game is measured on.
pub(crate) fn grounds<C: Sheet>(names: &[String]) -> anyhow::Result<Vec<Ground>> {
    let Some(maps) = C::CARD.maps else {
        ensure!(names.is_empty(), "{} has no maps", C::CARD.name);
        let name = String::new();
        return Ok(vec![Ground { name, map: None }]);
    };
    let named = |name: &str| named(maps, name);
    let grounds: Vec<Ground> = match (names, C::MAPS) {
        ([], []) => named("all")?,
        ([], words) => words.iter().map(|word| Ground::new(*word, *word)).collect(),
        (names, _) => {
            let found = names.iter().map(|name| named(name));
            found.collect::<anyhow::Result<Vec<_>>>()?.concat()
        }
    };
    ensure!(!grounds.is_empty(), "there are no maps {}", names.join(","));
    Ok(grounds)
}

fn named(maps: &dyn Maps, name: &str) -> anyhow::Result<Vec<Ground>> {
    if name == "all" {
        let shipped = maps.shipped().iter();
        return Ok(shipped.map(|(name, _)| Ground::new(*name, *name)).collect());
    }
    if let Some(words) = name.strip_prefix("drawn:") {
        return Ok(vec![Ground::new(name, drawn(maps, words)?)]);
    }
    if let Some((first, end)) = name.split_once("..")
        && let (Ok(first), Ok(end)) = (first.parse::<u64>(), end.parse())
    {
        let draw = |seed| {
            let text = maps.draw(seed, &MapStyle::default())?;
            Ok(Ground::new(format!("seed {seed}"), text))
        };
        return (first..end).map(draw).collect();
    }
    let path = Path::new(name);
    if !path.exists() {
        // A word of the game's own.
        return Ok(vec![Ground::new(name, name)]);
    }
    let read = |file: &Path| {
        let shown = || file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(shown)?;
        maps.check(&text).with_context(shown)?;
        let stem = file.file_stem().unwrap_or_default();
        Ok(Ground::new(stem.to_string_lossy(), text))
    };
    if !path.is_dir() {
        return Ok(vec![read(path)?]);
    }
    let mut files = Vec::from_iter(path.read_dir()?.flatten().map(|entry| entry.path()));
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

/// The map drawn by `SEED[:WIDTHxHEIGHT[:NUMBER]]`, numbers in the order of [`Maps::sizes`]; symmetric where the seed
/// is even.
fn drawn(maps: &dyn Maps, words: &str) -> anyhow::Result<String> {
    let mut numbers = words.split([':', 'x']);
    let seed: u64 = numbers.next().unwrap_or_default().parse()?;
    let named = maps.sizes().iter().map(|size| size.name.to_owned());
    let numbers = numbers.map(str::parse).collect::<Result<Vec<_>, _>>()?;
    let style = MapStyle {
        symmetric: seed.is_multiple_of(2),
        sizes: named.zip(numbers).collect(),
    };
    Ok(maps.draw(seed, &style)?)
}

#[cfg(test)]
mod tests {
    use super::{Ground, grounds};
    use games::contest::Contest;
    use games::lighthouses::rules::Lighthouses;
    use games::smartdog::rules::SmartDog;

    fn read(names: &[&str]) -> Vec<Ground> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        grounds::<Lighthouses>(&names).unwrap()
    }

    #[test]
    fn maps_are_shipped_drawn_files_or_words() {
        let shipped = Lighthouses::CARD.maps.unwrap().shipped();
        assert_eq!(read(&[]), read(&["all"]));
        assert_eq!(read(&[]).len(), shipped.len());
        assert_eq!(read(&["plain", "drawn"])[1], Ground::new("drawn", "drawn"));
        let drawn = read(&["drawn:7:20x12:5"]).remove(0).map.unwrap();
        let width = drawn.lines().next().unwrap().len();
        assert_eq!((width, drawn.lines().count()), (20, 12));
        assert_ne!(read(&["drawn:7"])[0].map, read(&["drawn:8"])[0].map);
        let seeds = grounds::<SmartDog>(&["5..7".to_owned()]).unwrap();
        assert_eq!((seeds.len(), &*seeds[1].name), (2, "seed 6"));
        let folder = tempfile::tempdir().unwrap();
        let write = |name, text| std::fs::write(folder.path().join(name), text).unwrap();
        write("b.txt", &*drawn);
        write("a.txt", shipped[0].1);
        write("notes.md", "no map");
        let path = folder.path().to_str().unwrap();
        let found = read(&[path, "plain"]);
        assert_eq!(found[0], Ground::new("a", shipped[0].1));
        assert_eq!(
            found[1..],
            [Ground::new("b", &*drawn), Ground::new("plain", "plain")]
        );
        write("c.txt", "");
        let wrong = grounds::<Lighthouses>(&[path.to_owned()]).unwrap_err();
        assert!(wrong.to_string().ends_with("c.txt"), "{wrong:#}");
    }
}
