//! The format of the words: opcode, check, body.

/// "I know these members of my team": the body is a mask of places in the list of players.
pub const HELLO: u8 = 0xA;
/// Like [`HELLO`], from a member with proof that these are all.
pub const DONE: u8 = 0xB;
/// If there are too many players for a mask: one member, and how far before in the ring it is.
pub const RELAY: u8 = 0xC;

const BODY: u32 = 0x00FF_FFFF;

/// A word with its opcode and check: bits 31–28 the opcode, 27–24 the check, 23–0 the body. Values too large
/// for their field are cut.
#[must_use]
pub fn word(opcode: u8, body: u32) -> u32 {
    let (opcode, body) = (u32::from(opcode) & 0xF, body & BODY);
    opcode << 28 | check(opcode, body) << 24 | body
}

/// Opcode and body of a valid word of our own, `None` for everything else. Words that carry something else in
/// bits 27–24 are not read here.
#[must_use]
pub fn read(word: u32) -> Option<(u8, u32)> {
    let (opcode, body) = (word >> 28, word & BODY);
    let ours = [HELLO, DONE, RELAY].contains(&(opcode as u8));
    (ours && word >> 24 & 0xF == check(opcode, body)).then_some((opcode as u8, body))
}

/// Four bits that depend on every bit of the rest: nibbles are added without carry (XOR), the lowest first,
/// and the sum is rotated by one bit after each.
fn check(opcode: u32, body: u32) -> u32 {
    let all = opcode << 24 | body;
    (0..7).fold(9, |sum, nibble| {
        let sum = sum ^ (all >> (4 * nibble) & 0xF);
        (sum << 1 | sum >> 3) & 0xF
    })
}
