//! The rules: commands, sheep, dogs, scores (README.md, sections 2 to 5).

mod dogs;
mod game;
mod ground;
mod setup;
mod sheep;
mod torus;
mod view;

pub use dogs::{Dog, DogId, Fright, Refusal};
pub use game::{Ask, Command, Event, Orders, SmartDog};
pub use ground::{Area, Ground, Land, Told, UNREACHED, flood};
pub use setup::{Players, Setup};
pub use sheep::{PUSHES_MAX, Sheep};
pub use torus::{Direction, Spot, Torus};
pub use view::{DogAction, Seen, SeenDog, SeenSheep, SheepAction, View};
