//! How a stored session is folded: what its dialogue starts from, and how replies look in a
//! referee's transcript.

use super::types::NewSession;
use games::{DialogueSetup, Reply};
use serde_json::Value;
use std::borrow::Cow;

/// What a referee's transcript holds in place of an answer that did not come in time. No wire's
/// text begins with this control character.
pub const LATE: &str = "\u{1}late";
/// What a referee's transcript holds in place of an answer when the connection or program failed.
pub const FAILED: &str = "\u{1}failed";

/// A reply as the text of a referee's `In` entry. Bytes that are no UTF-8 are shown by U+FFFD.
#[must_use]
pub fn reply_text<'a>(reply: &Reply<'a>) -> Cow<'a, str> {
    match reply {
        Reply::Text(bytes) => String::from_utf8_lossy(bytes),
        Reply::Late => LATE.into(),
        Reply::Failed => FAILED.into(),
    }
}

/// The reply that a referee's `In` entry stands for.
#[must_use]
pub fn said_reply(text: &str) -> Reply<'_> {
    match text {
        LATE => Reply::Late,
        FAILED => Reply::Failed,
        text => Reply::Text(text.as_bytes()),
    }
}

/// What a session's dialogue starts from. [`NewSession::setup`] may hold `rivals` and `types`, each
/// an array of `[name, model]`, `models`, and `opening`; what is missing is empty or false.
#[must_use]
pub fn dialogue_setup(session: &NewSession) -> DialogueSetup {
    DialogueSetup {
        bot: session.bot.clone(),
        seed: session.seed,
        rivals: named(session.setup.get("rivals")),
        types: named(session.setup.get("types")),
        models: session
            .setup
            .get("models")
            .and_then(Value::as_bool)
            .unwrap_or(false),
        opening: session.setup.get("opening").cloned().unwrap_or_default(),
    }
}

fn named(list: Option<&Value>) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for pair in list.and_then(Value::as_array).into_iter().flatten() {
        if let Some([Value::String(name), model]) = pair.as_array().map(Vec::as_slice) {
            found.push((name.clone(), model.clone()));
        }
    }
    found
}
