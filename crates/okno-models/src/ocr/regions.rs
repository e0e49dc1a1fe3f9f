//! A map of how likely each place is text comes in; out go turned boxes, one around each line.
//!
//! The network draws lines thinner than they are, so that two lines never touch. So: places above a threshold, grown by
//! one, and connected ones taken together are the core of a line; its smallest rectangle is kept when the map is sure
//! of it on average, and grown by as much as the training made it smaller.

use super::geometry::{Corner, Quad, hull, smallest_rectangle};

/// A place is text above this; the published pipeline's value.
const TEXT: f32 = 0.3;
/// A box is a line when the map is this sure on average; the published pipeline's value.
const SURE: f32 = 0.5;
/// Boxes grow by this times area over circumference; the published pipeline's value.
const GROWTH: f32 = 1.6;
/// Cores whose shorter side is less are specks; the published pipeline's value.
const SPECK: f32 = 3.0;
/// More cores than this are noise; the published pipeline's value.
const MOST: usize = 1000;

/// How likely each place is text, row by row.
#[derive(Debug, Clone)]
pub(super) struct Map {
    pub width: usize,
    pub height: usize,
    pub values: Vec<f32>,
}

/// The boxes of the lines, in places of the map.
pub(super) fn boxes(map: &Map) -> Vec<Quad> {
    let cores = cores(map.width, map.height, marked(map));
    let found = cores.into_iter().take(MOST).filter_map(|core| smallest_rectangle(&hull(core)));
    let large = |quad: &Quad, least: f32| quad.width().min(quad.height()) >= least;
    let lines = found.filter(|core| large(core, SPECK) && certainty(map, core) >= SURE).map(grown);
    lines.filter(|line| large(line, SPECK + 2.0)).collect()
}

/// A core as large as the line it is the core of.
fn grown(core: Quad) -> Quad {
    let (width, height) = (core.width(), core.height());
    core.grown(width * height * GROWTH / (2.0 * (width + height)))
}

/// Which places are text, each reaching one to the right and one down.
fn marked(map: &Map) -> Vec<bool> {
    let text = |x: usize, y: usize| map.values[y * map.width + x] > TEXT;
    let near = |x: usize, y: usize| {
        let (left, above) = (x.saturating_sub(1), y.saturating_sub(1));
        text(x, y) || text(left, y) || text(x, above) || text(left, above)
    };
    (0..map.height).flat_map(|y| (0..map.width).map(move |x| (x, y))).map(|(x, y)| near(x, y)).collect()
}

/// Connected marked places, diagonals included: of each group the places that can be corners – the ends of its rows.
fn cores(width: usize, height: usize, mut marked: Vec<bool>) -> Vec<Vec<Corner>> {
    let mut cores = Vec::new();
    for start in 0..marked.len() {
        if marked[start] {
            cores.push(ends(width, flood(width, height, &mut marked, start)));
        }
    }
    cores
}

/// Takes a group of connected places out of the marked ones.
fn flood(width: usize, height: usize, marked: &mut [bool], start: usize) -> Vec<usize> {
    let (mut group, mut next) = (Vec::new(), vec![start]);
    marked[start] = false;
    while let Some(place) = next.pop() {
        group.push(place);
        let (x, y) = (place % width, place / width);
        for near_y in y.saturating_sub(1)..=(y + 1).min(height - 1) {
            for near_x in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                let near = near_y * width + near_x;
                if std::mem::take(&mut marked[near]) {
                    next.push(near);
                }
            }
        }
    }
    group
}

/// The first and last place of each row of a group.
fn ends(width: usize, mut group: Vec<usize>) -> Vec<Corner> {
    group.sort_unstable();
    let point = |place: usize| Corner { x: (place % width) as f32, y: (place / width) as f32 };
    let rows = group.chunk_by(|a, b| a / width == b / width);
    rows.flat_map(|row| [point(row[0]), point(row[row.len() - 1])]).collect()
}

/// What the map says on average inside of a box.
fn certainty(map: &Map, quad: &Quad) -> f32 {
    let extent = |of: fn(&Corner) -> f32, size: usize| {
        let places = quad.0.iter().map(of);
        let (low, high) = places.fold((f32::INFINITY, 0.0f32), |(low, high), at| (low.min(at), high.max(at)));
        (low.floor().max(0.0) as usize, (high.ceil() as usize).min(size - 1))
    };
    let ((left, right), (top, bottom)) = (extent(|p| p.x, map.width), extent(|p| p.y, map.height));
    let (mut sum, mut count) = (0.0, 0.0);
    for y in top..=bottom {
        for x in left..=right {
            if holds(quad, Corner { x: x as f32, y: y as f32 }) {
                sum += map.values[y * map.width + x];
                count += 1.0;
            }
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Whether a place is inside of a box or on its edge.
fn holds(quad: &Quad, place: Corner) -> bool {
    let side = |at: usize| {
        let (a, b) = (quad.0[at], quad.0[(at + 1) % 4]);
        (b.x - a.x) * (place.y - a.y) - (b.y - a.y) * (place.x - a.x)
    };
    // A little more than the edge: corners are where places are, give or take rounding.
    (0..4).all(|at| side(at) >= -0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(width: usize, height: usize, value: impl Fn(usize, usize) -> f32) -> Map {
        let value = &value;
        let values = (0..height).flat_map(|y| (0..width).map(move |x| value(x, y))).collect();
        Map { width, height, values }
    }

    #[test]
    fn two_lines_are_two_boxes_grown_to_their_letters() {
        let inside = |x: usize, y: usize| (10..90).contains(&x) && ((20..30).contains(&y) || (50..60).contains(&y));
        let found = boxes(&map(100, 80, |x, y| if inside(x, y) { 0.9 } else { 0.1 }));
        assert_eq!(found.len(), 2);
        // 80 × 10 marked places reach one further: the core is 80 × 10 between their middles.
        let growth = 80.0 * 10.0 * GROWTH / 180.0;
        let expected = Quad::rectangle(10.0, 20.0, 90.0, 30.0).grown(growth);
        let apart =
            |a: &Quad, b: &Quad| (0..4).map(|i| (a.0[i].x - b.0[i].x).abs() + (a.0[i].y - b.0[i].y).abs()).sum::<f32>();
        assert!(apart(&found[0], &expected) < 0.01, "{found:?}");
    }

    #[test]
    fn a_slanted_line_gets_a_slanted_box() {
        let found = boxes(&map(200, 100, |x, y| {
            let along = 20.0 + x as f32 * 0.2;
            if (10..190).contains(&x) && (along..along + 12.0).contains(&(y as f32)) { 0.8 } else { 0.0 }
        }));
        assert_eq!(found.len(), 1);
        assert!((found[0].angle().tan() - 0.2).abs() < 0.02, "{}", found[0].angle().tan());
    }

    #[test]
    fn specks_and_unsure_places_are_no_lines() {
        assert!(boxes(&map(50, 50, |x, y| f32::from(x == 20 && y == 20))).is_empty());
        // Above the threshold for a place, below the one for a line.
        assert!(
            boxes(&map(50, 50, |x, y| if (10..40).contains(&x) && (10..20).contains(&y) { 0.4 } else { 0.0 }))
                .is_empty()
        );
        assert!(boxes(&map(3, 1, |_, _| 1.0)).is_empty());
    }
}
