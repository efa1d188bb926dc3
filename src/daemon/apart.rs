//! Threads of their own, at a lower priority, for what no referee waits for: REST, pages and streams.

use crate::thinking::step_back;
use anyhow::Context as _;
use std::num::NonZero;
use std::thread::available_parallelism;
use tokio::runtime::{Builder, Handle, Runtime};

/// How much lower than that of callbacks, of 19 at most: next to others that compute they get a quarter of their time.
const NICE: i32 = 5;

/// A runtime apart.
#[derive(Debug)]
pub(super) struct Apart(Option<Runtime>);

impl Apart {
    /// Starts its threads: half as many as there are cores.
    pub(super) fn start() -> anyhow::Result<Self> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads((cores / 2).max(1))
            .thread_name("api")
            .on_thread_start(|| step_back(NICE))
            .enable_all()
            .build();
        let runtime = runtime.context("the threads of the REST interface do not start")?;
        Ok(Self(Some(runtime)))
    }

    /// Where its tasks are spawned.
    pub(super) fn handle(&self) -> &Handle {
        self.0
            .as_ref()
            .expect("it runs until it is dropped")
            .handle()
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        // Not from another runtime's thread: that must not wait.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
