//! `drover openapi`.

use crate::api;
use std::io::Write as _;

pub(super) fn run() -> anyhow::Result<()> {
    let document = api::document();
    Ok(writeln!(std::io::stdout().lock(), "{document:#}")?)
}
