//! Code in an answer: kept as it is where every Markdown reader agrees that it is code.

use super::PendingStart;

/// An open block of code: how many back-ticks close it.
#[derive(Debug, Clone, Copy)]
pub struct Fence(usize);

impl Fence {
    /// The next line of the block, and whether it closes it.
    pub fn line(self, text: &str, last: bool) -> (PendingStart, bool) {
        let Some(length) = text.find('\n').map(|at| at + 1).or(last.then_some(text.len())) else {
            return (PendingStart::Wait, false);
        };
        let line = text[..length].trim();
        let closes = line.len() >= self.0 && line.bytes().all(|byte| byte == b'`');
        // Where it stands alone, every reader takes it for the end; indented, only some do.
        let said = if closes { format!("{line}\n") } else { as_written(&text[..length]) };
        (PendingStart::As(length, said), closes)
    }
}

/// Back-ticks: a fence where they begin a line, code where they are closed on it; otherwise they are made harmless,
/// since a later line could close them and turn inside out what is code and what is not.
pub fn ticks(text: &str, at_start: bool, piped: bool, last: bool) -> (PendingStart, Option<Fence>) {
    let count = text.bytes().take_while(|byte| *byte == b'`').count();
    let line_end = text.find('\n');
    if line_end.is_none() && !last {
        // Code is said at once when it is closed; only then is it sure that the run of ticks is over, too.
        let closed = closing(&text[count..], count).filter(|end| count + end + count < text.len());
        let may_be_fence = at_start && count >= 3;
        if may_be_fence || closed.is_none() {
            return (PendingStart::Wait, None);
        }
    }
    let line = &text[..line_end.unwrap_or(text.len())];
    if at_start && count >= 3 && !line[count..].contains('`') {
        let length = line_end.map_or(text.len(), |at| at + 1);
        return (PendingStart::Plain(length), Some(Fence(count)));
    }
    let step = match closing(&line[count..], count) {
        Some(inside) if !piped && !line[..count + inside].contains('|') => {
            let length = count + inside + count;
            PendingStart::As(length, as_written(&line[..length]))
        }
        _ => PendingStart::Contained(count, "'".repeat(count)),
    };
    (step, None)
}

/// Where the first run of exactly this many back-ticks begins.
fn closing(text: &str, count: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let begin = at + found;
        let run = text[begin..].bytes().take_while(|byte| *byte == b'`').count();
        if run == count {
            return Some(begin);
        }
        at = begin + run;
    }
    None
}

/// Three tildes would open a block that we do not follow.
pub fn tildes(text: &str, last: bool) -> PendingStart {
    let count = text.bytes().take_while(|byte| *byte == b'~').count();
    match count {
        _ if count == text.len() && !last => PendingStart::Wait,
        0..=2 => PendingStart::Plain(count),
        _ => PendingStart::Contained(count, "~~".to_owned()),
    }
}

/// Code as its document has it: the prompt shows bracketed numbers in other brackets.
fn as_written(code: &str) -> String {
    code.replace('⟦', "[").replace('⟧', "]")
}
