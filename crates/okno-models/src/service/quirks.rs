//! What a service turned out not to understand. It refused once, naming the parameter; it is not sent that again.

use super::fault::{Fault, Kind};
use super::preset::Schemas;
use std::sync::atomic::{AtomicU8, Ordering};

/// A parameter that not every service takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// Usage at the end of a stream.
    NoStreamOptions = 1,
    /// `max_completion_tokens` in place of `max_tokens`: newer models of `OpenAI`.
    OtherMaxTokens = 2,
    /// No temperature but its own: the same.
    NoTemperature = 4,
    /// No schema, but JSON.
    NoSchema = 8,
    /// No word about the form of the answer.
    NoForm = 16,
}

/// The quirks that a service has shown.
#[derive(Debug, Default)]
pub struct Quirks(AtomicU8);

/// The quirks that were known when a request was made.
#[derive(Debug, Clone, Copy)]
pub struct Known(u8);

impl Known {
    pub fn has(self, quirk: Quirk) -> bool {
        self.0 & quirk as u8 != 0
    }
}

impl Quirks {
    /// What is known of a provider from the start.
    pub fn of(schemas: Schemas) -> Self {
        Self(AtomicU8::new(match schemas {
            Schemas::Held => 0,
            Schemas::Json => Quirk::NoSchema as u8,
            Schemas::Asked => Quirk::NoSchema as u8 | Quirk::NoForm as u8,
        }))
    }

    /// What is known by now.
    pub fn known(&self) -> Known {
        Known(self.0.load(Ordering::Relaxed))
    }

    /// Learns from the refusal of a request that was `sent` with what was known then; whether it is worth asking again. It is
    /// wherever the request held what is refused, also when another that was under way has taught it first.
    pub fn learn(&self, fault: &Fault, sent: Known) -> bool {
        if fault.kind != Kind::Refused {
            return false;
        }
        let said = fault.reason.to_lowercase();
        let about_form = ["response_format", "json_schema", "grammar"].iter().any(|name| said.contains(name));
        let quirk = match () {
            () if said.contains("stream_options") => Quirk::NoStreamOptions,
            () if said.contains("max_tokens") || said.contains("max_completion_tokens") => Quirk::OtherMaxTokens,
            () if said.contains("temperature") => Quirk::NoTemperature,
            () if about_form && !sent.has(Quirk::NoSchema) => Quirk::NoSchema,
            () if about_form => Quirk::NoForm,
            () => return false,
        };
        self.0.fetch_or(quirk as u8, Ordering::Relaxed);
        !sent.has(quirk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_teaches_once() {
        let quirks = Quirks::of(Schemas::Held);
        let refused = |said: &str| Fault::new(Kind::Refused, said);
        let about = refused("400: Unsupported value: 'response_format.type' json_schema");
        let learn = |fault: &Fault| quirks.learn(fault, quirks.known());
        let has = |quirk| quirks.known().has(quirk);
        assert!(learn(&about) && has(Quirk::NoSchema) && !has(Quirk::NoForm));
        assert!(learn(&about) && has(Quirk::NoForm));
        assert!(!learn(&about), "nothing more to learn");
        assert!(!learn(&refused("401: wrong key")));
        assert!(!learn(&Fault::new(Kind::Away, "500: temperature of the machine")));
    }

    #[test]
    fn whoever_was_refused_the_same_at_the_same_time_asks_again_too() {
        let quirks = Quirks::of(Schemas::Held);
        let about = Fault::new(Kind::Refused, "400: no json_schema");
        let sent = quirks.known();
        assert!(quirks.learn(&about, sent) && quirks.learn(&about, sent));
        assert!(!quirks.known().has(Quirk::NoForm), "two refusals of one thing teach one thing");
    }
}
