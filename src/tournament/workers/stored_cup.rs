//! A tournament from its stored row, as its file gave it.

use crate::referee::SeatSpec;
use crate::store::TournamentRow;
use crate::tournament::chance::SECRET;
use crate::tournament::cup::{Cup, VERSIONS};
use crate::tournament::file::{FOLDERS, TournamentFile};
use crate::tournament::file_error::{FileError, refuse};
use std::path::Path;

/// What a setup holds besides the file's own keys, and what of these decides no match.
const NOT_OF_FILE: [&str; 6] = ["playing", "options", "until", SECRET, FOLDERS, VERSIONS];

/// Whether workers can play a tournament: they know what its row says.
///
/// # Errors
/// [`FileError`] names the entrant that only the organiser's own process can play.
pub fn shareable(cup: &Cup) -> Result<(), FileError> {
    for entrant in &cup.entrants {
        let name = &entrant.name;
        match &entrant.spec {
            SeatSpec::Program(program) if !program.environment.is_empty() => {
                return refuse(format!(
                    "entrant {name:?}: env is kept from workers, since it may hold secrets: set these variables where \
                     the workers run, and leave them out here"
                ));
            }
            _ if entrant.token.is_some() => {
                return refuse(format!(
                    "entrant {name:?} dials the process that runs the tournament: play it without workers"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The tournament of a row.
///
/// # Errors
/// [`FileError`] if it is stored in a form that this version does not know.
pub fn stored_cup(row: &TournamentRow) -> Result<Cup, FileError> {
    let mut setup = row.setup.clone();
    if let Some(setup) = setup.as_object_mut() {
        setup.retain(|key, _| !NOT_OF_FILE.contains(&key.as_str()));
    }
    let file: Result<TournamentFile, _> = serde_json::from_value(setup);
    let file = file.map_err(|why| FileError::one(format!("tournament {}: {why}", row.id)))?;
    let mut cup = file.cup(&row.game, Path::new("/"))?;
    cup.go_on(&row.setup)?;
    for entrant in &mut cup.entrants {
        if let SeatSpec::Program(program) = &mut entrant.spec {
            let folder = row.setup[FOLDERS][&entrant.name].as_str();
            program.folder = folder.map(Into::into);
        }
    }
    cup.meant(Some(&row.setup)).for_each(drop);
    cup.setup = row.setup.clone();
    Ok(cup)
}
