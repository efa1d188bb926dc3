//! Plays a match among built-in bots and writes pictures of it, each a whole SVG file.
//!
//! `cargo run --release -p drover-games --example picture -- [--game lighthouses] [--bots champion,ring] [--seed 1]
//! [--options '{"rounds": 100}'] [--seat 0] [--turns 1,50,end] [--nodes 200] [--out .]`
//!
//! With `--seat` the pictures show what that seat knows, else everything. A turn stands for the first scene from
//! there on, `end` for the last one. What is drawn is printed: the file, the scene's title, bytes of its state and
//! of its picture.

use games::kit::Nodes;
use games::scene::STYLE;
use games::wire::Reply;
use games::{
    Budget, Dialogue, DialogueSetup, Exchange, Kit, Next, PlaySetup, Scene, Seat, Table, TableSetup,
};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

fn arguments() -> Result<HashMap<String, String>, Failure> {
    let mut given = HashMap::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let key = word.strip_prefix("--").ok_or("keys begin with --")?;
        let value = words.next().ok_or("a key has a value")?;
        given.insert(key.to_owned(), value);
    }
    Ok(given)
}

/// Says to a player's side what was said to the seat, and what was answered.
fn receive(player: &mut dyn Dialogue, exchange: &Exchange) -> Result<(), Failure> {
    match player.receive(exchange.call.as_bytes())? {
        Next::Wait | Next::Over(_) => {}
        Next::Send(said) => player.said(exchange.reply.as_deref().unwrap_or(&said)),
        Next::Think { mut fallback, .. } => {
            if exchange.reply.is_none() {
                let _ = player.think(Budget::nodes(1), &mut fallback);
            }
            player.said(exchange.reply.as_deref().unwrap_or(&fallback));
        }
    }
    Ok(())
}

/// All different scenes in a row, by the table or by one seat.
fn scenes(
    table: &mut dyn Table,
    transcript: &[Exchange],
    mut watcher: Option<(Seat, Box<dyn Dialogue>)>,
) -> Result<Vec<Scene>, Failure> {
    let mut scenes: Vec<Scene> = Vec::new();
    for exchange in transcript {
        table.calls(&mut Vec::new());
        if let Some(reply) = &exchange.reply {
            table.spent(exchange.seat, Duration::from_millis(1));
            table.answer(exchange.seat, Reply::Text(reply.as_bytes()));
        }
        let scene = match &mut watcher {
            None => table.scene(),
            Some((seat, player)) if *seat == exchange.seat => {
                receive(player.as_mut(), exchange)?;
                player.scene()
            }
            Some(_) => None,
        };
        scenes.extend(scene.filter(|scene| scenes.last() != Some(scene)));
    }
    Ok(scenes)
}

fn main() -> Result<(), Failure> {
    let given = arguments()?;
    let text = |key: &str, usual: &str| {
        given
            .get(key)
            .map_or_else(|| usual.to_owned(), Clone::clone)
    };
    let game = text("game", "lighthouses");
    let kit: &dyn Kit = games::find(&game).ok_or("no such game")?;
    let last = kit.bots().last().map_or("", |bot| bot.name);
    let bots: Vec<String> = text("bots", &format!("{last},{last}"))
        .split(',')
        .map(str::to_owned)
        .collect();
    let (seed, nodes): (u64, u64) = (text("seed", "1").parse()?, text("nodes", "200").parse()?);
    let options = serde_json::from_str(&text("options", "{}"))?;
    let setup = PlaySetup::recorded(bots.clone(), seed, options);
    let played = kit.play(&setup, &Nodes(nodes))?;
    let seats = played.outcome.scores.len();
    let mut table = kit.table(&TableSetup::numbered(seed, setup.options, seats))?;
    let watcher = match given.get("seat") {
        None => None,
        Some(seat) => {
            let seat = Seat(seat.parse()?);
            let bot = bots.get(seat.index()).ok_or("no such seat")?;
            Some((seat, kit.dialogue(&DialogueSetup::of(bot, seed))?))
        }
    };
    let scenes = scenes(table.as_mut(), &played.transcript, watcher)?;
    let folder = text("out", ".");
    std::fs::create_dir_all(&folder)?;
    for turn in text("turns", "1,end").split(',') {
        let scene = match turn {
            "end" => scenes.last(),
            turn => {
                let turn: u32 = turn.parse()?;
                scenes.iter().find(|scene| scene.turn >= turn)
            }
        };
        let scene = scene.ok_or("the match has no such turn")?;
        let picture = kit
            .picture(&scene.state)
            .ok_or("the game draws no pictures")?;
        let path = Path::new(&folder).join(format!("{game}-{turn}.svg"));
        std::fs::write(&path, picture.document(STYLE))?;
        println!(
            "{}: {} ({} B of state, {} B that stay, {} B that move)",
            path.display(),
            scene.title,
            scene.state.to_string().len(),
            picture.still.len(),
            picture.moving.len(),
        );
    }
    Ok(())
}
