//! Writes seeds for the fuzz targets: what seats of recorded matches received, and what they answered.
//!
//! `cargo run --release -p drover-games --example corpus -- DIR`

use drover_laws::disturb::Tape;
use games::fuzzing::ANSWERS;
use std::path::Path;

/// Messages of a seed.
const FRAMES: usize = 14;

fn join(first: &[u8], frames: &[&str]) -> Vec<u8> {
    [first, frames.join("\u{1E}").as_bytes()].concat()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("a folder is wanted")?;
    let blobs = Path::new(&folder).join("blobs");
    std::fs::create_dir_all(&blobs)?;
    for (number, kit) in games::ALL.iter().enumerate() {
        let to = Path::new(&folder).join(kit.card().name);
        std::fs::create_dir_all(&to)?;
        for seed in 0..2 {
            let tape = Tape::record(*kit, seed)?;
            let lines = tape.lines.iter().take(FRAMES);
            let calls: Vec<&str> = lines.clone().map(|line| &*line.call).collect();
            let said: Vec<&str> = lines
                .clone()
                .flat_map(|line| line.reply.as_deref())
                .collect();
            std::fs::write(to.join(format!("received{seed}")), join(b"", &calls))?;
            std::fs::write(to.join(format!("said{seed}")), join(&[ANSWERS], &said))?;
            let marked = lines.flat_map(|line| {
                let reply = line.reply.clone();
                std::iter::once(format!("<{}", line.call)).chain(reply)
            });
            let marked: Vec<String> = marked.collect();
            let marked: Vec<&str> = marked.iter().map(String::as_str).collect();
            let bytes = join(format!("T{number}").as_bytes(), &marked);
            std::fs::write(blobs.join(format!("{}{seed}", kit.card().name)), bytes)?;
        }
    }
    Ok(())
}
