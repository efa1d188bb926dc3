//! Who may make requests, and whose secrets they may see: tokens, their scopes, and the access rule.

mod first_token;
mod pass_key;
mod private_file;
mod rights;
mod scope;
mod tokens;

pub use first_token::{FirstToken, FirstTokenError};
pub use pass_key::{PassKey, PassKeyError};
pub use private_file::PrivateFileError;
pub use rights::Rights;
pub use scope::{Scope, ScopeError};
pub use tokens::{AccessError, Denied, Issued, Tokens};
