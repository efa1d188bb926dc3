//! The configuration: defaults, then a TOML file, then `DROVER__SECTION__KEY` from the environment,
//! then flags. `schema` lists every key once; the file that `config init` writes, the checks and
//! `config show` all come from that list.

mod error;
mod layers;
mod lines;
mod load;
mod named;
mod schema;
mod sections;
mod settings;
mod show;
mod value;

pub use error::ConfigError;
pub use layers::{Environment, Flags};
pub use lines::Lines;
pub use load::{Further, Loaded, check_file, check_options, check_text, load, load_and};
pub use schema::{Key, Kind, keys};
pub use settings::{
    Api, Bots, Callbacks, Config, Drain, Durability, Hub, Koehandel, Log, LogFormat, NoTarget,
    PathReferee, Referee, Secret, Shim, Smartdog, Store, Targets, Thinking,
};
pub use show::{show, template};
