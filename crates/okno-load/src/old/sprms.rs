//! Properties of paragraphs and letters in Word files: a list of operations, each a number that says how long its
//! operand is.

use super::super::compound::number16;

/// An operation and its operand.
pub(super) struct Operation<'a> {
    pub code: u16,
    pub operand: &'a [u8],
}

impl Operation<'_> {
    /// The operand as a small number; 0 where there is none.
    pub fn byte(&self) -> u8 {
        self.operand.first().copied().unwrap_or(0)
    }

    /// The operand as a number of two bytes.
    pub fn number(&self) -> u16 {
        number16(self.operand, 0)
    }
}

/// The definition of a table has a length of two bytes.
const TABLE: [u16; 2] = [0xd608, 0xd606];

/// The operations in a list, up to the first that is cut short.
pub(super) fn operations(mut list: &[u8]) -> impl Iterator<Item = Operation<'_>> {
    std::iter::from_fn(move || {
        let code = number16(list, 0);
        let rest = list.get(2..)?;
        let (start, length) = match code >> 13 {
            0 | 1 => (0, 1),
            2 | 4 | 5 => (0, 2),
            3 => (0, 4),
            7 => (0, 3),
            _ if TABLE.contains(&code) => (2, usize::from(number16(rest, 0)).saturating_sub(1)),
            _ => (1, usize::from(*rest.first()?)),
        };
        let operand = rest.get(start..start + length)?;
        list = &rest[start + length..];
        Some(Operation { code, operand })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_all_lengths() {
        let list =
            [0x16, 0x24, 1, 0x0b, 0x46, 2, 1, 0x15, 0xc6, 3, 9, 9, 9, 0x49, 0x66, 1, 0, 0, 0, 0x08, 0xd6, 3, 0, 7, 7];
        let read: Vec<(u16, usize)> = operations(&list).map(|one| (one.code, one.operand.len())).collect();
        assert_eq!(read, [(0x2416, 1), (0x460b, 2), (0xc615, 3), (0x6649, 4), (0xd608, 2)]);
    }
}
