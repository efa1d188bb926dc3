//! Which matches are played here, where several replicas share the store.

use super::error::RecordError;
use crate::cluster::{CoordinationError, Kind, Occupied, Replica, Resource};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::runtime::Handle;

/// The matches that this replica plays.
pub(super) struct Tenancies {
    replica: Arc<Replica>,
    open: Mutex<HashSet<String>>,
}

/// One match is played here while this lasts; then another replica may resume it.
pub(super) struct Tenancy {
    tenancies: Arc<Tenancies>,
    match_id: String,
    /// Until it is given up.
    occupied: Option<Occupied>,
}

impl From<CoordinationError> for RecordError {
    fn from(error: CoordinationError) -> Self {
        Self::Unwritable(error.to_string())
    }
}

fn resource(match_id: &str) -> Resource {
    Resource::new(Kind::Match, match_id)
}

impl Tenancies {
    pub(super) fn new(replica: Arc<Replica>) -> Arc<Self> {
        let open = Mutex::default();
        Arc::new(Self { replica, open })
    }

    /// A match that begins here.
    pub(super) async fn begin(self: &Arc<Self>, match_id: &str) -> Result<Tenancy, RecordError> {
        self.replica.take_over(&resource(match_id)).await?;
        Ok(self.enter(match_id))
    }

    /// An unfinished match that nobody plays any more; `None`: somebody does.
    pub(super) async fn adopt(
        self: &Arc<Self>,
        match_id: &str,
    ) -> Result<Option<Tenancy>, RecordError> {
        if self.open.lock().contains(match_id) {
            return Ok(None);
        }
        let taken = self.replica.take(&resource(match_id)).await?;
        Ok(taken.map(|_| self.enter(match_id)))
    }

    fn enter(self: &Arc<Self>, match_id: &str) -> Tenancy {
        self.open.lock().insert(match_id.to_owned());
        let replica = Arc::clone(&self.replica);
        Tenancy {
            tenancies: Arc::clone(self),
            match_id: match_id.to_owned(),
            occupied: Some(Occupied::new(replica, resource(match_id))),
        }
    }
}

impl Drop for Tenancy {
    fn drop(&mut self) {
        self.tenancies.open.lock().remove(&self.match_id);
        // Without a runtime it goes with the lease.
        if let (Some(occupied), Ok(runtime)) = (self.occupied.take(), Handle::try_current()) {
            runtime.spawn(occupied.release());
        }
    }
}

#[cfg(test)]
mod server {
    use crate::referee::Recording;
    use crate::store::tests::fake::{leased, new_match, open, opened};
    use crate::store::types::Durability;
    use std::time::Duration;

    #[tokio::test]
    #[ignore = "needs a server: DROVER_TEST_SERVER"]
    async fn a_match_is_one_replicas_until_that_leaves_it() {
        let (folder, store) = opened().await;
        let stores = [store, open(folder.path()).await];
        let mut recordings = Vec::new();
        for (id, store) in ["a", "b"].into_iter().zip(stores) {
            let (replica, _renewing) = leased(&store, id, "127.0.0.1:1").await;
            let recording = Recording::new(store, Durability::Process);
            recordings.push(recording.shared_by(Some(&replica)));
        }
        let [one, other] = &recordings[..] else {
            panic!("two");
        };
        let row = new_match(1, true);
        let found = async |recording: &Recording| {
            recording.unfinished(&row.game, &row.referee).await.unwrap()
        };
        let record = one.open(&row, &[1, 2, 3, 4], &[]).await.unwrap();
        assert!(found(other).await.is_empty() && found(one).await.is_empty());
        drop(record);
        let left = loop {
            if let Some(left) = found(other).await.pop() {
                break left;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert_eq!(left.row.id, row.id);
        assert!(found(one).await.is_empty(), "it is the other's now");
    }
}
