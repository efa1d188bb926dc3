//! [`Leases`]: which replica of a server's database owns what, as rows. Each method is one statement, and the server's clock
//! alone says whether a lease has expired.

use super::sql::{Pool, Value, query, query_as};
use crate::cluster::{
    Claim, Coordinated, Coordination, CoordinationError, Epoch, Holding, Owner, Renewal, Resource,
    Term,
};
use serde_json::json;
use std::time::Duration;

/// A claim that lost a race is made again up to this often.
const CLAIMS_MAX: usize = 3;

const RENEW: &str = "
    INSERT INTO replicas AS r (id, term, address, expires)
    VALUES ($1, nextval('cluster_numbers'), $2, clock_timestamp() + $3 * interval '1 millisecond')
    ON CONFLICT (id) DO UPDATE SET
        term = CASE WHEN r.expires > clock_timestamp() THEN r.term ELSE excluded.term END,
        address = excluded.address, expires = clock_timestamp() + $3 * interval '1 millisecond'
    RETURNING r.term, (SELECT count(*) FROM replicas other WHERE other.id <> $1 AND other.expires > clock_timestamp())";

/// $1: kind, $2: name, $3: the claimer, $4: the epoch to claim over, or NULL. Whether the claimer's lease stands, and who
/// owns the resource then; nobody if a race was lost. The row of a lapsed owner goes with the claim, so that a renewal
/// that is not committed yet begins a new term.
const CLAIM: &str = "
    WITH me AS (SELECT term FROM replicas WHERE id = $3 AND expires > clock_timestamp()),
    prior AS (
        SELECT o.replica, o.term, o.epoch, r.address, r.expires > clock_timestamp() AS alive
        FROM owners o LEFT JOIN replicas r ON r.term = o.term AND r.id = o.replica
        WHERE o.kind = $1 AND o.name = $2),
    standing AS (
        SELECT replica, epoch, address FROM prior WHERE alive AND (replica = $3 OR epoch IS DISTINCT FROM $4)),
    dead AS (
        DELETE FROM replicas r USING prior p
        WHERE r.id = p.replica AND r.term = p.term AND NOT p.alive AND r.expires <= clock_timestamp()
            AND EXISTS (SELECT FROM me) RETURNING r.term),
    claimed AS (
        INSERT INTO owners AS o (kind, name, replica, term, epoch)
        SELECT $1, $2, $3, me.term, nextval('cluster_numbers') FROM me WHERE NOT EXISTS (SELECT FROM standing)
        ON CONFLICT (kind, name) DO UPDATE SET
            epoch = CASE WHEN o.replica = excluded.replica THEN o.epoch ELSE excluded.epoch END,
            replica = excluded.replica, term = excluded.term
        WHERE EXISTS (SELECT FROM prior p WHERE p.term = o.term AND p.epoch = o.epoch
            AND (p.replica = $3 OR p.alive IS NULL OR p.epoch = $4 OR p.term IN (SELECT term FROM dead)))
        RETURNING replica, epoch, '' AS address)
    SELECT EXISTS (SELECT FROM me), a.replica, a.epoch, a.address
    FROM (VALUES (1)) AS one LEFT JOIN (SELECT * FROM claimed UNION ALL SELECT * FROM standing) a ON true";

/// $1: kind, name and epoch of each, as JSON; $2: whose they are.
const RELEASE: &str = "
    DELETE FROM owners o USING json_each($1) AS held
    WHERE o.kind = held.value ->> 0 AND o.name = held.value ->> 1
        AND o.epoch = CAST(held.value ->> 2 AS BIGINT) AND o.replica = $2";

const LEAVE: &str = "DELETE FROM replicas WHERE id = $1";

const LAPSED: &str = "DELETE FROM replicas WHERE expires < clock_timestamp() - interval '1 hour'";

/// What replicas own that are gone, or were without a lease since: nobody asks for most of it again.
const LEFT: &str = "
    DELETE FROM owners o WHERE NOT EXISTS (SELECT FROM replicas r WHERE r.id = o.replica AND r.term = o.term)";

/// The leases of one replica.
#[derive(Clone, Debug)]
pub struct Leases {
    pool: Pool,
    id: String,
    address: String,
}

impl Leases {
    pub(super) fn new(pool: Pool, id: String, address: String) -> Self {
        Self { pool, id, address }
    }

    /// Forgets replicas that are gone, and what they have left.
    ///
    /// # Errors
    /// [`CoordinationError::Away`].
    pub async fn forget_lapsed(&self) -> Result<(), CoordinationError> {
        for forget in [LAPSED, LEFT] {
            query(forget).execute(&self.pool).await.map_err(away)?;
        }
        Ok(())
    }

    async fn claim(
        &self,
        resource: &Resource,
        over: Option<Epoch>,
    ) -> Result<Claim, CoordinationError> {
        for _ in 0..CLAIMS_MAX {
            let row: Owned = query_as(CLAIM)
                .bind(resource.kind.word())
                .bind(&*resource.name)
                .bind(self.id.as_str())
                .bind(over.map(|Epoch(epoch)| epoch as i64))
                .fetch_one(&self.pool)
                .await
                .map_err(away)?;
            match row {
                (false, ..) => return Err(CoordinationError::Lapsed),
                (true, Some(replica), Some(epoch), address) => {
                    let epoch = Epoch(epoch as u64);
                    if replica == self.id {
                        return Ok(Claim::Ours(epoch));
                    }
                    return Ok(Claim::Theirs(Owner {
                        replica: replica.into(),
                        address: address.unwrap_or_default().into(),
                        epoch,
                    }));
                }
                // Another claim came first.
                (true, ..) => {}
            }
        }
        let why = format!("{resource} was claimed by others {CLAIMS_MAX} times");
        Err(CoordinationError::Away(why))
    }
}

/// What a claim reads: whether the claimer's lease stands; the owner, its epoch and its address.
type Owned = (bool, Option<String>, Option<i64>, Option<String>);

fn away(error: sqlx::Error) -> CoordinationError {
    CoordinationError::Away(error.to_string())
}

impl Coordination for Leases {
    fn renew(&self, length: Duration) -> Coordinated<'_, Renewal> {
        Box::pin(async move {
            let (term, others): (i64, i64) = query_as(RENEW)
                .bind(self.id.as_str())
                .bind(self.address.as_str())
                .bind(Value::from(length.as_secs_f64() * 1e3))
                .fetch_one(&self.pool)
                .await
                .map_err(away)?;
            Ok(Renewal {
                term: Term(term as u64),
                replicas: 1 + others as usize,
            })
        })
    }

    fn claim<'a>(&'a self, resource: &'a Resource, over: Option<Epoch>) -> Coordinated<'a, Claim> {
        Box::pin(Self::claim(self, resource, over))
    }

    fn release<'a>(&'a self, held: &'a [Holding]) -> Coordinated<'a, ()> {
        Box::pin(async move {
            let held = held.iter().map(|Holding { resource, epoch }| {
                json!([resource.kind.word(), resource.name, epoch.0])
            });
            let held = json!(held.collect::<Vec<_>>()).to_string();
            let release = query(RELEASE).bind(held).bind(self.id.as_str());
            release.execute(&self.pool).await.map(drop).map_err(away)
        })
    }

    fn leave(&self) -> Coordinated<'_, ()> {
        Box::pin(async move {
            let leave = query(LEAVE).bind(self.id.as_str());
            leave.execute(&self.pool).await.map(drop).map_err(away)
        })
    }
}
