//! Scenes: a player is shown what the rules let it see and nothing else, and what is shown adds up.

use crate::KIT;
use crate::referee::Referee;
use crate::rules::Lighthouses;
use crate::scene::{PlayerState, State};
use drover_game::game::Seat;
use drover_game::kit::{Kit as _, Nodes, PlaySetup, TableSetup};
use drover_game::scene::{Names, Scene};
use drover_game::wire::{Next, Reply, Table as _};
use drover_game::{DialogueSetup, Game as _};
use drover_laws::scenes_of;
use serde::Deserialize as _;
use serde_json::{Value, json};

const SEATS: usize = 3;

/// Those of matches in which there are triangles.
fn dense() -> Value {
    json!({"map": "orchard", "rounds": 80})
}

fn options() -> Value {
    json!({"map": "fjord", "rounds": 80})
}

#[test]
fn a_player_is_shown_what_the_rules_let_it_see_and_nothing_else() {
    let bots = ["ring", "harvester", "triangle"].map(str::to_owned);
    let setup = PlaySetup::recorded(bots.to_vec(), 1, options());
    let played = KIT.play(&setup, &Nodes(20)).unwrap();
    let table = KIT
        .table(&TableSetup::numbered(1, options(), SEATS))
        .unwrap();
    let mut referee = Referee::new(serde_json::from_value(table.setup()).unwrap()).unwrap();
    let player = |_| KIT.dialogue(&DialogueSetup::new("passer", 1)).unwrap();
    let mut players: Vec<_> = (0..SEATS).map(player).collect();
    let (mut asked, mut keys) = (0, 0);
    for exchange in &played.transcript {
        referee.calls(&mut Vec::new());
        let (seat, player) = (exchange.seat, &mut players[exchange.seat.index()]);
        let next = player.receive(exchange.call.as_bytes()).unwrap();
        if matches!(next, Next::Think { .. }) && exchange.call.contains("\"view\"") {
            let view = referee.game().view(seat);
            let scene = player.scene().unwrap();
            let shown = State::deserialize(&scene.state).unwrap();
            let chart = referee.game().chart();
            assert_eq!(shown, State::from_view(chart, seat, SEATS, &view));
            assert_eq!(shown.energy.len(), view.seen.len());
            let (own, rivals): (Vec<_>, Vec<_>) = shown
                .players
                .iter()
                .partition(|player| player.player == seat.0);
            let shown_of = |player: &PlayerState| (player.position, player.score, player.energy);
            for rival in rivals {
                assert_eq!(shown_of(rival), (None, None, None));
                assert_eq!((&rival.keys, rival.dropped), (&None, None));
            }
            keys += own[0].keys.as_ref().unwrap().len();
            assert_eq!(shown.rounds, None);
            asked += 1;
        }
        if let Some(reply) = &exchange.reply {
            player.said(reply);
            referee.answer(seat, Reply::Text(reply.as_bytes()));
        }
    }
    assert!(
        asked == 80 * SEATS && keys > 100,
        "{asked} asked, {keys} keys"
    );
}

#[test]
fn what_is_shown_adds_up_to_the_result() {
    let scenes = scenes_of::<Lighthouses>(&["triangle", "ring"], 2, &dense());
    let whole: Vec<State> = scenes["the table"]
        .iter()
        .map(|scene| State::deserialize(&scene.state).unwrap())
        .collect();
    let mut triangles = 0;
    for state in &whole {
        let links = |player: u8| -> usize {
            let own = state
                .lighthouses
                .iter()
                .filter(|at| at.owner == Some(player));
            own.map(|at| at.links.len()).sum()
        };
        for player in &state.players {
            let own = state
                .triangles
                .iter()
                .filter(|lit| lit.player == player.player);
            let cells: u32 = own.map(|lit| lit.cells).sum();
            // Every link has two ends, and counts 2.
            let points = 2 * player.held as usize + links(player.player) + cells as usize;
            assert_eq!(
                usize::try_from(player.income),
                Ok(points),
                "round {}",
                state.round
            );
        }
        triangles = triangles.max(state.triangles.len());
    }
    assert!(triangles > 0, "no triangle was lit");
    let names = ["triangle", "ring"].iter().cycle().take(4);
    let bots = names.map(|&name| name.to_owned()).collect();
    let played = KIT
        .play(&PlaySetup::recorded(bots, 2, dense()), &Nodes(20))
        .unwrap();
    let last = whole.last().unwrap();
    assert_eq!((last.round, last.rounds), (80, Some(80)));
    for player in &last.players {
        assert_eq!(
            player.score,
            Some(played.outcome.scores[Seat(player.player)])
        );
    }
    let title = &scenes["the table"].last().unwrap().title;
    assert!(title.ends_with("; the game is over"), "{title}");
}

#[test]
fn lighthouses_that_change_hands_are_news_and_steps_are_quiet() {
    let scenes = scenes_of::<Lighthouses>(&["triangle", "ring"], 2, &dense());
    let scenes = &scenes["the table"];
    let (mut taken, mut lit, mut quiet) = (0, 0, 0);
    for (before, now) in scenes.iter().zip(scenes.iter().skip(1)) {
        let [was, is] = [before, now].map(|scene| State::deserialize(&scene.state).unwrap());
        let pairs = was.lighthouses.iter().zip(&is.lighthouses);
        let changed = pairs.filter(|(was, is)| was.owner != is.owner).count();
        let Some(news) = (KIT.card().news)(&before.state, now) else {
            assert_eq!(changed, 0, "{}", now.title);
            continue;
        };
        let title = Names::default().fill(&news.title);
        assert_eq!(title.contains("lighthouse at"), changed > 0, "{title}");
        // With how much energy is a fact: the end of the round takes some.
        assert!(!title.contains(" with "), "{title}");
        assert!(!news.quiet || title.contains(" moves to ") || title.contains(" stays at "));
        taken += changed;
        lit += usize::from(title.contains("triangle"));
        quiet += usize::from(news.quiet);
    }
    assert!(
        taken > 10 && lit > 0 && quiet > 50,
        "{taken} taken, {lit} lit, {quiet} quiet"
    );
}

#[test]
fn a_picture_is_drawn_as_ever() {
    let scenes = scenes_of::<Lighthouses>(&["triangle", "ring"], 2, &dense());
    let scenes = scenes["the table"].iter();
    let lit = |scene: &&Scene| !scene.state["triangles"].as_array().unwrap().is_empty();
    let scene = scenes.rev().find(lit).unwrap();
    let picture = (KIT.card().picture)(&scene.state, &Names::default())
        .unwrap()
        .document("");
    assert_eq!(picture, include_str!("../golden/scene.svg"));
}

#[test]
fn kinds_of_facts_are_named_in_words() {
    let named = ["fall", "key", "result", "unsound"].map(|kind| KIT.card().kind(kind));
    let words = ["lighthouses lost", "keys", "result", "messages left out"];
    assert_eq!(named, words);
}
