//! Arithmetic of charts: axes, and labels that do not lie on each other.

/// From values to places.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Axis {
    pub fn linear(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self { low, high: high.max(low + 0.05), from, to, logarithmic: false }
    }

    /// An axis that holds these values; one value lies in the middle.
    pub fn logarithmic(values: &[f64], from: f64, to: f64) -> Self {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min).max(1e-3);
        let high = values.iter().copied().fold(1e-3, f64::max);
        let (low, high) = if high > low * 1.01 { (low, high) } else { (low / 2.0, high * 2.0) };
        Self { low: low.ln(), high: high.ln(), from, to, logarithmic: true }
    }

    pub fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(1e-3).ln() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The same, never beyond the axis.
    pub fn within(&self, value: f64) -> f64 {
        self.at(value.clamp(self.low, self.high))
    }

    pub fn end(&self) -> f64 {
        self.to
    }

    /// Shares to draw a line at: every 5 points on a short axis, every 10 or 20 on a long one.
    pub fn shares(&self) -> Vec<f64> {
        let step = match self.high - self.low {
            range if range <= 0.3 => 0.05,
            range if range <= 0.6 => 0.1,
            _ => 0.2,
        };
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    /// 1, 2 and 5 with zeros, inside the axis; the nearest one when none is.
    pub fn round_values(&self) -> Vec<f64> {
        let (low, high) = (self.low.exp(), self.high.exp());
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let all: Vec<f64> =
            decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| rounded(digit * 10f64.powi(decade)))).collect();
        let inside: Vec<f64> = all.iter().copied().filter(|value| (low * 0.98..=high * 1.02).contains(value)).collect();
        if inside.len() > 7 {
            inside.into_iter().filter(|value| value.log10().fract().abs() < 1e-9).collect()
        } else {
            inside
        }
    }
}

/// Without the noise of powers of ten.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Heights moved apart by at least `gap`, as little as possible, inside the limits; ascending in, ascending out.
pub fn apart(heights: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut places = heights.to_vec();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + gap);
    }
    let mut limit = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(limit).max(top);
        limit = *place - gap;
    }
    places
}

/// Room that something takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Box {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Box {
    pub fn around(x: f64, y: f64, half_width: f64, half_height: f64) -> Self {
        Self { left: x - half_width, right: x + half_width, top: y - half_height, bottom: y + half_height }
    }

    fn overlap(&self, other: &Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }
}

/// The place for a label beside a point: the first of above, right, below, left and their corners that covers
/// nothing, or the one that covers least.
pub fn free_place(x: f64, y: f64, width: f64, height: f64, taken: &[Box], limits: &Box) -> Box {
    let boxed = |left: f64, top: f64| Box { left, right: left + width, top, bottom: top + height };
    let (half, gap) = (width / 2.0, 9.0);
    let places = [
        boxed(x - half, y - gap - height),
        boxed(x + gap, y - height - 2.0),
        boxed(x - half, y + gap),
        boxed(x + gap, y + 2.0),
        boxed(x - gap - width, y - height - 2.0),
        boxed(x - gap - width, y + 2.0),
        boxed(x - half, y - gap - 2.0 * height),
        boxed(x - half, y + gap + height),
    ];
    let cost = |place: &Box| {
        let outside = width * height - place.overlap(limits);
        outside * 4.0 + taken.iter().map(|other| place.overlap(other)).sum::<f64>()
    };
    places.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(places[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        let places = apart(&[10.0, 11.0, 12.0, 90.0, 99.0], 15.0, 5.0, 100.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 14.999), "{places:?}");
        assert!(places.iter().all(|&place| (5.0..=100.0).contains(&place)), "{places:?}");
    }

    #[test]
    fn a_label_covers_nothing_where_there_is_room() {
        let limits = Box { left: 0.0, right: 200.0, top: 0.0, bottom: 100.0 };
        let taken = [Box::around(100.0, 50.0, 5.0, 5.0), Box { left: 80.0, right: 130.0, top: 20.0, bottom: 42.0 }];
        let place = free_place(100.0, 50.0, 40.0, 14.0, &taken, &limits);
        assert!(taken.iter().all(|other| place.overlap(other) == 0.0), "{place:?}");
    }

    #[test]
    fn axes_hold_their_values() {
        let axis = Axis::logarithmic(&[500.0, 2000.0], 10.0, 110.0);
        assert_eq!((axis.at(500.0).round(), axis.at(1000.0).round(), axis.at(2000.0).round()), (10.0, 60.0, 110.0));
        assert!((Axis::logarithmic(&[500.0], 0.0, 100.0).at(500.0) - 50.0).abs() < 1e-9);
        assert_eq!(Axis::logarithmic(&[0.3, 6.0], 0.0, 1.0).round_values(), [0.5, 1.0, 2.0, 5.0]);
        assert_eq!(Axis::linear(0.6, 0.8, 0.0, 1.0).shares().len(), 5);
    }
}
