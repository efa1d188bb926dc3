//! The configuration: defaults, then a TOML file, then `DROVER__SECTION__KEY` from the environment,
//! then flags. `settings` states every key once; the file that `config init` writes, the checks and
//! `config show` all come from there.

mod checks;
mod error;
mod keys;
mod layers;
mod lines;
mod load;
mod location;
mod readers;
mod settings;
mod show;
mod toml_file;
mod values;

pub use error::{ConfigError, Mistakes, listed};
pub use keys::{Key, check_options, keys};
pub use layers::{Environment, Flags, STORE_FLAG};
pub use load::{Further, Loaded, check_text, load, load_and};
pub use location::{Location, Server};
pub use settings::{
    Api, Bots, Callbacks, Cluster, Config, Drain, Hub, Koehandel, Log, PathReferee, Referee, Shim,
    Smartdog, Store, Thinking, is_for_others,
};
pub use show::{show, template};
pub use toml_file::{TomlFile, read_toml};
pub use values::{Durability, LogFormat, NoTarget, Secret, Targets};
