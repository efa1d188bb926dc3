//! Why a program that is there "does not exist": what it needs to run does not.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

/// How much of a file the kernel reads for its interpreter.
const FIRST_LINE_MAX: u64 = 256;

/// The system's error for this program, which is there; if that is "not found", what is not found.
pub(super) fn missing(path: &Path, why: Error) -> Error {
    if why.kind() != ErrorKind::NotFound {
        return why;
    }
    let what = match named(path) {
        Some(name) => {
            let windows = match name.ends_with('\r') {
                true => {
                    ": its lines end as on Windows, with a carriage return; save it with plain line ends"
                }
                false => "",
            };
            format!("the interpreter {name:?} that its first line names{windows}")
        }
        None => "the interpreter or loader that it needs".to_owned(),
    };
    Error::new(ErrorKind::NotFound, format!("it is there, but not {what}"))
}

/// The interpreter that the first line of a script names, as the kernel reads it.
fn named(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    file.take(FIRST_LINE_MAX).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n');
    let line = String::from_utf8_lossy(line.clone().next()?).into_owned();
    let blank = [' ', '\t'];
    let name = line.trim_start_matches(blank).split(blank).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::start::{Program, ProgramLimits, ProgramOptions};
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_script_whose_interpreter_is_missing_names_it() {
        let place = tempfile::tempdir().unwrap();
        for (first_line, message) in [
            (
                "#!/no/python3.99 -u\n",
                "the interpreter \"/no/python3.99\" that its first line names",
            ),
            (
                "#! /bin/sh\r\n",
                "the interpreter \"/bin/sh\\r\" that its first line names: its lines end as on Windows",
            ),
        ] {
            let script = place.path().join("bot");
            fs::write(&script, first_line).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
            let options = ProgramOptions {
                program: vec![script.to_string_lossy().into_owned()].into(),
                line_max: 100,
                stderr_kept: 100,
                limits: ProgramLimits::default(),
                guard: None,
            };
            let Err(why) = Program::start(&options) else {
                panic!("it started");
            };
            assert!(why.lasts());
            let why = why.to_string();
            assert!(
                why.contains("cannot be started: it is there, but not "),
                "{why}"
            );
            assert!(why.contains(message), "{why}");
        }
    }
}
