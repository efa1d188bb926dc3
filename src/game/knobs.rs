//! Tunable parameters of bots.

/// A struct of parameters and the constant with the values that measured best: fields documented as usual,
/// each with its value, set by name for measuring others.
#[macro_export]
macro_rules! knobs {
    (
        $(#[$meta:meta])*
        struct $name:ident;
        $(#[$best_meta:meta])*
        const $best:ident;
        $($(#[$doc:meta])* $field:ident: $type:ty = $value:expr,)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        $(#[$best_meta])*
        pub const $best: $name = $name {
            $($field: $value,)*
        };

        impl $name {
            /// Sets the parameter of this name. False: there is none.
            pub fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $(stringify!($field) => self.$field = value as $type,)*
                    _ => return false,
                }
                true
            }
        }
    };
}
pub use knobs;
