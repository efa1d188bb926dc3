//! Matches of our own referee, asked for as anybody may ask for them.

use crate::get::get;
use games::rng::Rng;
use std::net::SocketAddr;

/// Koehandel's bots, weakest first; a match takes neighbours.
const BOTS: [&str; 7] = [
    "filler", "random", "trader", "guide", "face", "tuned", "champion",
];

/// Asks for a match of four built-in bots, or of two and, between them, two players behind this address: the
/// status and body of the answer.
pub(crate) async fn connect(
    referee: SocketAddr,
    players: Option<SocketAddr>,
    rng: &mut Rng,
) -> anyhow::Result<(u16, String)> {
    let (first, seed) = (rng.below(BOTS.len() as u32), rng.below(u32::MAX));
    let bots = BOTS.iter().cycle().skip(first as usize);
    let seats = (1..=4).zip(bots).map(|(seat, bot)| match players {
        Some(players) if seat % 2 == 0 => format!("url{seat}=http://{players}/"),
        _ => format!("url{seat}=builtin:{bot}"),
    });
    let seats: Vec<String> = seats.collect();
    let target = format!("/?connect&{}&seed={seed}", seats.join("&"));
    get(referee, &target).await
}
