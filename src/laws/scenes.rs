//! The law of scenes and pictures.

use super::{NODES, Terms, play, pump, say};
use drover_game::GameCard;
use drover_game::contest::{Contest, Erased, TICK};
use drover_game::game::{Seat, Seats};
use drover_game::kit::{DialogueSetup, Kit as _, Nodes, TableSetup};
use drover_game::rng::Rng;
use drover_game::scene::{CLASSES, Names, Picture, Scene};
use drover_game::wire::Reply;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// Characters of a title at most.
const TITLE_CHARS_MAX: usize = 120;
/// Bytes that the fragments of a usual position have at most, which change with it, ...
const MOVING_USUAL_MAX: usize = 10 << 10;
/// ... those of any position, and those that stay.
const FRAGMENT_MAX: usize = 64 << 10;
/// The same for a state that was changed at random.
const CHANGED_MAX: usize = 4 << 20;
/// Elements that pictures are made of. None of them refers to anything or runs.
const ELEMENTS: [&str; 12] = [
    "svg", "style", "g", "title", "text", "rect", "circle", "ellipse", "line", "polyline",
    "polygon", "path",
];
/// Attributes of theirs, those of the document included. Colours are the stylesheet's.
const ATTRIBUTES: [&str; 24] = [
    "class",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "width",
    "height",
    "points",
    "d",
    "stroke-width",
    "font-size",
    "text-anchor",
    "viewBox",
    "role",
    "opacity",
    "stroke-dasharray",
    "transform",
];

/// Scenes of a recorded match, by the table and by every seat: turns never fall and what happens is seen. Of every third
/// scene and the last one the title is short and the picture sound, and so are all news. So is the picture of every seventh
/// state after a change at random, unless it is refused.
pub fn scenes_are_whole<C: Contest>(terms: &Terms<'_>) {
    let names: Vec<&str> = C::CARD.bots.iter().map(|bot| bot.name).collect();
    let mut states = Vec::new();
    let mut sizes = Vec::new();
    for (seed, bots) in (1..).zip(names.chunks(2)) {
        for (who, scenes) in scenes_of::<C>(bots, seed, &terms.options) {
            assert!(scenes.len() > 2, "{who}: {} scenes", scenes.len());
            news_are_short::<C>(&scenes, &who);
            let mut still = None;
            for scene in scenes.iter().step_by(3).chain(scenes.last()) {
                let sound = picture_of::<C>(scene, &who);
                sizes.push(sound.moving.len());
                let first = still.get_or_insert_with(|| sound.still.clone());
                assert_eq!(*first, sound.still, "{who}: what stays the same changes");
            }
            states.extend(scenes.into_iter().step_by(7).map(|scene| scene.state));
        }
    }
    sizes.sort_unstable();
    let usual = sizes[sizes.len() / 2];
    assert!(usual <= MOVING_USUAL_MAX, "{usual} bytes");
    for state in [json!(null), json!({}), json!([]), json!("a"), json!(7)] {
        assert_eq!(
            (C::CARD.picture)(&state, &Names::default()),
            None,
            "{state}"
        );
    }
    let mut rng = Rng::new(1, 1);
    for state in states.iter().take(400) {
        let mut changed = state.clone();
        for _ in 0..=rng.below(3) {
            change(&mut changed, &mut rng);
            for picture in pictures(C::CARD, &changed) {
                let bytes = picture.moving.len() + picture.still.len();
                assert!(bytes <= CHANGED_MAX, "{bytes} bytes of {changed}");
                sound(&picture);
            }
            let _ = (C::CARD.news)(state, &Scene::new(0, "", &changed));
        }
    }
}

/// All different scenes in a row of a match in process, by who sees them.
pub fn scenes_of<C: Contest>(
    bots: &[&str],
    seed: u64,
    options: &Value,
) -> BTreeMap<String, Vec<Scene>> {
    let door = Erased::<C>::NEW;
    let played = play::<C>(bots, seed, options, &Nodes(NODES));
    let seats = played.refused.len();
    let setup = TableSetup::numbered(seed, options.clone(), seats);
    let mut table = door.table(&setup).expect("a table");
    let mut players = Seats::from_fn(seats, |_| {
        let setup = DialogueSetup::new(C::CARD.bots[0].name, 1);
        door.dialogue(&setup).expect("a player")
    });
    let mut calls: Seats<VecDeque<String>> = Seats::from_fn(seats, |_| VecDeque::new());
    let mut seen: BTreeMap<String, Vec<Scene>> = BTreeMap::new();
    let mut see = |who: String, scene: Option<Scene>| {
        let scenes = seen.entry(who).or_default();
        let last = scenes.last();
        let Some(scene) = scene.filter(|scene| Some(scene) != last) else {
            return;
        };
        let turn = last.map_or(0, |last| last.turn);
        assert!(scene.turn >= turn, "turn {} after {turn}", scene.turn);
        scenes.push(scene);
    };
    for exchange in &played.transcript {
        pump(table.as_mut(), &mut calls);
        see("the table".into(), table.scene());
        let (seat, player) = (exchange.seat, &mut players[exchange.seat]);
        assert_eq!(calls[seat].pop_front().as_ref(), Some(&exchange.call));
        say(player.as_mut(), &exchange.call, exchange.reply.as_deref());
        see(format!("seat {}", seat.0), player.scene());
        if let Some(reply) = &exchange.reply {
            table.spent(seat, TICK);
            table.answer(seat, Reply::Text(reply.as_bytes()));
            see("the table".into(), table.scene());
        }
    }
    assert_eq!(table.outcome(), Some(played.outcome));
    let ended = table.scene().expect("a scene of the end");
    for seat in (0..seats).map(|seat| Seat(seat as u8)) {
        assert!(seen.contains_key(&format!("seat {}", seat.0)));
    }
    assert_eq!(seen["the table"].last(), Some(&ended));
    seen
}

/// A title is one short line.
fn is_short(title: &str, who: &str) {
    let title = Names::default().fill(title);
    let length = title.chars().count();
    assert!(
        (1..=TITLE_CHARS_MAX).contains(&length) && !title.contains(['\n', '\r']),
        "{who}: {title:?}"
    );
}

fn news_are_short<C: Contest>(scenes: &[Scene], who: &str) {
    for (before, now) in scenes.iter().zip(scenes.iter().skip(1)) {
        if let Some(news) = (C::CARD.news)(&before.state, now) {
            is_short(&news.title, who);
        }
    }
}

/// The pictures of a state: the usual one, and that for a phone where it is another.
fn pictures(card: &GameCard, state: &Value) -> Vec<Picture> {
    let drawn = [Some(card.picture), card.narrow].into_iter().flatten();
    drawn
        .filter_map(|draw| draw(state, &Names::default()))
        .collect()
}

fn picture_of<C: Contest>(scene: &Scene, who: &str) -> Picture {
    is_short(&scene.title, who);
    let drawn = pictures(C::CARD, &scene.state);
    for picture in &drawn {
        assert!(picture.moving.starts_with("<title>"), "{}", picture.moving);
        assert!(picture.moving.len() <= FRAGMENT_MAX, "{who}");
        assert!(picture.still.len() <= FRAGMENT_MAX, "{who}");
        sound(picture);
    }
    let first = drawn.into_iter().next();
    first.unwrap_or_else(|| panic!("{who}: no picture of {}", scene.state))
}

/// Well-formed, of known elements, attributes and classes, and nothing else.
pub fn sound(picture: &Picture) {
    let text = picture.document("");
    let read = roxmltree::Document::parse(&text);
    let document = read.unwrap_or_else(|why| panic!("{why}: {text}"));
    assert!(picture.width > 0 && picture.height > 0);
    for node in document.descendants().filter(|node| node.is_element()) {
        let name = node.tag_name().name();
        assert!(ELEMENTS.contains(&name), "<{name}>");
        for attribute in node.attributes() {
            let name = attribute.name();
            assert!(ATTRIBUTES.contains(&name), "{name}={:?}", attribute.value());
        }
        for class in node.attribute("class").unwrap_or_default().split(' ') {
            assert!(class.is_empty() || CLASSES.contains(&class), "{class:?}");
        }
    }
}

/// Changes one value somewhere in a state.
fn change(value: &mut Value, rng: &mut Rng) {
    let inner = match value {
        Value::Array(items) if !items.is_empty() => {
            let at = rng.below(items.len() as u32) as usize;
            match rng.below(6) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.clear(),
                _ => return change(&mut items[at], rng),
            }
            return;
        }
        Value::Object(fields) if !fields.is_empty() && rng.below(8) > 0 => {
            let at = rng.below(fields.len() as u32) as usize;
            fields.values_mut().nth(at)
        }
        _ => None,
    };
    match inner {
        Some(inner) => change(inner, rng),
        None => {
            *value = match rng.below(9) {
                0 => Value::Null,
                1 => json!(0),
                2 => json!(-1),
                3 => json!(255),
                4 => json!(u32::MAX),
                5 => json!(u64::MAX),
                6 => json!(1e300),
                7 => json!("</title><b>&"),
                _ => json!([]),
            }
        }
    }
}
