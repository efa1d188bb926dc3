//! The learnt table as text, and the shipped one.

use super::bids::{self, Bids, SIZES};
use super::entries::read_entries;
use super::net::{self, Net};
use super::policy::{self, Policy};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The text of the shipped table; its head says how it was made.
pub const SHIPPED_TEXT: &str = include_str!("table.txt");

/// The shipped table.
pub static SHIPPED: LazyLock<Table> =
    LazyLock::new(|| Table::read(SHIPPED_TEXT).unwrap_or_else(Table::empty));

/// Everything that the champion has learnt.
#[derive(Clone)]
pub struct Table {
    /// How to play cards.
    pub policy: Policy,
    /// What cards the search looks at first.
    pub net: Net,
    /// How to declare.
    pub bids: Bids,
}

/// Writes the spreads as one line of thousandths.
pub fn write_spreads(spreads: &[f32; SIZES], text: &mut String) {
    for spread in spreads {
        let _ = write!(text, "{} ", (spread * 1000.0).round() as i32);
    }
    text.push('\n');
}

impl Table {
    /// A table without any knowledge.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            policy: Policy::new(Vec::new()),
            net: Net::zeros(),
            bids: Bids::new(Vec::new(), [1.0; SIZES]),
        }
    }

    /// Reads a table: lines that begin with `# ` are its recipe; then the spreads, then all entries.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with("# "));
        let spreads: Option<Vec<f32>> = lines
            .next()?
            .split_whitespace()
            .map(|word| Some(word.parse::<i32>().ok()? as f32 / 1000.0))
            .collect();
        let spreads = spreads?.try_into().ok()?;
        const ENTRIES: usize = bids::ENTRIES + policy::ENTRIES + net::ENTRIES;
        let mut entries = read_entries(lines)?;
        if entries.len() != ENTRIES {
            return None;
        }
        let net = Net::from_entries(&entries.split_off(bids::ENTRIES + policy::ENTRIES));
        let policy = entries.split_off(bids::ENTRIES);
        Some(Self {
            policy: Policy::new(policy),
            net,
            bids: Bids::new(entries, spreads),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::entries::{as_entry, write_entries};
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        const ENTRIES: usize = bids::ENTRIES + policy::ENTRIES + net::ENTRIES;
        let mut entries: Vec<i16> = (0..ENTRIES).map(|at| (at % 8081) as i16 - 4040).collect();
        for (first, zeros) in [(10, 1), (20, 2), (200, 90), (400, 91), (ENTRIES - 3, 3)] {
            entries[first..first + zeros].fill(0);
        }
        let spreads: [f32; SIZES] = std::array::from_fn(|size| size as f32 / 8.0);
        let mut text = "# A recipe.\n".to_owned();
        write_spreads(&spreads, &mut text);
        write_entries(&entries, &mut text);
        let table = Table::read(&text).unwrap();
        let [bids, policy] = [table.bids.entries(), table.policy.entries()];
        assert_eq!([bids, policy, &table.net.entries()].concat(), entries);
        assert_eq!(table.bids.spreads(), &spreads);
    }

    #[test]
    fn what_does_not_fit_is_clipped() {
        let clipped = [-1e9, -4040.4, 0.4, 4040.4, 1e9].map(as_entry);
        assert_eq!(clipped, [-4040, -4040, 0, 4040, 4040]);
    }
}
