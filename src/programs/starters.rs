//! Starter bots: complete small bots in several languages, from which users write their own. In each language one file
//! speaks with Drover, and one file a game decides.

use super::manifest::MANIFEST;

/// A file of a starter: its name and its text.
type File = (&'static str, &'static str);

/// A language in which there are starters.
#[derive(Debug)]
pub struct Language {
    /// Its name, as in `--lang`.
    pub name: &'static str,
    /// How a starter is run.
    pub run: &'static [&'static str],
    /// How it is built, if it needs to be; each of its games adds `build_game`.
    pub build: &'static [&'static str],
    /// `FILE` stands for the game's file, `GAME` for its name.
    build_game: &'static [&'static str],
    /// Further lines of its manifest.
    manifest: &'static str,
    /// The files that all its starters have.
    shared: &'static [File],
    /// The games that starters in it play, each with its file.
    games: &'static [(&'static str, File)],
}

/// Files of `starters/FOLDER`.
macro_rules! files {
    ($folder:literal: $($file:literal),*) => {
        &[$(($file, include_str!(concat!("../../starters/", $folder, "/", $file)))),*]
    };
}

/// Games with their files of `starters/FOLDER`.
macro_rules! games {
    ($folder:literal: $($game:literal in $file:literal),*) => {
        &[$(($game, ($file, include_str!(concat!("../../starters/", $folder, "/", $file))))),*]
    };
}

/// By game, lines of a match: to see how a starter answers, and what those warm up with that are slow at first.
const EXAMPLES: &[File] = files!("examples": "koehandel.jsonl", "smartdog.jsonl", "planowanie.jsonl",
    "lighthouses.jsonl", "planetwars.jsonl");

/// All of them.
pub const LANGUAGES: &[Language] = &[
    Language {
        name: "python",
        run: &["python3", "drover_bot.py"],
        build: &[],
        build_game: &[],
        manifest: "",
        shared: files!("python": "drover_bot.py"),
        games: games!("python": "koehandel" in "koehandel.py", "smartdog" in "smartdog.py",
            "planowanie" in "planowanie.py", "lighthouses" in "lighthouses.py", "planetwars" in "planetwars.py"),
    },
    Language {
        name: "javascript",
        run: &["node", "drover_bot.js"],
        build: &[],
        build_game: &[],
        manifest: "",
        shared: files!("javascript": "drover_bot.js"),
        games: games!("javascript": "koehandel" in "koehandel.js", "smartdog" in "smartdog.js",
            "planowanie" in "planowanie.js", "lighthouses" in "lighthouses.js", "planetwars" in "planetwars.js"),
    },
    Language {
        name: "go",
        run: &["./bot"],
        build: &["go", "build", "-buildvcs=false", "-o", "bot", "."],
        build_game: &[],
        manifest: "",
        shared: files!("go": "drover_bot.go", "go.mod"),
        games: games!("go": "koehandel" in "koehandel.go", "smartdog" in "smartdog.go",
            "planowanie" in "planowanie.go", "lighthouses" in "lighthouses.go", "planetwars" in "planetwars.go"),
    },
    Language {
        name: "java",
        // Compilers that optimise and collectors that run next to it take the time of short decisions.
        run: &[
            "java",
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            ".",
            "DroverBot",
        ],
        build: &["javac", "DroverBot.java"],
        build_game: &["FILE"],
        manifest: "\n[limits]\nmemory_mib = 1024\n",
        shared: files!("java": "DroverBot.java"),
        games: games!("java": "koehandel" in "Koehandel.java", "smartdog" in "Smartdog.java",
            "planowanie" in "Planowanie.java", "lighthouses" in "Lighthouses.java",
            "planetwars" in "Planetwars.java"),
    },
    Language {
        name: "cpp",
        run: &["./bot"],
        build: &["g++", "-std=c++17", "-O2", "-o", "bot", "drover_bot.cpp"],
        build_game: &["FILE"],
        manifest: "",
        shared: files!("cpp": "drover_bot.h", "drover_bot.cpp"),
        games: games!("cpp": "koehandel" in "koehandel.cpp", "smartdog" in "smartdog.cpp",
            "planowanie" in "planowanie.cpp", "lighthouses" in "lighthouses.cpp", "planetwars" in "planetwars.cpp"),
    },
    Language {
        name: "rust",
        run: &["./bot"],
        build: &[
            "rustc",
            "--edition=2021",
            "-O",
            "-o",
            "bot",
            "drover_bot.rs",
        ],
        build_game: &["--cfg", "GAME"],
        manifest: "",
        shared: files!("rust": "drover_bot.rs"),
        games: games!("rust": "koehandel" in "koehandel.rs", "smartdog" in "smartdog.rs",
            "planowanie" in "planowanie.rs", "lighthouses" in "lighthouses.rs", "planetwars" in "planetwars.rs"),
    },
];

/// Why there is no such starter, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StarterError {
    /// None is in this language.
    #[error("there is no starter in {language:?}; there are: {known}")]
    Language {
        /// The language as it was asked for.
        language: String,
        /// Those that there are.
        known: String,
    },
    /// None in this language plays this game.
    #[error("no starter in {language} plays {game:?}; there are: {known}")]
    Game {
        /// The language.
        language: String,
        /// The game as it was asked for.
        game: String,
        /// The games that there are in this language.
        known: String,
    },
}

impl Language {
    /// The language of this name.
    ///
    /// # Errors
    /// [`StarterError::Language`].
    pub fn find(name: &str) -> Result<&'static Self, StarterError> {
        let found = LANGUAGES.iter().find(|known| known.name == name);
        found.ok_or_else(|| StarterError::Language {
            language: name.to_owned(),
            known: listed(LANGUAGES.iter().map(|known| known.name)),
        })
    }

    /// The files of a bot of this name for these games: names and texts.
    ///
    /// # Errors
    /// [`StarterError::Game`].
    pub fn starter(
        &self,
        name: &str,
        games: &[&str],
    ) -> Result<Vec<(String, String)>, StarterError> {
        let own = games.iter().map(|game| self.file_of(game));
        let own: Vec<File> = own.collect::<Result<_, _>>()?;
        let mut files = vec![(MANIFEST.to_owned(), self.manifest_of(name, games, &own))];
        let examples = EXAMPLES.iter().filter(|(file, _)| {
            let game = file.strip_suffix(".jsonl");
            game.is_some_and(|game| games.contains(&game))
        });
        let all = own.iter().chain(self.shared).chain(examples);
        files.extend(all.map(|(file, text)| ((*file).to_owned(), (*text).to_owned())));
        Ok(files)
    }

    fn file_of(&self, game: &str) -> Result<File, StarterError> {
        let found = self.games.iter().find(|(known, _)| *known == game);
        let (_, file) = found.ok_or_else(|| StarterError::Game {
            language: self.name.to_owned(),
            game: game.to_owned(),
            known: listed(self.games.iter().map(|(known, _)| *known)),
        })?;
        Ok(*file)
    }

    fn manifest_of(&self, name: &str, games: &[&str], own: &[File]) -> String {
        let added = games.iter().zip(own).flat_map(|(game, (file, _))| {
            self.build_game.iter().map(move |word| match *word {
                "FILE" => *file,
                "GAME" => *game,
                word => word,
            })
        });
        let words: Vec<&str> = self.build.iter().copied().chain(added).collect();
        let build = match words.as_slice() {
            [] => String::new(),
            words => format!("build = {words:?}\n"),
        };
        format!(
            "name = {name:?}\nversion = \"1\"\ngames = {games:?}\nrun = {:?}\n{build}{}",
            self.run, self.manifest
        )
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Manifest;
    use std::path::Path;

    #[test]
    fn every_language_has_a_starter_for_every_game() {
        let all: Vec<&str> = games::ALL.iter().map(|kit| kit.card().name).collect();
        for language in LANGUAGES {
            for games in all.iter().map(|game| vec![*game]).chain([all.clone()]) {
                let files = language.starter("mine", &games).unwrap();
                let (name, text) = &files[0];
                assert_eq!(name, MANIFEST);
                let manifest = Manifest::read(Path::new(MANIFEST), text).unwrap();
                assert_eq!(manifest.games, games);
                assert_eq!(manifest.run, language.run);
                // Each game has a file of its own and an example.
                let shared = 1 + language.shared.len();
                assert_eq!(files.len(), shared + 2 * games.len(), "{}", language.name);
                let named = |word: &String| files.iter().any(|(file, _)| file == word);
                let words = manifest.build.unwrap_or_default();
                let is_source = |word: &&String| {
                    let ends = [".java", ".cpp", ".rs"];
                    ends.iter().any(|end| word.ends_with(end))
                };
                let mut sources = words.iter().filter(is_source);
                assert!(sources.all(named), "{text}");
            }
        }
    }

    #[test]
    fn a_build_names_what_its_games_add() {
        for (language, expected) in [
            (
                "java",
                "build = [\"javac\", \"DroverBot.java\", \"Smartdog.java\", \"Koehandel.java\"]\n",
            ),
            (
                "rust",
                "\"drover_bot.rs\", \"--cfg\", \"smartdog\", \"--cfg\", \"koehandel\"]\n",
            ),
        ] {
            let language = Language::find(language).unwrap();
            let files = language.starter("mine", &["smartdog", "koehandel"]);
            let (_, manifest) = &files.unwrap()[0];
            assert!(manifest.contains(expected), "{manifest}");
        }
    }

    #[test]
    fn an_unknown_language_or_game_is_reported_with_those_that_there_are() {
        let reported = Language::find("cobol").unwrap_err().to_string();
        let expected = "there are: python, javascript, go, java, cpp, rust";
        assert!(reported.ends_with(expected), "{reported}");
        let go = Language::find("go").unwrap();
        let reported = go.starter("mine", &["koehandel", "chess"]).unwrap_err();
        assert_eq!(
            reported.to_string(),
            "no starter in go plays \"chess\"; there are: koehandel, smartdog, planowanie, lighthouses, planetwars"
        );
    }
}
