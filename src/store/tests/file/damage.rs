//! Damaged files: noticed at the start, verified and saved as far as they are whole.

use crate::history::GameRules;
use crate::store;
use crate::store::damage;
use crate::store::health::Gauges;
use crate::store::packer::Packer;
use crate::store::salvage;
use crate::store::sql::query_as;
use crate::store::tests::fake::file_of;
use crate::store::tests::fake::{Pen, asked, match_id, opened, received, said, settings};
use crate::store::{EntryId, Settings, Store, StoreError};
use futures_util::future::join_all;
use sqlx::{Connection as _, SqliteConnection};
use std::collections::BTreeSet;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const MATCHES: u64 = 200;
const PAGE: u64 = 4096;

/// Matches of which every second one has ended; those that ended first are packed.
async fn filled() -> (TempDir, PathBuf) {
    let (folder, store) = opened().await;
    let mut pens: Vec<Pen> = (1..=MATCHES)
        .map(|number| Pen::player(&store, number))
        .collect();
    for round in 0..10 {
        let text = format!("{round}?card=P&price={}", round * 17).repeat(4);
        let write = |pen: &mut Pen| {
            let entries = vec![
                received("ask"),
                said("7"),
                received(&format!("say {text}")),
                said(&text),
            ];
            pen.append(entries)
        };
        let appends: Vec<_> = pens.iter_mut().map(write).collect();
        let sent = pens.iter_mut().zip(appends);
        join_all(sent.map(|(pen, append)| pen.send(&store, append))).await;
        if round == 8 {
            end(&store, pens.iter_mut().step_by(4)).await;
            pens = pens
                .into_iter()
                .enumerate()
                .filter(|(at, _)| at % 4 != 0)
                .map(|(_, pen)| pen)
                .collect();
            store::pack(&store, |_| {}).await.unwrap();
        }
    }
    end(&store, pens.iter_mut().step_by(3)).await;
    let path = file_of(&store);
    store.close().await;
    // All of it is in the file itself.
    let log = std::fs::metadata(path.with_extension("db-wal"));
    assert_eq!(log.map_or(0, |log| log.len()), 0);
    (folder, path)
}

async fn end(store: &Store, pens: impl Iterator<Item = &mut Pen>) {
    join_all(pens.map(|pen| pen.end(store, vec![3, 1, 0, 0], 1))).await;
}

/// Pages of a table or index: their numbers and how many rows each holds.
async fn pages(path: &Path, name: &str, kind: &str) -> Vec<(i64, i64)> {
    let store = Store::open_readonly(path, GameRules::all()).await.unwrap();
    let found = query_as(
        "SELECT pageno, ncell FROM dbstat WHERE name = $1 AND pagetype = $2 ORDER BY path",
    )
    .bind(name.to_owned())
    .bind(kind.to_owned())
    .fetch_all(store.reader().pool())
    .await
    .unwrap();
    store.close().await;
    found
}

async fn count(path: &Path, table: &str) -> i64 {
    let store = Store::open_readonly(path, GameRules::all()).await.unwrap();
    let query = format!("SELECT count(*) FROM {table}");
    let count = query_as(query)
        .fetch_one(store.reader().pool())
        .await
        .unwrap();
    store.close().await;
    count
}

fn overwrite(path: &Path, page: i64) {
    write_at(path, (page as u64 - 1) * PAGE, &[0xA5; PAGE as usize]);
}

/// Overwrites bytes at this offset.
fn write_at(path: &Path, at: u64, bytes: &[u8]) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

/// Rows on leaves for which this holds.
async fn rows_on(path: &Path, table: &str, holds: impl Fn(i64) -> bool) -> i64 {
    let leaves = pages(path, table, "leaf").await.into_iter();
    leaves
        .filter(|(page, _)| holds(*page))
        .map(|(_, rows)| rows)
        .sum()
}

/// The matches that verification calls whole, and whether it found anything wrong with the file.
async fn whole(path: &Path) -> (BTreeSet<String>, bool) {
    let store = Store::open_readonly(path, GameRules::all()).await.unwrap();
    let mut whole = BTreeSet::new();
    let summary = crate::replay::verify(&store, None, |checked| {
        // The game of these tests is none that a reader finds: nothing is replayed.
        let alone = |what: &str| what == "no game is called toy";
        if checked.differences.iter().all(|found| alone(&found.what)) {
            whole.insert(checked.match_id.clone());
        }
    });
    let summary = summary.await.unwrap();
    store.close().await;
    (whole, !summary.integrity.is_empty())
}

fn at(path: PathBuf, folder: &TempDir) -> Settings {
    Settings {
        location: path.into(),
        ..settings(folder.path())
    }
}

const TABLES: [&str; 7] = [
    "entries", "sessions", "matches", "packed", "facts", "bluffs", "seats",
];

#[tokio::test]
async fn a_whole_database_is_salvaged_whole() {
    let (folder, path) = filled().await;
    let out = folder.path().join("out.db");
    let salvaged = salvage(&path, &out).await.unwrap();
    assert_eq!(salvaged.lost, Vec::<String>::new());
    for table in TABLES {
        assert_eq!(
            count(&out, table).await,
            count(&path, table).await,
            "{table}"
        );
    }
    let (found, damaged) = whole(&out).await;
    assert_eq!((found.len() as u64, damaged), (MATCHES, false));
    let live = async |settings| {
        let store = Store::open(&settings).await.unwrap();
        let live = store.live().await.unwrap();
        store.close().await;
        live
    };
    let before = live(settings(folder.path())).await;
    assert_eq!(live(at(out.clone(), &folder)).await, before);
    let again = salvage(&path, &out).await.unwrap_err();
    assert!(again.to_string().contains("exists already"), "{again}");
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left = left.filter(|file| {
        file.as_ref()
            .unwrap()
            .path()
            .to_string_lossy()
            .contains(".part")
    });
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn damage_at_several_places_costs_what_lay_there_and_nothing_else() {
    let (folder, path) = filled().await;
    let mut lost = Vec::new();
    for (table, every) in [("entries", 40), ("sessions", 6)] {
        let leaves = pages(&path, table, "leaf").await;
        assert!(leaves.len() > every, "{table}: {} leaves", leaves.len());
        // The first, the last, two neighbours, and one here and there.
        let chosen =
            (0..leaves.len()).filter(|at| at % every == 0 || *at == 1 || at + 1 == leaves.len());
        let chosen: Vec<_> = chosen.map(|at| leaves[at]).collect();
        lost.push((table, count(&path, table).await, chosen));
    }
    for (page, _) in lost.iter().flat_map(|(_, _, chosen)| chosen) {
        overwrite(&path, *page);
    }
    let refused = Store::open(&settings(folder.path())).await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert!(refused.to_string().contains("db salvage"), "{refused}");
    let (good, damaged) = whole(&path).await;
    assert!(damaged && !good.is_empty() && (good.len() as u64) < MATCHES);

    let out = folder.path().join("out.db");
    let salvaged = salvage(&path, &out).await.unwrap();
    assert!(!salvaged.lost.is_empty());
    for (table, rows, chosen) in lost {
        let gone: i64 = chosen.iter().map(|(_, rows)| rows).sum();
        assert_eq!(count(&out, table).await, rows - gone, "{table}");
    }
    assert_eq!(count(&out, "matches").await as u64, MATCHES);
    let (saved, damaged) = whole(&out).await;
    assert!(!damaged || count(&out, "sessions").await < MATCHES as i64);
    assert!(saved.is_superset(&good), "what was whole is whole");
    Store::open(&at(out, &folder)).await.unwrap().close().await;
}

#[tokio::test]
async fn a_large_file_is_checked_after_the_start_and_a_damaged_one_is_not_packed() {
    let (folder, path) = filled().await;
    let large = Settings {
        checked_bytes_max: 0,
        ..settings(folder.path())
    };
    let leaves = pages(&path, "seats", "leaf").await;
    let whole = std::fs::read(&path).unwrap();
    overwrite(&path, leaves[1].0);
    // A program that another test is starting may hold the lock for a moment.
    let refused = loop {
        match Store::open(&settings(folder.path())).await.unwrap_err() {
            StoreError::InUse { .. } => tokio::task::yield_now().await,
            refused => break refused,
        }
    };
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");

    // What is larger than the limit is opened, checked by the packer, and left as it is.
    let store = Store::open(&large).await.unwrap();
    let due = store::unpacked(store.reader()).await.unwrap();
    assert!(due > 0);
    let packer = Packer::new(store.weak_queue().unwrap(), store.reader().pool().clone());
    let gauges = Arc::<Gauges>::default();
    packer
        .run(Arc::clone(&gauges), false, CancellationToken::new())
        .await;
    assert!(gauges.health(0, 0).damaged.is_some());
    store.close().await;
    let store = Store::open_readonly(&path, GameRules::all()).await.unwrap();
    assert_eq!(store::unpacked(store.reader()).await.unwrap(), due);
    store.close().await;

    // A sound one is packed.
    std::fs::write(&path, whole).unwrap();
    let packing = Settings {
        packs: true,
        ..large
    };
    let store = Store::open(&packing).await.unwrap();
    while store::unpacked(store.reader()).await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    store.close().await;
}

#[tokio::test]
async fn a_check_that_is_stopped_has_found_nothing_out() {
    let (_folder, path) = filled().await;
    let store = Store::open_readonly(&path, GameRules::all()).await.unwrap();
    let mut connection = store.reader().pool().acquire().await.unwrap();
    let stop = CancellationToken::new();
    for _ in 0..2 {
        let checked = damage::check_in_use(connection.sqlite().unwrap(), &stop).await;
        assert_eq!(checked.unwrap(), None);
    }
    let stopped = CancellationToken::new();
    stopped.cancel();
    let checked = damage::check_in_use(connection.sqlite().unwrap(), &stopped).await;
    assert!(checked.is_err(), "{checked:?}");
    // The connection is as it was.
    let checked = damage::check_in_use(connection.sqlite().unwrap(), &stop).await;
    assert_eq!(checked.unwrap(), None);
}

#[tokio::test]
async fn every_table_is_checked_and_the_free_pages() {
    let (folder, path) = filled().await;
    let whole = std::fs::read(&path).unwrap();
    let found = async || {
        let store = Store::open_readonly(&path, GameRules::all()).await.unwrap();
        let mut connection = store.reader().pool().acquire().await.unwrap();
        let checked =
            damage::check_in_use(connection.sqlite().unwrap(), &CancellationToken::new()).await;
        drop(connection);
        store.close().await;
        checked.unwrap()
    };
    for table in TABLES {
        overwrite(&path, pages(&path, table, "leaf").await[0].0);
        assert!(found().await.is_some(), "{table}");
        std::fs::write(&path, &whole).unwrap();
    }
    let store = Store::open(&settings(folder.path())).await.unwrap();
    store.alter("DELETE FROM entries").await;
    store.close().await;
    assert_eq!(found().await, None);
    // The first page of the list of free pages, as the header has it.
    let whole = std::fs::read(&path).unwrap();
    let free = u32::from_be_bytes(whole[32..36].try_into().unwrap());
    assert!(free > 0);
    overwrite(&path, free.into());
    assert!(found().await.is_some(), "free pages");
}

#[tokio::test]
async fn only_a_drover_database_that_is_known_is_salvaged() {
    let (folder, store) = opened().await;
    let later =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9000, 'later', true, x'00', 0)";
    store.alter(later).await;
    let path = file_of(&store);
    store.close().await;
    let out = folder.path().join("out.db");
    let refused = salvage(&path, &out).await.unwrap_err();
    assert!(matches!(refused, StoreError::Newer { .. }), "{refused}");
    for tables in [
        "",
        "CREATE TABLE other (id)",
        "CREATE TABLE _sqlx_migrations (version); INSERT INTO _sqlx_migrations VALUES (1)",
    ] {
        let path = folder.path().join("other.db");
        std::fs::write(&path, "").unwrap();
        let url = format!("sqlite://{}", path.display());
        let mut other = SqliteConnection::connect(&url).await.unwrap();
        sqlx::raw_sql(tables).execute(&mut other).await.unwrap();
        other.close().await.unwrap();
        let refused = salvage(&path, &out).await.unwrap_err();
        let foreign = matches!(refused, StoreError::NotADatabase { .. });
        assert!(foreign, "{tables}: {refused}");
    }
    assert!(!out.exists());
}

#[tokio::test]
async fn the_numbers_of_lost_entries_are_not_given_again() {
    let (folder, store, mut pen) = asked().await;
    let mut live = Pen::player(&store, 2);
    live.write(&store, vec![received("ask"), said("1")]).await;
    pen.end(&store, vec![1, 0, 0, 0], 0).await;
    store.alter("DELETE FROM entries WHERE id > 2").await;
    let path = file_of(&store);
    store.close().await;
    let out = folder.path().join("out.db");
    salvage(&path, &out).await.unwrap();
    let store = Store::open(&at(out, &folder)).await.unwrap();
    let found = store.live().await.unwrap().remove(0);
    assert_eq!((found.opened.match_id, found.seq), (match_id(2), 1));
    assert_eq!(found.head, Some(EntryId(2)), "what is left of it");
    let mut next = Pen::player(&store, 3);
    let receipt = next.write(&store, vec![received("ask")]).await;
    assert_eq!(receipt.last, Some(EntryId(5)));
}

#[tokio::test]
async fn a_table_without_its_root_costs_no_other_table() {
    for table in ["entries", "seats", "matches"] {
        let (folder, path) = filled().await;
        let inner = pages(&path, table, "internal").await;
        let before: Vec<i64> = {
            let mut counts = Vec::new();
            for other in TABLES {
                counts.push(count(&path, other).await);
            }
            counts
        };
        overwrite(&path, inner[0].0);
        let out = folder.path().join("out.db");
        let salvaged = salvage(&path, &out).await.unwrap();
        assert!(
            salvaged.lost.iter().any(|line| line.starts_with(table)),
            "{salvaged:?}"
        );
        for (other, before) in TABLES.into_iter().zip(before) {
            let rows = count(&out, other).await;
            match table {
                // Sessions name the matches that there were.
                "matches" => assert_eq!(rows, before, "{other}"),
                _ if other == table => assert_eq!(rows, 0, "{other}"),
                _ => assert_eq!(rows, before, "{other}"),
            }
        }
        whole(&path).await;
    }
}

#[tokio::test]
async fn seats_of_a_damaged_page_alone_are_lost() {
    let (folder, path) = filled().await;
    let leaves = pages(&path, "seats", "leaf").await;
    assert!(leaves.len() > 4);
    let rows = count(&path, "seats").await;
    let chosen = [leaves[1], leaves[3]];
    for (page, _) in chosen {
        overwrite(&path, page);
    }
    let out = folder.path().join("out.db");
    salvage(&path, &out).await.unwrap();
    let saved = count(&out, "seats").await;
    let gone: i64 = chosen.iter().map(|(_, rows)| rows).sum();
    // Of a match whose seats begin on the page before, all are read at once or none.
    assert!(
        saved <= rows - gone && saved >= rows - gone - 16,
        "{saved} of {rows}, {gone} gone"
    );
}

#[tokio::test]
async fn a_damaged_row_number_costs_one_row() {
    let (folder, path) = filled().await;
    let rows = count(&path, "entries").await;
    let file = std::fs::read(&path).unwrap();
    // In a cell in the middle of a page: the length of its content, then its number, here as large as two bytes allow.
    let leaves = pages(&path, "entries", "leaf").await;
    let (page, cells) = leaves[leaves.len() / 2];
    let start = (page as usize - 1) * PAGE as usize;
    let pointer = start + 8 + cells as usize / 2 * 2;
    let cell = usize::from(file[pointer]) << 8 | usize::from(file[pointer + 1]);
    let mut number = start + cell;
    while file[number] & 0x80 != 0 {
        number += 1;
    }
    number += 1;
    assert!(file[number] & 0x80 != 0 && file[number + 1] & 0x80 == 0);
    write_at(&path, number as u64, &[0xFF, 0x7F]);
    let out = folder.path().join("out.db");
    let salvaged = salvage(&path, &out).await.unwrap();
    assert_eq!(count(&out, "entries").await, rows - 1);
    assert_eq!(salvaged.lost, [format!("entries: 1 of {rows} rows lost")]);
}

#[tokio::test]
async fn many_damaged_places_cost_their_pages_and_nothing_else() {
    let (folder, path) = filled().await;
    let mut random = 5_u64;
    let mut leaves = Vec::new();
    for table in TABLES {
        let found = pages(&path, table, "leaf").await;
        leaves.extend(found.into_iter().map(|(page, _)| page));
    }
    let mut damaged = BTreeSet::new();
    let mut places = Vec::new();
    for _ in 0..40 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let page = leaves[(random >> 33) as usize % leaves.len()];
        places.push((page as u64 - 1) * PAGE + (random >> 20) % (PAGE - 4));
        damaged.insert(page);
    }
    // A match's id that is no text any more.
    let matches = pages(&path, "matches", "leaf").await;
    let start = (matches[0].0 - 1) as usize * PAGE as usize;
    let (file, id) = (std::fs::read(&path).unwrap(), match_id(7));
    let found = |bytes: &[u8]| bytes == id.as_bytes();
    let id = file[start..start + PAGE as usize]
        .windows(id.len())
        .position(found);
    places.push((start + id.unwrap()) as u64);
    damaged.insert(matches[0].0);
    let mut expected = Vec::new();
    for table in TABLES {
        let kept = rows_on(&path, table, |page| !damaged.contains(&page)).await;
        expected.push((table, kept, count(&path, table).await));
    }
    for place in places {
        write_at(&path, place, &[0xFF, 0xFF, 0xFF, 0xFF]);
    }
    let (good, differs) = whole(&path).await;
    assert!(differs && !good.is_empty(), "verification goes on");
    let out = folder.path().join("out.db");
    let salvaged = salvage(&path, &out).await.unwrap();
    assert!(!salvaged.lost.is_empty());
    for (table, kept, rows) in expected {
        let saved = count(&out, table).await;
        // Tables without rowids are read by match: of those on a damaged page all or nothing.
        let kept = if table == "seats" {
            kept - 16 * 40
        } else {
            kept
        };
        // A match whose number is damaged is made again from its sessions.
        let most = if table == "matches" { rows + 40 } else { rows };
        assert!(
            (kept..=most).contains(&saved),
            "{table}: {saved}, not {kept} to {most}"
        );
    }
    Store::open(&at(out, &folder)).await.unwrap().close().await;
}

#[tokio::test]
async fn what_is_left_of_a_file_that_lost_its_end_is_verified_and_saved() {
    let (folder, path) = filled().await;
    let file = std::fs::read(&path).unwrap();
    let cut = file.len() as u64 / 2 / PAGE;
    let mut left = Vec::new();
    for table in ["entries", "sessions", "matches"] {
        left.push((
            table,
            rows_on(&path, table, |page| page as u64 <= cut).await,
        ));
    }
    std::fs::write(&path, &file[..(cut * PAGE) as usize]).unwrap();
    let refused = Store::open(&settings(folder.path())).await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    let (_, differs) = whole(&path).await;
    assert!(differs);
    let out = folder.path().join("out.db");
    let salvaged = salvage(&path, &out).await.unwrap();
    assert!(!salvaged.lost.is_empty());
    for (table, rows) in left {
        let saved = count(&out, table).await;
        // Matches are made again from their sessions.
        let enough = if table == "matches" {
            saved >= rows
        } else {
            saved == rows
        };
        assert!(rows > 0 && enough, "{table}: {saved} of {rows}");
    }
    Store::open(&at(out, &folder)).await.unwrap().close().await;
}

#[tokio::test]
async fn a_file_that_lost_its_beginning_is_refused() {
    let (folder, path) = filled().await;
    let mut other = std::fs::read(&path).unwrap();
    other[..PAGE as usize].fill(0xA5);
    std::fs::write(&path, other).unwrap();
    let refused = Store::open(&settings(folder.path())).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::NotADatabase { .. }),
        "{refused}"
    );
    let refused = salvage(&path, &folder.path().join("out.db")).await;
    let refused = refused.unwrap_err();
    assert!(
        matches!(refused, StoreError::NotADatabase { .. }),
        "{refused}"
    );
}
