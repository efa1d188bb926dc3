//! Opening: locks, versions, foreign files, read-only folders.

use super::fake::{Pen, match_id, open, opened, received, said, settings};
use crate::history::GameRules;
use crate::store;
use crate::store::open::MIGRATIONS;
use crate::store::salvage;
use crate::store::tests::fake::{database_file, file_of};
use crate::store::{Settings, Store, StoreError};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use tempfile::tempdir;

#[tokio::test]
async fn what_lives_is_found_again_after_a_clean_end_and_after_a_cut() {
    for clean in [true, false] {
        let (folder, store) = opened().await;
        let mut pens: Vec<Pen> = (1..=3).map(|number| Pen::player(&store, number)).collect();
        for pen in &mut pens {
            pen.write(&store, vec![received("ask"), said("1")]).await;
        }
        pens[1].end(&store, vec![1, 2, 3, 4], 1).await;
        if clean {
            store.close().await;
        } else {
            store.cut();
        }
        let store = reopened(folder.path()).await;
        pens[0].write(&store, vec![received("ask")]).await;
        store.clone().cut();
        drop(store);
        let store = reopened(folder.path()).await;
        let live = store.live().await.unwrap();
        let found: Vec<_> = live
            .iter()
            .map(|live| (live.id, live.head, live.seq, live.last_us))
            .collect();
        let kept = [
            (pens[0].id, pens[0].previous, 3, 6),
            (pens[2].id, pens[2].previous, 2, 6),
        ];
        assert_eq!(found, kept, "clean: {clean}");
        assert_eq!(live[0].opened.match_id, match_id(1));
        assert_eq!(live[0].opened.seed, u64::MAX);
        assert!(store.next_session() > pens[2].id);
        assert_eq!(store.live().await.unwrap(), live, "also when asked again");
    }
}

/// Opens the store again as soon as the previous writer has released it.
pub(crate) async fn reopened(folder: &Path) -> Store {
    reopened_with(&settings(folder)).await
}

async fn reopened_with(settings: &Settings) -> Store {
    loop {
        match Store::open(settings).await {
            Err(StoreError::InUse { .. }) => tokio::task::yield_now().await,
            other => return other.unwrap(),
        }
    }
}

#[tokio::test]
async fn a_store_opened_for_reading_does_not_write() {
    let (_folder, store) = opened().await;
    let reader = Store::open_readonly(store.location().clone(), GameRules::all())
        .await
        .unwrap();
    let append = Pen::player(&reader, 1).append(vec![received("ask")]);
    assert!(matches!(
        reader.append(append).await,
        Err(StoreError::ReadOnly)
    ));
}

/// Not of a server.
mod file {
    use super::*;

    #[tokio::test]
    async fn a_database_from_a_newer_version_is_refused() {
        let (folder, store) = opened().await;
        store
        .alter(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9000, 'later', true, x'00', 0)",
        )
        .await;
        let path = file_of(&store);
        store.close().await;
        for error in [
            Store::open(&settings(folder.path())).await.unwrap_err(),
            Store::open_readonly(&path, GameRules::all())
                .await
                .unwrap_err(),
        ] {
            let newest = MIGRATIONS.iter().count() as i64;
            let newer =
                matches!(error, StoreError::Newer { found: 9000, known, .. } if known == newest);
            assert!(newer, "{error}");
            assert!(
                error.to_string().contains("newer version of drover"),
                "{error}"
            );
        }
    }

    #[tokio::test]
    async fn a_database_with_two_names_is_not_opened() {
        let (folder, store) = opened().await;
        let path = file_of(&store);
        store.close().await;
        let other = folder.path().join("other.db");
        fs::hard_link(&path, &other).unwrap();
        for path in [&path, &other] {
            for error in [
                Store::open(&Settings::at(path, GameRules::all()))
                    .await
                    .unwrap_err(),
                Store::open_readonly(path, GameRules::all())
                    .await
                    .unwrap_err(),
            ] {
                assert!(
                    matches!(error, StoreError::Names { names: 2, .. }),
                    "{error}"
                );
            }
        }
        fs::remove_file(&other).unwrap();
        Store::open(&Settings::at(&path, GameRules::all()))
            .await
            .unwrap()
            .close()
            .await;
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join("data"), "a file").unwrap();
        let error = Store::open(&settings(folder.path())).await.unwrap_err();
        assert!(matches!(&error, StoreError::Folder { .. }), "{error}");
        assert!(error.to_string().contains("store.path"), "{error}");
    }

    #[tokio::test]
    async fn a_second_process_is_refused_until_the_first_ends() {
        let (folder, store) = opened().await;
        let error = Store::open(&settings(folder.path())).await.unwrap_err();
        assert!(matches!(&error, StoreError::InUse { .. }), "{error}");
        assert!(
            error
                .to_string()
                .contains(&format!("process {}", std::process::id())),
            "{error}"
        );
        let clone = store.clone();
        store.close().await;
        let refused = Pen::player(&clone, 1).append(vec![received("ask")]);
        assert!(matches!(
            clone.append(refused).await,
            Err(StoreError::Closed)
        ));
        open(folder.path()).await;
    }

    #[tokio::test]
    async fn what_is_no_database_is_refused_and_left_alone() {
        let folder = tempdir().unwrap();
        let path = database_file(folder.path());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = "not a database ".repeat(100);
        fs::write(&path, &text).unwrap();
        let error = Store::open(&settings(folder.path())).await.unwrap_err();
        assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let missing = Store::open_readonly(folder.path().join("none.db"), GameRules::all())
            .await
            .unwrap_err();
        assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    }

    #[tokio::test]
    async fn a_link_to_a_database_is_followed() {
        let (far, near) = (tempdir().unwrap(), tempdir().unwrap());
        let link = near.path().join("drover.db");
        symlink(far.path().join("far.db"), &link).unwrap();
        for number in 1..=2 {
            let store = Store::open(&Settings::at(&link, GameRules::all()))
                .await
                .unwrap();
            let mut pen = Pen::player(&store, number);
            pen.write(&store, vec![received("ask")]).await;
            assert!(far.path().join("far.db-wal").exists());
            store.close().await;
        }
        assert!(far.path().join("far.db").exists());
        let reader = fs::read_dir(near.path()).unwrap();
        assert_eq!(reader.count(), 1, "nothing lies next to the link");
    }

    #[tokio::test]
    async fn a_database_in_use_is_refused_under_every_name() {
        let (folder, other) = (tempdir().unwrap(), tempdir().unwrap());
        let path = folder.path().join("drover.db");
        let store = Store::open(&Settings::at(&path, GameRules::all()))
            .await
            .unwrap();
        let named = other.path().join("named.db");
        let refused = async |what: &str| {
            let error = Store::open(&Settings::at(&named, GameRules::all()))
                .await
                .unwrap_err();
            assert!(matches!(error, StoreError::InUse { .. }), "{what}: {error}");
            let host = rustix::system::uname();
            let (pid, host) = (std::process::id(), host.nodename().to_string_lossy());
            let holder = format!("(process {pid} of host {host}, since 2");
            assert!(error.to_string().contains(&holder), "{what}: {error}");
        };
        symlink(&path, &named).unwrap();
        refused("a symbolic link").await;
        fs::remove_file(&named).unwrap();
        fs::hard_link(&path, &named).unwrap();
        refused("a hard link").await;
        fs::remove_file(&path).unwrap();
        refused("moved").await;
        // Another file in its place would get its log.
        fs::copy(&named, &path).unwrap();
        fs::remove_file(&named).unwrap();
        symlink(&path, &named).unwrap();
        refused("replaced").await;
        let clone = store.clone();
        store.close().await;
        reopened_with(&Settings::at(&path, GameRules::all()))
            .await
            .close()
            .await;
        drop(clone);
    }

    #[tokio::test]
    async fn what_is_written_is_nobody_elses() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("made/here/drover.db");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let all = |folder: &Path| {
            let files = fs::read_dir(folder).unwrap();
            let files = files.map(|file| file.unwrap().path());
            files.map(|path| (mode(&path), path)).collect::<Vec<_>>()
        };
        // Also where somebody has opened it to others.
        for others in [false, true] {
            if others {
                let open = fs::Permissions::from_mode(0o644);
                fs::set_permissions(&path, open).unwrap();
            }
            let store = Store::open(&Settings::at(&path, GameRules::all()))
                .await
                .unwrap();
            let mut pen = Pen::player(&store, 1 + u64::from(others));
            pen.write(&store, vec![received("ask")]).await;
            let copy = folder.path().join(format!("copy{others}.db"));
            store::backup(store.reader(), &copy).await.unwrap();
            assert_eq!(mode(&copy), 0o600);
            let files = all(path.parent().unwrap());
            assert_eq!(
                files.len(),
                4,
                "database, log, its index and lock: {files:?}"
            );
            for (mode, file) in files {
                assert_eq!(mode, 0o600, "{}", file.display());
            }
            store.close().await;
        }
        for made in ["made", "made/here"] {
            assert_eq!(mode(&folder.path().join(made)), 0o700);
        }
        let saved = folder.path().join("saved.db");
        salvage(&path, &saved).await.unwrap();
        assert_eq!(mode(&saved), 0o600);
    }

    #[tokio::test]
    async fn a_device_is_no_database_and_stays_as_it_is() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("drover.db");
        symlink("/dev/null", &path).unwrap();
        let before = fs::metadata("/dev/null").unwrap().permissions();
        let refused = Store::open(&Settings::at(&path, GameRules::all()))
            .await
            .unwrap_err();
        let is_reported = matches!(
            refused,
            StoreError::NotADatabase { .. }
                | StoreError::Folder { .. }
                | StoreError::Foreign { .. }
        );
        assert!(is_reported, "{refused}");
        assert_eq!(fs::metadata("/dev/null").unwrap().permissions(), before);
        assert!(!fs::exists("/dev/null.lock").unwrap());
    }

    #[test]
    fn every_migration_is_known() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let files = fs::read_dir(&folder).unwrap();
        let files = files.filter(|entry| entry.as_ref().unwrap().path().is_file());
        assert_eq!(files.count(), MIGRATIONS.iter().count());
        for migration in MIGRATIONS.iter() {
            let name = migration.description.replace(' ', "_");
            let file = folder.join(format!("{:04}_{name}.sql", migration.version));
            assert_eq!(fs::read_to_string(file).unwrap(), migration.sql.as_str());
        }
    }
}
