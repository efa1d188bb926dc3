//! Plans, and how they compare.

use super::ships::Order;

/// The unit of a plan's worth on its board, in ships.
const WORTH: f64 = 16.0;

/// A plan: what its board is worth, and its orders.
pub(super) type Plan = (i64, Vec<Order>);

/// A plan that was compared with others.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub(super) orders: Vec<Order>,
    /// What its board is worth, in ships; at close quarters how it stands in the end, from -1 to 1.
    pub(super) value: Option<f64>,
    /// How often it was played on, at close quarters.
    pub(super) tried: Option<u64>,
}

impl Compared {
    /// A plan by what its board is worth.
    pub(super) fn by_board((worth, orders): &Plan) -> Self {
        Self {
            orders: orders.clone(),
            value: Some(*worth as f64 / WORTH),
            tried: None,
        }
    }

    /// It in a few words.
    pub(super) fn plan(&self) -> String {
        let now = self.orders.iter().filter(|order| order.wait == 0);
        let ships: i64 = now.clone().map(|order| i64::from(order.ships)).sum();
        let (now, all) = (now.count(), self.orders.len());
        format!("{now} fleets with {ships} ships now, {} later", all - now)
    }
}
