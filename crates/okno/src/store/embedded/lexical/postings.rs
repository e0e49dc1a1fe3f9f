//! Posting lists: rows in ascending order, each with how often a term is there.
//!
//! Whole blocks of [`BLOCK`] postings are packed with as many bits as the largest distance and the largest count need;
//! what is left over – all of most lists – is a distance with one bit that says whether a count follows.

use std::ops::ControlFlow;

/// Postings that are packed together.
const BLOCK: usize = 128;

/// Adds a number in groups of seven bits, the lowest first.
pub fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes such a number from the front.
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

/// Adds a list of (row, count).
pub fn write_list(postings: &[(u32, u32)], out: &mut Vec<u8>) {
    let mut next = 0;
    let mut distance = |row: u32| {
        let distance = row - next;
        next = row + 1;
        distance
    };
    let mut blocks = postings.chunks_exact(BLOCK);
    for block in &mut blocks {
        let distances: [u32; BLOCK] = std::array::from_fn(|at| distance(block[at].0));
        let more: [u32; BLOCK] = std::array::from_fn(|at| block[at].1 - 1);
        let widths = [width(&distances), width(&more)];
        out.extend(widths);
        pack(&distances, widths[0], out);
        pack(&more, widths[1], out);
    }
    for &(row, count) in blocks.remainder() {
        put_number(u64::from(distance(row)) << 1 | u64::from(count > 1), out);
        if count > 1 {
            put_number(u64::from(count), out);
        }
    }
}

/// Reads a list of so many postings, until `found` has enough; `None` where the bytes are no such list.
pub fn read_list(
    mut bytes: &[u8],
    length: usize,
    found: &mut impl FnMut(u32, u32) -> ControlFlow<()>,
) -> Option<ControlFlow<()>> {
    let mut next = 0u32;
    let (mut distances, mut more) = ([0; BLOCK], [0; BLOCK]);
    for _ in 0..length / BLOCK {
        let (widths, rest) = bytes.split_first_chunk::<2>()?;
        let rest = unpack(rest, widths[0], &mut distances)?;
        bytes = unpack(rest, widths[1], &mut more)?;
        for (&distance, &more) in distances.iter().zip(&more) {
            let row = next.wrapping_add(distance);
            next = row.wrapping_add(1);
            if found(row, more.wrapping_add(1)).is_break() {
                return Some(ControlFlow::Break(()));
            }
        }
    }
    for _ in 0..length % BLOCK {
        let number = take_number(&mut bytes)?;
        let count = if number & 1 == 1 { take_number(&mut bytes)? } else { 1 };
        let row = next.wrapping_add((number >> 1) as u32);
        next = row.wrapping_add(1);
        if found(row, count as u32).is_break() {
            return Some(ControlFlow::Break(()));
        }
    }
    Some(ControlFlow::Continue(()))
}

/// The bits that the largest needs.
fn width(numbers: &[u32; BLOCK]) -> u8 {
    (u32::BITS - numbers.iter().fold(0, |all, number| all | number).leading_zeros()) as u8
}

fn pack(numbers: &[u32; BLOCK], width: u8, out: &mut Vec<u8>) {
    let (mut word, mut filled) = (0u64, 0);
    for &number in numbers {
        word |= u64::from(number) << filled;
        filled += u32::from(width);
        if filled >= u32::BITS {
            out.extend((word as u32).to_le_bytes());
            word >>= u32::BITS;
            filled -= u32::BITS;
        }
    }
}

/// Unpacks what [`pack`] wrote, and gives the bytes behind it.
fn unpack<'b>(bytes: &'b [u8], width: u8, numbers: &mut [u32; BLOCK]) -> Option<&'b [u8]> {
    const WIDEST: usize = u32::BITS as usize;
    /// Eight bytes are read for each number, also for the last.
    const BEYOND: usize = 8;
    let width = usize::from(width);
    if width > WIDEST {
        return None;
    }
    let (packed, rest) = bytes.split_at_checked(width * BLOCK / 8)?;
    let mask = (1u64 << width) - 1;
    let mut read = |bytes: &[u8]| {
        for (at, number) in numbers.iter_mut().enumerate() {
            let bit = at * width;
            let word = bytes[bit / 8..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            *number = (word >> (bit % 8) & mask) as u32;
        }
    };
    match width {
        // Most words are once wherever they are.
        0 => numbers.fill(0),
        _ if rest.len() >= BEYOND => read(bytes),
        _ => {
            let mut padded = [0; WIDEST * BLOCK / 8 + BEYOND];
            padded[..packed.len()].copy_from_slice(packed);
            read(&padded);
        }
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], length: usize) -> Option<Vec<(u32, u32)>> {
        let mut found = Vec::new();
        let read = read_list(bytes, length, &mut |row, count| {
            found.push((row, count));
            ControlFlow::Continue(())
        });
        read.map(|_| found)
    }

    proptest! {
        #[test]
        fn lists_are_read_as_they_were_written(
            distances in prop::collection::vec((prop_oneof![0..3u32, 0..5_000_000u32], 1..9u32), 0..400),
        ) {
            let mut next = 0u32;
            let postings: Vec<(u32, u32)> = distances.into_iter().map(|(distance, count)| {
                let row = next + distance;
                next = row + 1;
                (row, count)
            }).collect();
            let mut bytes = Vec::new();
            write_list(&postings, &mut bytes);
            prop_assert_eq!(read(&bytes, postings.len()), Some(postings));
        }

        #[test]
        fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), length in 0..500usize) {
            let _ = read(&bytes, length);
        }
    }

    #[test]
    fn reading_ends_when_there_is_enough() {
        let mut bytes = Vec::new();
        write_list(&(0..300).map(|row| (row * 2, 1)).collect::<Vec<_>>(), &mut bytes);
        let mut seen = 0;
        let ended = read_list(&bytes, 300, &mut |row, _| {
            seen += 1;
            if row == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((ended, seen), (Some(ControlFlow::Break(())), 11));
    }
}
