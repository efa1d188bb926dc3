//! Koehandel's engine: matches in process, reading and writing the wire, a session's way through a
//! callback. One thread each, so that every figure is a core's.

use criterion::{BenchmarkId, Criterion, Throughput};
use games::koehandel::dialect::{Fields, read, write};
use games::koehandel::fold::Fold;
use games::koehandel::message::Message;
use games::{DialogueSetup, Exchange, Kit, Nodes, PlaySetup, Seat};
use serde_json::json;
use std::hint::black_box;

/// Rungs 5 to 8 of the ladder.
const TABLE: [&str; 4] = ["face", "guide", "tuned", "evolved"];

fn kit() -> &'static dyn Kit {
    games::find("koehandel").expect("koehandel is a game")
}

fn setup(payment: &str, seed: u64, record: bool) -> PlaySetup {
    PlaySetup {
        bots: TABLE.map(str::to_owned).to_vec(),
        seed,
        options: json!({ "trade_payment": payment }),
        models: true,
        learnt: Vec::new(),
        record,
    }
}

/// What the first seat receives in one match, message by message.
fn transcript() -> Vec<Exchange> {
    let played = kit().play(&setup("winner", 7, true), &Nodes(1));
    let all = played.expect("a match of known bots").transcript;
    all.into_iter()
        .filter(|received| received.seat == Seat(0))
        .collect()
}

pub(super) fn matches(c: &mut Criterion) {
    let mut group = c.benchmark_group("koehandel: match in process");
    group.throughput(Throughput::Elements(1));
    for payment in ["winner", "exchange"] {
        group.bench_function(BenchmarkId::from_parameter(payment), |bencher| {
            let mut setup = setup(payment, 0, false);
            bencher.iter(|| {
                setup.seed += 1;
                kit().play(&setup, &Nodes(1)).expect("known bots")
            });
        });
    }
    group.finish();
}

pub(super) fn wire(c: &mut Criterion) {
    let received = transcript();
    let mut fold = Fold::new();
    let mut messages: Vec<Message> = Vec::new();
    for line in &received {
        let fields = Fields::cut(line.call.as_bytes()).expect("our own text");
        let message = read(&fields, &fold).expect("our own text");
        fold.receive(message.as_ref().expect("our own rows"));
        messages.extend(message);
    }
    let mut group = c.benchmark_group("koehandel: wire");
    group.throughput(Throughput::Elements(received.len() as u64));
    group.bench_function("route a callback", |bencher| {
        bencher.iter(|| {
            for line in &received {
                black_box(
                    kit()
                        .card()
                        .dialect
                        .route(black_box(line.call.as_bytes()))
                        .expect("routed"),
                );
            }
        });
    });
    group.bench_function("read a message", |bencher| {
        let fold = Fold::new();
        bencher.iter(|| {
            for line in &received {
                let fields = Fields::cut(black_box(line.call.as_bytes())).expect("our own text");
                let _ = black_box(read(&fields, &fold));
            }
        });
    });
    group.bench_function("write a message", |bencher| {
        bencher.iter(|| {
            for message in &messages {
                black_box(write(12, 3, black_box(message)));
            }
        });
    });
    group.bench_function("receive in a session", |bencher| {
        let bot = DialogueSetup {
            bot: "filler".into(),
            ..DialogueSetup::default()
        };
        bencher.iter(|| {
            let mut dialogue = kit().dialogue(&bot).expect("a known bot");
            for line in &received {
                let next = dialogue.receive(line.call.as_bytes());
                black_box(next.expect("our own text"));
                if let Some(reply) = &line.reply {
                    dialogue.said(reply);
                }
            }
            dialogue.facts()
        });
    });
    group.finish();
}
