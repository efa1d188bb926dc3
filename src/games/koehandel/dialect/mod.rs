//! The wire: messages and answers as text. Tolerant of what it reads, exact in what it writes (README.md,
//! section 1).

mod answer;
mod fields;
mod letters;
mod read;
mod write;

pub use answer::{ANSWER_WITHIN, in_form, read_answer, write_answer};
pub use fields::{FRAME_MAX, Fields, NUMBER_MAX};
pub use letters::{AMOUNT_LETTERS_MAX, AMOUNT_MAX, amount, cards, goods, place};
pub use read::read;
pub use write::write;
