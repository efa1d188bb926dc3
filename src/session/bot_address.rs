//! What a session is addressed by: game, bot, referee, match and player.

use games::{BotCard, Kit};
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Which bot a message is for and which referee sends it: everything but the match and the player.
pub struct BotAddress {
    kit: &'static dyn Kit,
    card: &'static BotCard,
    referee: Box<str>,
    named: bool,
    hash: u64,
}

impl BotAddress {
    /// The address of a built-in bot that a referee calls. `None` if the game has no such bot.
    #[must_use]
    pub fn new(kit: &'static dyn Kit, bot: &str, referee: &str) -> Option<Self> {
        let card = kit.bots().iter().find(|card| card.name == bot)?;
        let hash = HASHER.hash_one((kit.game(), bot, referee));
        Some(Self {
            kit,
            card,
            referee: referee.into(),
            named: referee.parse::<IpAddr>().is_err(),
            hash,
        })
    }

    /// The game.
    #[must_use]
    pub fn kit(&self) -> &'static dyn Kit {
        self.kit
    }

    /// The bot.
    #[must_use]
    pub fn card(&self) -> &'static BotCard {
        self.card
    }

    /// The referee's name or address.
    #[must_use]
    pub fn referee(&self) -> &str {
        &self.referee
    }

    /// Whether the referee is known by a name, not only by its address. No name looks like an address.
    #[must_use]
    pub fn has_named_referee(&self) -> bool {
        self.named
    }
}

impl fmt::Debug for BotAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.kit.game(), self.card.name, self.referee)
    }
}

impl PartialEq for BotAddress {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && self.card.name == other.card.name
            && self.referee == other.referee
            && self.kit.game() == other.kit.game()
    }
}

/// A session's key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Game, bot and referee.
    pub bot: Arc<BotAddress>,
    /// The referee's number of the match.
    pub market: u64,
    /// The referee's number of the player.
    pub id: u64,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.market == other.market
            && self.id == other.id
            && (Arc::ptr_eq(&self.bot, &other.bot) || self.bot == other.bot)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bot.hash.hash(state);
        self.market.hash(state);
        self.id.hash(state);
    }
}
