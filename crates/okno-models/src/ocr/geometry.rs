//! Points and turned boxes: the smallest rectangle, at any angle, around some points.

/// A place in a picture; `y` grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// From the left.
    pub x: f32,
    /// From the top.
    pub y: f32,
}

/// The corners of a box that may be turned: as one reads along it, top left, top right, bottom right, bottom left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quad(pub [Corner; 4]);

impl Quad {
    /// A box that is not turned.
    #[must_use]
    pub fn rectangle(left: f32, top: f32, right: f32, bottom: f32) -> Self {
        let point = |x, y| Corner { x, y };
        Self([point(left, top), point(right, top), point(right, bottom), point(left, bottom)])
    }

    /// How long its upper side is.
    #[must_use]
    pub fn width(&self) -> f32 {
        distance(self.0[0], self.0[1])
    }

    /// How long its left side is.
    #[must_use]
    pub fn height(&self) -> f32 {
        distance(self.0[0], self.0[3])
    }

    /// The angle of its upper side, in radians; 0 runs to the right, more runs down.
    #[must_use]
    pub fn angle(&self) -> f32 {
        (self.0[1].y - self.0[0].y).atan2(self.0[1].x - self.0[0].x)
    }

    pub(super) fn moved(self, x: f32, y: f32) -> Self {
        Self(self.0.map(|point| Corner { x: point.x + x, y: point.y + y }))
    }

    pub(super) fn scaled(self, by: f32) -> Self {
        self.scaled_by(by, by)
    }

    pub(super) fn scaled_by(self, x: f32, y: f32) -> Self {
        Self(self.0.map(|point| Corner { x: point.x * x, y: point.y * y }))
    }

    /// Each side this much further out.
    pub(super) fn grown(self, by: f32) -> Self {
        let [a, b, _, d] = self.0;
        let (along, across) = (direction(a, b), direction(a, d));
        let corner = |point: Corner, u: f32, v: f32| Corner {
            x: point.x + by * (u * along.x + v * across.x),
            y: point.y + by * (u * along.y + v * across.y),
        };
        let [a, b, c, d] = self.0;
        Self([corner(a, -1.0, -1.0), corner(b, 1.0, -1.0), corner(c, 1.0, 1.0), corner(d, -1.0, 1.0)])
    }

    /// Each corner inside of a picture of this size.
    pub(super) fn clipped(self, width: f32, height: f32) -> Self {
        Self(self.0.map(|point| Corner { x: point.x.clamp(0.0, width - 1.0), y: point.y.clamp(0.0, height - 1.0) }))
    }
}

fn distance(a: Corner, b: Corner) -> f32 {
    (b.x - a.x).hypot(b.y - a.y)
}

fn direction(a: Corner, b: Corner) -> Corner {
    let length = distance(a, b).max(f32::EPSILON);
    Corner { x: (b.x - a.x) / length, y: (b.y - a.y) / length }
}

fn cross(o: Corner, a: Corner, b: Corner) -> f32 {
    (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x)
}

/// The corners of the smallest convex shape around the points, in order.
pub(super) fn hull(mut points: Vec<Corner>) -> Vec<Corner> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = Corner>| {
        let mut side: Vec<Corner> = Vec::new();
        for point in points {
            while side.len() > 1 && cross(side[side.len() - 2], side[side.len() - 1], point) <= 0.0 {
                side.pop();
            }
            side.push(point);
        }
        side.pop();
        side
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

/// The rectangle of the smallest area around a convex shape: one of its sides lies on a side of the shape.
pub(super) fn smallest_rectangle(hull: &[Corner]) -> Option<Quad> {
    let sides = (0..hull.len()).map(|at| (hull[at], hull[(at + 1) % hull.len()])).filter(|(a, b)| a != b);
    let area = |quad: &Quad| quad.width() * quad.height();
    sides.map(|(a, b)| around(hull, direction(a, b))).min_by(|a, b| area(a).total_cmp(&area(b)))
}

/// The rectangle around points with sides along a direction.
fn around(points: &[Corner], along: Corner) -> Quad {
    let across = Corner { x: -along.y, y: along.x };
    let extent = |axis: Corner| {
        let places = points.iter().map(|point| point.x * axis.x + point.y * axis.y);
        places.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, right), (top, bottom)) = (extent(along), extent(across));
    let point = |u: f32, v: f32| Corner { x: u * along.x + v * across.x, y: u * along.y + v * across.y };
    as_read([point(left, top), point(right, top), point(right, bottom), point(left, bottom)])
}

/// Four corners in the order of a [`Quad`]: of the two at the left the upper one is first.
fn as_read(mut corners: [Corner; 4]) -> Quad {
    corners.sort_by(|a, b| a.x.total_cmp(&b.x));
    let [a, b, c, d] = corners;
    let (top_left, bottom_left) = if a.y <= b.y { (a, b) } else { (b, a) };
    let (top_right, bottom_right) = if c.y <= d.y { (c, d) } else { (d, c) };
    Quad([top_left, top_right, bottom_right, bottom_left])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(quad: Quad, angle: f32) -> Vec<Corner> {
        let (sin, cos) = angle.sin_cos();
        quad.0.iter().map(|p| Corner { x: p.x * cos - p.y * sin, y: p.x * sin + p.y * cos }).collect()
    }

    #[test]
    fn a_turned_box_is_found_again() {
        for degrees in [-40, -10, 0, 3, 20, 44] {
            let angle = (degrees as f32).to_radians();
            let mut points = turned(Quad::rectangle(10.0, 20.0, 110.0, 40.0), angle);
            points.push(Corner {
                x: f32::midpoint(points[0].x, points[2].x),
                y: f32::midpoint(points[0].y, points[2].y),
            });
            let found = smallest_rectangle(&hull(points)).unwrap();
            assert!(
                (found.width() - 100.0).abs() < 0.01 && (found.height() - 20.0).abs() < 0.01,
                "{degrees}: {found:?}"
            );
            assert!((found.angle() - angle).abs() < 0.001, "{degrees}: {}", found.angle());
        }
    }

    #[test]
    fn growing_moves_every_side() {
        let grown = Quad::rectangle(10.0, 10.0, 30.0, 20.0).grown(2.0);
        assert_eq!(grown, Quad::rectangle(8.0, 8.0, 32.0, 22.0));
        assert_eq!(grown.clipped(31.0, 100.0).0[2], Corner { x: 30.0, y: 22.0 });
    }

    #[test]
    fn few_points_have_no_rectangle_or_a_flat_one() {
        let point = Corner { x: 1.0, y: 1.0 };
        assert_eq!(smallest_rectangle(&hull(vec![])), None);
        assert_eq!(smallest_rectangle(&hull(vec![point, point])), None);
        let flat = smallest_rectangle(&hull(vec![point, Corner { x: 5.0, y: 1.0 }])).unwrap();
        assert_eq!((flat.width(), flat.height()), (4.0, 0.0));
    }
}
