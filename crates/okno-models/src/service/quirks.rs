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

impl Quirks {
    /// What is known of a provider from the start.
    pub fn of(schemas: Schemas) -> Self {
        Self(AtomicU8::new(match schemas {
            Schemas::Held => 0,
            Schemas::Json => Quirk::NoSchema as u8,
            Schemas::Asked => Quirk::NoSchema as u8 | Quirk::NoForm as u8,
        }))
    }

    pub fn has(&self, quirk: Quirk) -> bool {
        self.0.load(Ordering::Relaxed) & quirk as u8 != 0
    }

    /// Learns from a refusal; whether it is worth asking again.
    pub fn learn(&self, fault: &Fault) -> bool {
        if fault.kind != Kind::Refused {
            return false;
        }
        let said = fault.reason.to_lowercase();
        let about_form = ["response_format", "json_schema", "grammar"].iter().any(|name| said.contains(name));
        let quirk = match () {
            () if said.contains("stream_options") => Quirk::NoStreamOptions,
            () if said.contains("max_tokens") || said.contains("max_completion_tokens") => Quirk::OtherMaxTokens,
            () if said.contains("temperature") => Quirk::NoTemperature,
            () if about_form && !self.has(Quirk::NoSchema) => Quirk::NoSchema,
            () if about_form => Quirk::NoForm,
            () => return false,
        };
        self.0.fetch_or(quirk as u8, Ordering::Relaxed) & quirk as u8 == 0
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
        assert!(quirks.learn(&about) && quirks.has(Quirk::NoSchema) && !quirks.has(Quirk::NoForm));
        assert!(quirks.learn(&about) && quirks.has(Quirk::NoForm));
        assert!(!quirks.learn(&about), "nothing more to learn");
        assert!(!quirks.learn(&refused("401: wrong key")));
        assert!(!quirks.learn(&Fault::new(Kind::Away, "500: temperature of the machine")));
    }
}
