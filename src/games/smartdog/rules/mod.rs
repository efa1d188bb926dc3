//! The rules: commands, sheep, dogs, scores (README.md, sections 2 to 5).

mod commands;
mod dogs;
mod game;
mod ground;
mod setup;
mod sheep;
mod torus;
mod view;

pub use commands::{Command, Orders};
pub use dogs::{Dog, DogAction, DogId, Fright, Refusal};
pub use game::{Ask, Event, SmartDog};
pub use ground::{Announced, Area, Ground, Land, UNREACHED, Unfit, flood};
pub use setup::{Players, Setup, WrongNumber};
pub use sheep::{PUSHES_MAX, Sheep};
pub use torus::{Direction, Spot, Torus};
pub use view::{Seen, SeenDog, SeenSheep, SheepAction, View};
