//! The wire: what a message and an answer look like as text. Tolerant of what comes in, exact in
//! what goes out (README.md, section 1).

mod answer;
mod fields;
mod letters;
mod read;
mod write;

pub use answer::{ANSWER_WITHIN, read_answer, write_answer};
pub use fields::{FRAME_MAX, Fields, NUMBER_MAX};
pub use letters::{AMOUNT_LETTERS_MAX, AMOUNT_MAX};
pub use read::read;
pub use write::write;
