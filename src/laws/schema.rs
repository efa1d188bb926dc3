//! JSON Schemas, against which answers and lines are checked.

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde_json::Value;

/// Where a schema is said to be: it has to be somewhere, and is read from there by nobody.
const PLACE: &str = "https://drover.invalid/schema";

/// A schema of draft 2020-12, whose formats count, too.
pub struct Schema {
    known: Schemas,
    index: SchemaIndex,
}

impl Schema {
    /// # Panics
    ///
    /// If `text` is no schema, or refers to what is not in it.
    #[must_use]
    pub fn new(text: &Value) -> Self {
        let (mut compiler, mut known) = (Compiler::new(), Schemas::new());
        compiler.set_default_draft(Draft::V2020_12);
        compiler.enable_format_assertions();
        let added = compiler.add_resource(PLACE, text.clone());
        added.expect("a place that is free");
        let index = compiler.compile(PLACE, &mut known).expect("a schema");
        Self { known, index }
    }

    /// What a value breaks.
    #[must_use]
    pub fn fault(&self, value: &Value) -> Option<String> {
        let checked = self.known.validate(value, self.index);
        checked.err().map(|broken| format!("{broken:#}"))
    }
}
