//! A line between players and a hub that breaks on demand.

use games::rng::Rng;
use parking_lot::Mutex;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// How a line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// Nobody listens for a while.
    Refuse,
    /// Every connection ends in the middle of a line.
    Cut,
    /// Nothing is passed on for a while, without notice.
    Stall,
    /// Lines and bytes that mean nothing come from the hub.
    Garbage,
    /// The hub itself is killed and started again.
    Kill,
}

impl Fault {
    pub(super) const ALL: [Fault; 5] = [
        Fault::Refuse,
        Fault::Cut,
        Fault::Stall,
        Fault::Garbage,
        Fault::Kill,
    ];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Fault::Refuse => "refused",
            Fault::Cut => "cut in mid-line",
            Fault::Stall => "stalled",
            Fault::Garbage => "fed garbage",
            Fault::Kill => "hub killed",
        }
    }
}

/// How long players are refused.
const REFUSE: Duration = Duration::from_secs(5);
/// How long a player's bytes are on their way: hubs are far away.
const DELAY: Duration = Duration::from_millis(40);
/// Bytes passed on at once.
const CHUNK: usize = 4_096;
/// What a hub would never say.
const GARBAGE: [&str; 6] = [
    "\u{fffd}\u{1}\u{2} no line of any hub \r\n",
    "obj obj obj \"x\":\"y\",,,=::{{\n",
    "state  \"turn\":\"soon\"\nobj  \"type\":\"Cow\",\"x\":-7,\"y\":99999999999999999999\n",
    "start \"you\":9\n",
    "landscape \"#\",\"##\"\n",
    "warning\nerror\nhello\r\r\n\n",
];

/// What a connection receives.
#[derive(Clone, Copy, Debug)]
enum Order {
    Cut,
    Stall(Duration),
    Garbage(u64),
}

/// A proxy before a hub. Players dial [`Proxy::address`].
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    orders: broadcast::Sender<Order>,
    closed_until: Arc<Mutex<Option<Instant>>>,
}

impl Proxy {
    pub(super) async fn start(hub: SocketAddr, stop: CancellationToken) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (orders, _) = broadcast::channel(16);
        let closed_until = Arc::new(Mutex::new(None));
        let (message, closed) = (orders.clone(), Arc::clone(&closed_until));
        tokio::spawn(async move {
            tokio::select! {
                () = accept(listener, address, hub, message, closed) => {}
                () = stop.cancelled() => {}
            }
        });
        Ok(Self {
            address,
            orders,
            closed_until,
        })
    }

    /// Breaks the line; a hub is killed by its operator.
    pub(super) fn breaks(&self, fault: Fault, stall: Duration, seed: u64) {
        let order = match fault {
            Fault::Refuse => {
                let until = Instant::now() + REFUSE;
                *self.closed_until.lock() = Some(until);
                Order::Cut
            }
            Fault::Cut => Order::Cut,
            Fault::Stall => Order::Stall(stall),
            Fault::Garbage => Order::Garbage(seed),
            Fault::Kill => return,
        };
        // Without connections there is nothing to break.
        let _ = self.orders.send(order);
    }
}

async fn accept(
    listener: TcpListener,
    address: SocketAddr,
    hub: SocketAddr,
    orders: broadcast::Sender<Order>,
    closed_until: Arc<Mutex<Option<Instant>>>,
) {
    let mut listener = Some(listener);
    loop {
        let until = *closed_until.lock();
        if let Some(until) = until.filter(|until| *until > Instant::now()) {
            listener = None;
            tokio::time::sleep_until(until.into()).await;
            continue;
        }
        let open = match listener.take() {
            Some(open) => open,
            None => match TcpListener::bind(address).await {
                Ok(open) => open,
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let accepted = tokio::time::timeout(Duration::from_millis(200), open.accept()).await;
        listener = Some(open);
        if let Ok(Ok((player, _))) = accepted {
            tokio::spawn(pass(player, hub, orders.subscribe()));
        }
    }
}

/// Passes bytes both ways until either side ends or the line is cut.
async fn pass(mut player: TcpStream, hub: SocketAddr, mut orders: broadcast::Receiver<Order>) {
    let Ok(mut hub) = TcpStream::connect(hub).await else {
        return;
    };
    let _ = (player.set_nodelay(true), hub.set_nodelay(true));
    let (mut down, mut up) = ([0; CHUNK], [0; CHUNK]);
    let mut cut = false;
    loop {
        tokio::select! {
            read = hub.read(&mut down) => {
                let Ok(count @ 1..) = read else { return };
                // Half of what came: mostly in the middle of a line.
                let passed = if cut { count.div_ceil(2) } else { count };
                let bytes = down.get(..passed).unwrap_or_default();
                if player.write_all(bytes).await.is_err() || cut {
                    return;
                }
            }
            read = player.read(&mut up) => {
                let Ok(count @ 1..) = read else { return };
                tokio::time::sleep(DELAY).await;
                if hub.write_all(up.get(..count).unwrap_or_default()).await.is_err() {
                    return;
                }
            }
            order = orders.recv() => match order {
                Ok(Order::Cut) => cut = true,
                Ok(Order::Stall(while_)) => tokio::time::sleep(while_).await,
                Ok(Order::Garbage(seed)) => {
                    let mut rng = Rng::new(seed, 0);
                    for _ in 0..3 {
                        let text = GARBAGE.get(rng.below(GARBAGE.len() as u32) as usize);
                        let written = player.write_all(text.map_or("", |text| text).as_bytes());
                        if written.await.is_err() {
                            return;
                        }
                    }
                }
                Err(_) => return,
            },
        }
    }
}
