//! `drover manual FOLDER`: the manual pages, for packages.

use anyhow::Context as _;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder to write drover.1 and a page for each verb to; it is created if missing.
    folder: PathBuf,
}

pub(super) fn run(args: &Args, command: clap::Command) -> anyhow::Result<()> {
    let folder = &args.folder;
    let failed = || format!("the manual cannot be written to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(failed)?;
    clap_mangen::generate_to(command, folder).with_context(failed)
}
