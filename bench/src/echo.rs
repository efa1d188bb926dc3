//! `bench echo`: the barest player on pipes, which agrees to everything.

use std::io::{BufRead as _, Write as _};

/// Says yes to every line until the input ends.
pub(crate) fn run() -> anyhow::Result<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        line?;
        output.write_all(b"=\n\n")?;
        output.flush()?;
    }
    Ok(())
}
