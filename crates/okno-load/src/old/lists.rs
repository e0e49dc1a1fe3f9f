//! The lists of a Word file: which of their levels count their items.

use std::collections::HashMap;

use super::super::compound::{number16, number32};

/// Lists by the number that paragraphs name.
#[derive(Debug, Default)]
pub(super) struct WordLists {
    /// Which levels count, for each list.
    counting: Vec<[bool; LEVELS]>,
    /// How far each list has counted, by its identity and level.
    counted: HashMap<usize, [u32; LEVELS]>,
    /// Paragraphs name an override, which names a list.
    named: Vec<usize>,
}

const LEVELS: usize = 9;
/// The format of numbers that is a sign, and the one that is nothing.
const SIGNS: [u8; 2] = [23, 255];

impl WordLists {
    /// Reads the table of lists (whose levels follow behind it in `rest`) and the table of overrides.
    pub fn read(table: &[u8], lists: std::ops::Range<usize>, overrides: &[u8]) -> Self {
        let Some(headers) = table.get(lists.clone()) else { return Self::default() };
        let levels = table.get(lists.end..).unwrap_or_default();
        let count = usize::from(number16(headers, 0)).min(headers.len() / 28);
        let mut read = Self::default();
        let (mut identities, mut at) = (HashMap::new(), 0);
        for list in 0..count {
            let header = headers.get(2 + list * 28..).unwrap_or_default();
            identities.entry(number32(header, 0)).or_insert(list);
            let simple = header.get(26).is_some_and(|flags| flags & 1 != 0);
            let mut counting = [false; LEVELS];
            for level in counting.iter_mut().take(if simple { 1 } else { LEVELS }) {
                let Some(format) = levels.get(at + 4) else { break };
                *level = !SIGNS.contains(format);
                let properties = [24, 25].map(|place| usize::from(levels.get(at + place).copied().unwrap_or(0)));
                let text = at + 28 + properties[0] + properties[1];
                at = text + 2 + usize::from(number16(levels, text)) * 2;
            }
            read.counting.push(counting);
        }
        let most = (number32(overrides, 0) as usize).min(overrides.len() / 16);
        let named = (0..most).map(|at| number32(overrides, 4 + at * 16));
        read.named = named.map(|identity| identities.get(&identity).copied().unwrap_or(usize::MAX)).collect();
        read
    }

    /// The marker of the next item.
    pub fn marker(&mut self, list: u16, level: u8) -> String {
        let level = usize::from(level).min(LEVELS - 1);
        let named = usize::from(list).checked_sub(1).and_then(|at| self.named.get(at)).copied();
        let Some(list) = named.filter(|list| self.counting.get(*list).is_some_and(|levels| levels[level])) else {
            return "-".to_owned();
        };
        let counted = self.counted.entry(list).or_default();
        counted[level] += 1;
        counted[level + 1..].fill(0);
        format!("{}.", counted[level])
    }
}
