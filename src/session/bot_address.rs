//! What a session is addressed by: game, bot, referee, match and player.

use crate::cluster::{Kind, Resource};
use crate::identities::PlayerAddress;
use crate::programs::{BotName, Bots};
use games::neutral::{BUILT_IN, PREFIX};
use games::{BotCard, Kit, Wire};
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Which bot a message is for and which referee sends it: everything but the match and the player.
pub struct BotAddress {
    kit: &'static dyn Kit,
    /// As it was asked for: a built-in bot's name, or `bot:NAME[@VERSION]`.
    name: Box<str>,
    card: Option<&'static BotCard>,
    referee: Box<str>,
    named: bool,
    hash: u64,
}

impl BotAddress {
    /// The address of a built-in bot that a referee calls. `None` if the game has no such bot.
    #[must_use]
    pub fn new(kit: &'static dyn Kit, bot: &str, referee: &str) -> Option<Self> {
        let card = kit.card().bots.iter().find(|card| card.name == bot)?;
        Some(Self::with_card(kit, bot, Some(card), referee))
    }

    /// The address of a bot as users name it: a built-in one's name, `builtin:NAME`, `bot:NAME[@VERSION]`, or the name of
    /// a program where no built-in bot has it. Whether there is such a program shows when a match begins: those that run go on
    /// without it.
    #[must_use]
    pub fn named(kit: &'static dyn Kit, bot: &str, referee: &str) -> Option<Self> {
        if let Some(built_in) = bot.strip_prefix(BUILT_IN) {
            return Self::new(kit, built_in, referee);
        }
        if let Some(built_in) = Self::new(kit, bot, referee) {
            return Some(built_in);
        }
        let name = bot.strip_prefix(PREFIX).unwrap_or(bot);
        name.parse::<BotName>().ok()?;
        Some(Self::with_card(
            kit,
            &format!("{PREFIX}{name}"),
            None,
            referee,
        ))
    }

    /// The same for a name in a configuration: without `bot:`, such a program must be there already. Reads the shelf.
    #[must_use]
    pub fn configured(
        kit: &'static dyn Kit,
        bot: &str,
        referee: &str,
        bots: &Bots,
    ) -> Option<Self> {
        let address = Self::named(kit, bot, referee)?;
        let is_there = |name| {
            bots.find(name)
                .is_some_and(|found| found.plays(kit.card().name))
        };
        let stands = bot.starts_with(PREFIX) || address.program().is_none_or(is_there);
        stands.then_some(address)
    }

    fn with_card(
        kit: &'static dyn Kit,
        name: &str,
        card: Option<&'static BotCard>,
        referee: &str,
    ) -> Self {
        Self {
            kit,
            name: name.into(),
            card,
            referee: referee.into(),
            named: referee.parse::<IpAddr>().is_err(),
            hash: HASHER.hash_one((kit.card().name, name, referee)),
        }
    }

    /// The game.
    #[must_use]
    pub fn kit(&self) -> &'static dyn Kit {
        self.kit
    }

    /// The built-in bot; `None` for a user's program.
    #[must_use]
    pub fn card(&self) -> Option<&'static BotCard> {
        self.card
    }

    /// The bot's name as it was asked for.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program's name, with a version if one was asked for; `None` for a built-in bot.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.name.strip_prefix(PREFIX)
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
        write!(f, "{}/{}/{}", self.kit.card().name, self.name, self.referee)
    }
}

impl PartialEq for BotAddress {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && self.name == other.name
            && self.referee == other.referee
            && self.kit.card().name == other.kit.card().name
    }
}

/// A session's key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Game, bot and referee.
    pub bot: Arc<BotAddress>,
    /// The referee's number of the match, or where it gives none the microsecond in which we began.
    pub market: u64,
    /// The referee's number of the player.
    pub id: u64,
}

impl Key {
    /// What is owned with its session: all sessions of one match, where the referee gives its number.
    #[must_use]
    pub fn resource(&self) -> Resource {
        let card = self.bot.kit().card();
        let (game, referee, market) = (card.name, self.bot.referee(), self.market);
        Resource::new(
            Kind::Session,
            match card.wire {
                Wire::Callbacks => format!("{game}/{referee}/{market}"),
                _ => format!("{game}/{referee}/{market}/{}", self.id),
            },
        )
    }

    /// Whose names of rivals are its own.
    pub(super) fn player(&self) -> PlayerAddress<'_> {
        PlayerAddress {
            game: self.bot.kit().card().name,
            referee: self.bot.referee(),
            market: self.market,
            id: self.id,
        }
    }
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
