//! The register of tokens: issuing, revoking, and the access rule.

use super::pass_key::PassKey;
use super::rights::Rights;
use super::scope::{Scope, ScopeError};
use crate::clock::now_us;
use crate::history;
use crate::link::Caller;
use crate::secrets::{NoRandomness, nonce};
use crate::store::{DIGEST_LEN, Store, StoreError, TokenRow};
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use subtle::{Choice, ConstantTimeEq as _};
use tokio::sync::watch;
use utoipa::ToSchema;

/// The most live tokens: each request's token is compared with all of them.
const TOKENS_MAX: usize = 1_000;
/// The most scopes of one token.
const SCOPES_MAX: usize = 32;
/// The most letters in a token's name.
const NAME_LEN_MAX: usize = 64;
/// What every token begins with, so that one that has leaked is recognised.
const PREFIX: &str = "drover_";
/// How often the use of a token is recorded, in microseconds.
const USE_NOTED_EVERY_US: i64 = 3_600_000_000;

type Hash = [u8; DIGEST_LEN];

/// All tokens. Cheap to clone. The process that holds the database has the only register, so its memory is
/// authoritative.
#[derive(Clone)]
pub struct Tokens {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    /// The digest of the configured token, if any: an admin's.
    configured: Option<Hash>,
    pass_key: PassKey,
    live: Mutex<Vec<Known>>,
    changes: watch::Sender<()>,
    /// Held during each change, because its rules are checked against what it changes.
    changing: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Known {
    row: TokenRow,
    rights: Rights,
}

/// A token that was just made. Its text is shown to the requester and stored nowhere.
#[derive(Serialize, ToSchema)]
#[schema(as = NewToken)]
pub struct Issued {
    /// What is kept of it.
    #[serde(flatten)]
    pub card: TokenRow,
    /// Its text, which is shown this once.
    pub token: String,
}

/// Why a caller may not even read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// Tokens exist, and none was sent.
    #[error("send the header `Authorization: Bearer TOKEN`; `drover token add` makes tokens")]
    Missing,
    /// Something else than a bearer token was sent.
    #[error(
        "the header `Authorization` holds no bearer token: send `Authorization: Bearer TOKEN`, not `Basic` or another scheme"
    )]
    Scheme,
    /// The token is wrong or was revoked.
    #[error("this token is not known: it is wrong, or it was revoked")]
    Unknown,
    /// No token exists, and the caller is remote or behind a proxy.
    #[error(
        "no token exists yet, so only callers who speak directly from this machine are answered: make one there by `drover token add`, or set `api.token`"
    )]
    Elsewhere,
}

/// Why tokens could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// An invalid name.
    #[error(
        "a token's name takes 1 to {NAME_LEN_MAX} letters, digits, dots, dashes and underscores, and is no number"
    )]
    Name,
    /// No or too many scopes.
    #[error("a token takes 1 to {SCOPES_MAX} scopes: read, admin, bot:NAME, entrant:NAME")]
    Scopes,
    /// A wrong scope.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A live token has this name.
    #[error("there is a token called {0} already; revoke it first, or choose another name")]
    Taken(String),
    /// There are too many.
    #[error("there are {TOKENS_MAX} tokens already; revoke some")]
    Full,
    /// No caller could manage tokens any more.
    #[error(
        "once a token exists every caller needs one, and none would be an admin's: add a token with the scope admin first, or set `api.token`"
    )]
    NeedsAdmin,
    /// No caller could manage tokens any more.
    #[error(
        "{0} is the last token of an admin and others are left, which nobody could manage: add another one with the scope admin first, or revoke the others before it"
    )]
    LastAdmin(String),
    /// There is no such live token.
    #[error("there is no token {0}; `drover token list` shows which there are")]
    Unknown(String),
    /// There is nothing to make a token of.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Tokens {
    /// Reads the stored tokens. `configured`: the token of the configuration, an admin's, if any. `pass_key` seals
    /// the passes of browsers.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    pub async fn load(
        store: Store,
        configured: Option<&str>,
        pass_key: PassKey,
    ) -> Result<Self, StoreError> {
        let mut live = Vec::new();
        for row in history::tokens(store.reader()).await? {
            let scopes = row.scopes.iter().map(|scope| scope.parse());
            let scopes = scopes.collect::<Result<Vec<Scope>, _>>();
            let scopes =
                scopes.map_err(|why| StoreError::Corrupt(format!("token {}: {why}", row.id)))?;
            let rights = Rights::new(scopes);
            live.push(Known { row, rights });
        }
        let configured = configured.map(|token| hash(token.as_bytes()));
        Ok(Self {
            inner: Arc::new(Inner {
                store,
                configured,
                pass_key,
                live: Mutex::new(live),
                changes: watch::Sender::default(),
                changing: tokio::sync::Mutex::default(),
            }),
        })
    }

    /// The store that keeps them.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The rights of this caller. While no token exists, a caller that connects directly from this machine is
    /// an admin; as soon as one exists, all callers need one. `given`: the bearer token sent, `Some("")` if
    /// the header holds none.
    ///
    /// # Errors
    /// [`Denied`] says what is missing.
    pub fn admit(&self, caller: Option<&Caller>, given: Option<&[u8]>) -> Result<Rights, Denied> {
        match given {
            Some(given) => self.find(given).ok_or(Denied::Unknown),
            None if self.exist() => Err(Denied::Missing),
            None if caller.is_some_and(Caller::is_local) => Ok(Rights::admin()),
            None => Err(Denied::Elsewhere),
        }
    }

    /// A pass until then, in microseconds since 1970-01-01 UTC: what a browser keeps in place of a token. It is
    /// of no use as a token, opens as long as the token it was made of would, and is stored nowhere.
    #[must_use]
    pub fn pass(&self, token: &[u8], until_us: i64) -> Option<String> {
        self.find(token)?;
        Some(format!("{until_us}.{}", self.seal(&hash(token), until_us)))
    }

    /// The rights of this pass's holder; `None` if it has run out, is wrong, or its token was revoked.
    #[must_use]
    pub fn admit_pass(&self, pass: &str) -> Option<Rights> {
        let (until_us, sealed) = parts(pass)?;
        if until_us <= now_us() {
            return None;
        }
        self.find_by(|known| {
            self.seal(known, until_us)
                .as_bytes()
                .ct_eq(sealed.as_bytes())
        })
    }

    /// How long this pass has yet to run; `None` if it has run out or is none.
    #[must_use]
    pub fn pass_left(pass: &str) -> Option<Duration> {
        let (until_us, _) = parts(pass)?;
        let left_us = u64::try_from(until_us.saturating_sub(now_us())).ok()?;
        (left_us > 0).then(|| Duration::from_micros(left_us))
    }

    /// What makes a pass until then one of the token with this digest.
    fn seal(&self, digest: &Hash, until_us: i64) -> String {
        let words = [b"a pass until ".as_slice(), &until_us.to_be_bytes(), digest];
        self.inner.pass_key.seal(&words)
    }

    /// Says when tokens were made or revoked.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.inner.changes.subscribe()
    }

    /// Whether there is any token, so that every caller needs one.
    #[must_use]
    pub fn exist(&self) -> bool {
        self.inner.configured.is_some() || !self.live().is_empty()
    }

    /// The live tokens, oldest first, without the configured one.
    #[must_use]
    pub fn list(&self) -> Vec<TokenRow> {
        self.live().iter().map(|known| known.row.clone()).collect()
    }

    /// Makes a token. Its text is in the answer and nowhere else.
    ///
    /// # Errors
    /// [`AccessError`] says what is not allowed.
    pub async fn add(&self, name: &str, scopes: &[String]) -> Result<Issued, AccessError> {
        let given = scopes_of(scopes)?;
        let rights = Rights::new(given);
        if !is_name(name) {
            return Err(AccessError::Name);
        }
        let (this, name) = (self.clone(), name.to_owned());
        to_its_end(async move { this.add_alone(name, rights).await }).await
    }

    async fn add_alone(&self, name: String, rights: Rights) -> Result<Issued, AccessError> {
        let _alone = self.inner.changing.lock().await;
        self.check_new(&name, &rights)?;
        let (token, digest) = draw()?;
        let mut card = TokenRow {
            id: 0,
            name,
            scopes: rights.words(),
            digest,
            created_us: now_us(),
            used_us: None,
        };
        card.id = history::add_token(&self.inner.store, card.clone()).await?;
        let row = card.clone();
        self.live().push(Known { row, rights });
        self.inner.changes.send_replace(());
        tracing::info!(token = card.name, scopes = ?card.scopes, "a token was made");
        Ok(Issued { card, token })
    }

    /// Revokes a token by its name or number: the next request with it is refused.
    ///
    /// # Errors
    /// [`AccessError::Unknown`], [`AccessError::LastAdmin`], [`AccessError::Store`].
    pub async fn revoke(&self, which: &str) -> Result<TokenRow, AccessError> {
        let (this, which) = (self.clone(), which.to_owned());
        to_its_end(async move { this.revoke_alone(&which).await }).await
    }

    async fn revoke_alone(&self, which: &str) -> Result<TokenRow, AccessError> {
        let _alone = self.inner.changing.lock().await;
        let row = self.check_revoked(which)?;
        history::revoke_token(&self.inner.store, row.id, now_us()).await?;
        self.live().retain(|known| known.row.id != row.id);
        self.inner.changes.send_replace(());
        tracing::info!(token = row.name, "a token was revoked");
        Ok(row)
    }

    fn check_new(&self, name: &str, rights: &Rights) -> Result<(), AccessError> {
        let live = self.live();
        if live.iter().any(|known| known.row.name == name) {
            return Err(AccessError::Taken(name.to_owned()));
        }
        if live.len() >= TOKENS_MAX {
            return Err(AccessError::Full);
        }
        let admins = self.inner.configured.is_some() || live.iter().any(Known::is_admin);
        if !admins && !rights.is_admin() {
            return Err(AccessError::NeedsAdmin);
        }
        Ok(())
    }

    fn check_revoked(&self, which: &str) -> Result<TokenRow, AccessError> {
        let live = self.live();
        let is_it = |row: &TokenRow| row.name == which || row.id.to_string() == which;
        let found = live.iter().find(|known| is_it(&known.row));
        let found = found.ok_or_else(|| AccessError::Unknown(which.to_owned()))?;
        let rest = || live.iter().filter(|known| known.row.id != found.row.id);
        let managed = self.inner.configured.is_some() || rest().any(Known::is_admin);
        if found.is_admin() && !managed && rest().next().is_some() {
            return Err(AccessError::LastAdmin(found.row.name.clone()));
        }
        Ok(found.row.clone())
    }

    /// The rights of a token, in a time that does not reveal how close it is to another one.
    fn find(&self, given: &[u8]) -> Option<Rights> {
        let given = hash(given);
        self.find_by(|known| known.as_slice().ct_eq(given.as_slice()))
    }

    /// The rights of the token whose digest this is: all are asked, so that the time says nothing.
    fn find_by(&self, is_it: impl Fn(&Hash) -> Choice) -> Option<Rights> {
        let mut rights = None;
        if let Some(configured) = &self.inner.configured
            && bool::from(is_it(configured))
        {
            rights = Some(Rights::admin());
        }
        let mut live = self.live();
        for known in live.iter_mut() {
            if bool::from(is_it(&known.row.digest)) {
                rights = Some(known.rights.clone());
                self.note_use(known);
            }
        }
        rights
    }

    /// Records the use of a token occasionally, outside the request. Losing a record through a stop or a full
    /// disk does no harm.
    fn note_use(&self, known: &mut Known) {
        let (id, at_us) = (known.row.id, now_us());
        let noted = known.row.used_us;
        if noted.is_some_and(|noted_us| at_us - noted_us < USE_NOTED_EVERY_US) {
            return;
        }
        known.row.used_us = Some(at_us);
        let store = self.inner.store.clone();
        tokio::spawn(async move { history::use_token(&store, id, at_us).await });
    }

    fn live(&self) -> MutexGuard<'_, Vec<Known>> {
        self.inner.live.lock()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tokens").finish_non_exhaustive()
    }
}

impl fmt::Debug for Issued {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let card = &self.card;
        out.debug_struct("Issued")
            .field("card", card)
            .finish_non_exhaustive()
    }
}

impl Known {
    fn is_admin(&self) -> bool {
        self.rights.is_admin()
    }
}

/// Runs a change to its end, even if the requester goes away: what is stored and what is remembered must not
/// differ.
async fn to_its_end<T: Send + 'static>(
    change: impl Future<Output = Result<T, AccessError>> + Send + 'static,
) -> Result<T, AccessError> {
    let changed = tokio::spawn(change).await;
    changed.unwrap_or(Err(AccessError::Store(StoreError::Closed)))
}

fn scopes_of(texts: &[String]) -> Result<Vec<Scope>, AccessError> {
    if !(1..=SCOPES_MAX).contains(&texts.len()) {
        return Err(AccessError::Scopes);
    }
    let mut scopes = Vec::with_capacity(texts.len());
    for text in texts {
        let scope = Scope::to_give(text)?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    (1..=NAME_LEN_MAX).contains(&name.len())
        && name.bytes().all(plain)
        && !name.bytes().all(|byte| byte.is_ascii_digit())
}

/// A new token and its digest.
pub(super) fn draw() -> Result<(String, Hash), NoRandomness> {
    let token = format!("{PREFIX}{}{}", nonce()?, nonce()?);
    let digest = hash(token.as_bytes());
    Ok((token, digest))
}

fn hash(token: &[u8]) -> Hash {
    Sha256::digest(token).into()
}

/// A pass's end, in microseconds since 1970-01-01 UTC, and its seal.
fn parts(pass: &str) -> Option<(i64, &str)> {
    let (until_us, sealed) = pass.split_once('.')?;
    Some((until_us.parse().ok()?, sealed))
}
