//! Archives: one process uploads each, the others wait for it, and what is unfinished counts for nothing.

use super::fake::opened;
use crate::store::{ArchiveError, ArchiveKey, Archives, Standing, Store, Upload};
use std::time::Duration;

fn key(platform: &str) -> ArchiveKey {
    ArchiveKey {
        digest: "abc".to_owned(),
        platform: platform.to_owned(),
    }
}

async fn begun(archives: &Archives, key: &ArchiveKey) -> Upload {
    match archives.claim(key).await.unwrap() {
        Standing::Ours(upload) => upload,
        other => panic!("{other:?}"),
    }
}

async fn read(archives: &Archives, key: &ArchiveKey) -> Result<Vec<u8>, ArchiveError> {
    let mut content = Vec::new();
    archives
        .get(key, 1 << 22, &mut content)
        .await
        .map(|()| content)
}

async fn parts(store: &Store) -> i64 {
    let count = crate::store::sql::query_as("SELECT count(*) FROM archive_parts");
    count.fetch_one(store.reader().pool()).await.unwrap()
}

#[tokio::test]
async fn one_uploads_and_the_others_get_it_once_it_is_whole() {
    let (_folder, store) = opened().await;
    let archives = Archives::new(store.clone());
    let upload = begun(&archives, &key("")).await;
    assert_eq!(archives.claim(&key("")).await.unwrap(), Standing::Awaited);
    assert!(matches!(
        read(&archives, &key("")).await,
        Err(ArchiveError::Gone)
    ));
    // Three parts, the last of which is short.
    let content: Vec<u8> = (0..2_500_000_u32).map(|at| (at % 251) as u8).collect();
    archives
        .during(&upload, archives.put(&upload, &content[..]))
        .await
        .unwrap();
    assert_eq!(archives.claim(&key("")).await.unwrap(), Standing::Whole);
    assert_eq!(read(&archives, &key("")).await.unwrap(), content);
    assert_eq!(parts(&store).await, 3);
    // Another platform's is another.
    let other = begun(&archives, &key("x86_64")).await;
    archives.put(&other, &b"other"[..]).await.unwrap();
    assert_eq!(read(&archives, &key("x86_64")).await.unwrap(), b"other");
    // A slow process changes nothing of it.
    archives.abandon(&upload).await;
    assert!(!archives.put(&upload, &b"late"[..]).await.unwrap());
    assert_eq!(read(&archives, &key("")).await.unwrap(), content);
    store.close().await;
}

#[tokio::test]
async fn an_upload_that_ends_or_stands_still_is_begun_again() {
    let (_folder, store) = opened().await;
    let archives = Archives::new(store.clone());
    let first = begun(&archives, &key("")).await;
    archives.abandon(&first).await;
    let second = begun(&archives, &key("")).await;
    store
        .alter("UPDATE archives SET used_us = used_us - 60000000")
        .await;
    // It goes on after all.
    let work = tokio::time::sleep(Duration::from_millis(100));
    archives.during(&second, work).await;
    assert_eq!(archives.claim(&key("")).await.unwrap(), Standing::Awaited);
    store
        .alter("UPDATE archives SET used_us = used_us - 60000000")
        .await;
    let third = begun(&archives, &key("")).await;
    assert!(!archives.put(&second, &b"second"[..]).await.unwrap());
    assert!(read(&archives, &key("")).await.is_err());
    assert!(archives.put(&third, &b"third"[..]).await.unwrap());
    assert_eq!(read(&archives, &key("")).await.unwrap(), b"third");
    let most = archives.get(&key(""), 4, Vec::new()).await;
    assert!(matches!(most, Err(ArchiveError::TooLarge(4))));
    // What the second has left goes, and the rest once nobody has asked for it for long.
    assert_eq!(parts(&store).await, 2);
    archives.tidy().await.unwrap();
    assert_eq!(parts(&store).await, 1);
    let month = "UPDATE archives SET used_us = used_us - 31 * CAST(86400000000 AS BIGINT)";
    store.alter(month).await;
    archives.tidy().await.unwrap();
    assert_eq!(parts(&store).await, 0);
    let fourth = begun(&archives, &key("")).await;
    archives.put(&fourth, &b"fourth"[..]).await.unwrap();
    archives.discard(&key("")).await.unwrap();
    begun(&archives, &key("")).await;
    store.close().await;
}
