//! What is said of a command line that cannot be read: as of all other mistakes.

use super::usage::USAGE;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

/// Prints help where it was asked for, and otherwise what is wrong; the exit code is 0 or 2.
pub(super) fn report(mut error: clap::Error) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(USAGE);
    let is_help =
        !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help {
        // A reader that is gone is no failure.
        let _ = error.print();
        return ExitCode::from(code);
    }
    suggest_near(&mut error);
    let stderr = std::io::stderr();
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let coloured = stderr.is_terminal()
        && set("NO_COLOR").is_none()
        && set("TERM").is_some_and(|terminal| terminal != "dumb");
    let text = error.render();
    let text = match coloured {
        true => text.ansi().to_string(),
        false => text.to_string(),
    };
    // That of a filter's value is known only to be of some verb.
    let text = match error.kind() {
        ErrorKind::InvalidValue => text.replace("\n\nUsage: drover [OPTIONS] <COMMAND>", ""),
        _ => text,
    };
    // Nobody is left to notify.
    let _ = stderr.lock().write_all(own_voice(&text).as_bytes());
    ExitCode::from(code)
}

/// The text as our own errors begin, with numbers asked for as our own errors ask for them.
fn own_voice(text: &str) -> String {
    let text = text.replacen("error:", "drover:", 1);
    let whole = [
        "invalid digit found in string",
        "cannot parse integer from empty string",
    ];
    let text = whole.iter().fold(text, |text, unclear| {
        text.replace(unclear, "it must be a whole number")
    });
    let text = text.replace("number too large to fit in target type", "it is too large");
    in_range(&text).unwrap_or(text)
}

/// `0 is not in 1..=9` in words; `None` for any other text.
fn in_range(text: &str) -> Option<String> {
    let (before, after) = text.split_once(" is not in ")?;
    let (before, _number) = before.rsplit_once(": ")?;
    let (range, rest) = after.split_at(after.find('\n').unwrap_or(after.len()));
    let (low, high) = range.split_once("..=")?;
    Some(format!("{before}: it must be from {low} to {high}{rest}"))
}

/// Leaves out verbs that nobody meant.
fn suggest_near(error: &mut clap::Error) {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let given = given.clone();
    let suggested = match error.remove(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(all)) => all,
        Some(ContextValue::String(one)) => vec![one],
        _ => return,
    };
    let near: Vec<String> = suggested
        .into_iter()
        .filter(|verb| is_near(&given, verb))
        .collect();
    if !near.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(near),
        );
    }
}

/// Whether a word may be a slip of the pen for a verb: another ending, or one letter in three.
fn is_near(given: &str, verb: &str) -> bool {
    let longest = given.chars().count().max(verb.chars().count());
    let other_end = given.len() > 1 && (verb.starts_with(given) || given.starts_with(verb));
    other_end || strsim::osa_distance(given, verb) <= longest / 3
}

#[cfg(test)]
mod tests {
    use super::{is_near, own_voice};

    #[test]
    fn numbers_are_asked_for_in_words() {
        let wrong = "invalid value '0' for '--games <N>': ";
        let [given, begins] = ["error", "drover"].map(|who| format!("{who}: {wrong}"));
        for (unclear, clear) in [
            ("0 is not in 1..=100", "it must be from 1 to 100"),
            ("invalid digit found in string", "it must be a whole number"),
            ("it must be a time", "it must be a time"),
        ] {
            let said = own_voice(&format!("{given}{unclear}\n\nFor more"));
            assert_eq!(said, format!("{begins}{clear}\n\nFor more"));
        }
    }

    #[test]
    fn only_what_may_be_meant_is_near() {
        for (given, verb) in [
            ("plya", "play"),
            ("matches", "match"),
            ("tournment", "tournament"),
            ("serv", "serve"),
            ("practise", "practice"),
        ] {
            assert!(is_near(given, verb), "{given} {verb}");
        }
        for (given, verb) in [("nope", "openapi"), ("fly", "play"), ("x", "export")] {
            assert!(!is_near(given, verb), "{given} {verb}");
        }
    }
}
