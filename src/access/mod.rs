//! Who may make requests, and whose secrets they may see: tokens, their scopes, and the access rule.

mod pass_key;
mod rights;
mod scope;
mod tokens;

pub use pass_key::{PassKey, PassKeyError};
pub use rights::Rights;
pub use scope::{Scope, ScopeError};
pub use tokens::{AccessError, Denied, Issued, Tokens};
