//! Server-sent events: a stream of bytes becomes the data of one event after the other.
//!
//! Only what services send is parsed: `data:` lines, an empty line that ends an event; names, ids and comments are
//! ignored.

use super::fault::{FaultKind, ServiceFault};
use super::options::Options;
use super::reason::ServiceReason;
use std::io::{BufRead, BufReader, Read};

/// One event is never longer: a line without end would fill the memory.
const LONGEST_LINE: u64 = 4 << 20;

/// The events of a stream.
pub struct Events<'o, R> {
    lines: BufReader<R>,
    options: &'o Options,
}

impl<'o, R: Read> Events<'o, R> {
    pub fn new(stream: R, options: &'o Options) -> Self {
        Self { lines: BufReader::new(stream), options }
    }

    /// The data of the next event; `None` at the end of the stream.
    pub fn next(&mut self) -> Result<Option<String>, ServiceFault> {
        let mut data = String::new();
        loop {
            let Some(line) = self.line()? else {
                return Ok((!data.is_empty()).then_some(data));
            };
            if line.is_empty() && !data.is_empty() {
                return Ok(Some(data));
            }
            if let Some(more) = line.strip_prefix("data:") {
                data.push_str(more.strip_prefix(' ').unwrap_or(more));
            }
        }
    }

    fn line(&mut self) -> Result<Option<String>, ServiceFault> {
        let mut bytes = Vec::new();
        let read = (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| ServiceFault::of_transport(&error.into(), self.options))?;
        if read == 0 {
            return Ok(None);
        }
        if !bytes.ends_with(b"\n") && read as u64 == LONGEST_LINE {
            return Err(ServiceFault::new(FaultKind::Garbled, ServiceReason::EndlessLine));
        }
        while bytes.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
            bytes.pop();
        }
        String::from_utf8(bytes).map(Some).map_err(|_| ServiceFault::new(FaultKind::Garbled, ServiceReason::NotUtf8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(stream: &[u8]) -> Vec<String> {
        let options = Options::at("http://h", None);
        let mut events = Events::new(stream, &options);
        std::iter::from_fn(|| events.next().unwrap()).collect()
    }

    #[test]
    fn events_are_cut_as_services_write_them() {
        assert_eq!(
            all(b": hello\n\ndata: {\"a\":1}\n\ndata:two\r\n\r\nevent: x\ndata: three\n\n"),
            ["{\"a\":1}", "two", "three"]
        );
        assert_eq!(all("data: 奥创\n\ndata: [DONE]".as_bytes()), ["奥创", "[DONE]"]);
        assert_eq!(all(b"\n\n\n"), [""; 0]);
    }

    #[test]
    fn bytes_that_are_no_text_are_said_to_be_none() {
        let options = Options::at("http://h", None);
        let fault = Events::new(&b"data: \xff\xfe\n\n"[..], &options).next().unwrap_err();
        assert_eq!(fault.kind, FaultKind::Garbled);
    }
}
