//! What a session's dialogue starts from: stored with the session, so that it is the same session whenever it
//! is woken or verified.

use crate::store::{OpponentKind, Storage, StoreError};
use games::{DialogueSetup, Kit};
use serde_json::Value;

/// The key in its setup for the versions of stored models that advise a session, by number.
pub const ADVICE: &str = "advice";

/// The key in a session's setup for what its program needs.
pub const PROGRAM: &str = "program";

/// The most known opponents, besides those named, who are compared with rivals of unknown names: those learnt from
/// last.
const KNOWN_MAX: u32 = 16;

/// What a session of `bot` starts from. Of its stored setup, `models`, `opening`, `named` (the rivals' names)
/// and what [`note_advice`] noted are used; missing ones are empty or false.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn dialogue_setup(
    store: &dyn Storage,
    kit: &dyn Kit,
    bot: &str,
    seed: u64,
    stored: &Value,
) -> Result<DialogueSetup, StoreError> {
    let mut setup = DialogueSetup {
        bot: bot.to_owned(),
        seed,
        models: models(stored),
        named: named(stored)
            .map(|(place, name)| (place.to_owned(), name.to_owned()))
            .collect(),
        fallback: fallback(stored).to_owned(),
        opening: stored.get("opening").cloned().unwrap_or_default(),
        ..DialogueSetup::default()
    };
    let advice = stored.get(ADVICE).and_then(Value::as_array);
    let numbers = advice.into_iter().flatten().filter_map(Value::as_i64);
    let numbers: Vec<i64> = numbers.collect();
    if numbers.is_empty() || !is_advised(kit, bot, stored) {
        return Ok(setup);
    }
    for version in store.model_versions(&numbers).await? {
        match version.kind {
            OpponentKind::Type => setup.types.push((version.name, version.model)),
            OpponentKind::Named => {
                let places = named(stored).filter(|(_, name)| *name == version.name);
                let models = places.map(|(place, _)| (place.to_owned(), version.model.clone()));
                setup.rivals.extend(models);
                setup.known.push((version.name, version.model));
            }
        }
    }
    Ok(setup)
}

/// Notes in a new session's setup which versions of stored models advise it: the current ones of its named
/// rivals, of the learnt types, and of those known opponents who may sit where nobody is named. Done once; a session without models gets none.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn note_advice(
    store: &dyn Storage,
    kit: &dyn Kit,
    bot: &str,
    stored: &mut Value,
) -> Result<(), StoreError> {
    if is_advised(kit, bot, stored) && stored.get(ADVICE).is_none() {
        let names: Vec<&str> = named(stored).map(|(_, name)| name).collect();
        let unnamed = names.len() + 1 < *kit.card().seats.end();
        let others = if unnamed { KNOWN_MAX } else { 0 };
        stored[ADVICE] = store
            .models_now(kit.card().name, &names, others)
            .await?
            .into();
    }
    Ok(())
}

fn models(stored: &Value) -> bool {
    stored.get("models").and_then(Value::as_bool) == Some(true)
}

fn is_advised(kit: &dyn Kit, bot: &str, stored: &Value) -> bool {
    let thinks = || kit.card().bot(bot).is_some_and(|card| card.thinks);
    // A user's program may want to know.
    models(stored) && kit.card().advised && (!fallback(stored).is_empty() || thinks())
}

/// The built-in bot that answers for a user's program; empty where the bot is built in.
pub(super) fn fallback(stored: &Value) -> &str {
    let fallback = || stored.get(PROGRAM)?.get("fallback")?.as_str();
    fallback().unwrap_or_default()
}

/// The rivals that a session's setup names: the place in the wire's word, and the name.
pub fn named(stored: &Value) -> impl Iterator<Item = (&str, &str)> {
    let pairs = stored.get("named").and_then(Value::as_array);
    pairs.into_iter().flatten().filter_map(|pair| {
        let place = pair.get(0)?.as_str()?;
        Some((place, pair.get(1)?.as_str()?))
    })
}
