//! Parameters that a service does not support. It refused one by name; it is not sent again.

use super::fault::ServiceFault;
use super::preset::Schemas;
use std::sync::atomic::{AtomicU8, Ordering};

/// A parameter that not every service supports.
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
    /// Nothing about the format of the answer.
    NoForm = 16,
}

/// The quirks that a service has shown.
#[derive(Debug, Default)]
pub struct Quirks(AtomicU8);

/// The quirks that were known when a request was made.
#[derive(Debug, Clone, Copy)]
pub struct KnownQuirks(u8);

impl KnownQuirks {
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
    pub fn known(&self) -> KnownQuirks {
        KnownQuirks(self.0.load(Ordering::Relaxed))
    }

    /// Learns from the refusal of a request that was `sent` with what was known then. Returns `true` if a retry may
    /// succeed: the request held what is refused, even if a concurrent request has taught it first.
    ///
    /// Services name the parameter in prose only, so their text is searched for its name.
    pub fn learn(&self, fault: &ServiceFault, sent: KnownQuirks) -> bool {
        let Some(said) = fault.refusal() else { return false };
        let said = said.to_lowercase();
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
    use super::super::options::Options;
    use super::*;

    fn answered(status: u16, said: &str) -> ServiceFault {
        ServiceFault::of_answer(status, said, &Options::at("http://h/v1", None))
    }

    #[test]
    fn each_refusal_is_learnt_once() {
        let quirks = Quirks::of(Schemas::Held);
        let about = answered(400, "Unsupported value: 'response_format.type' json_schema");
        let learn = |fault: &ServiceFault| quirks.learn(fault, quirks.known());
        let has = |quirk| quirks.known().has(quirk);
        assert!(learn(&about) && has(Quirk::NoSchema) && !has(Quirk::NoForm));
        assert!(learn(&about) && has(Quirk::NoForm));
        assert!(!learn(&about), "nothing more to learn");
        assert!(!learn(&answered(401, "wrong key")));
        assert!(!learn(&answered(500, "temperature of the machine")));
    }

    #[test]
    fn concurrent_requests_with_the_same_refusal_are_all_retried() {
        let quirks = Quirks::of(Schemas::Held);
        let about = answered(400, "no json_schema");
        let sent = quirks.known();
        assert!(quirks.learn(&about, sent) && quirks.learn(&about, sent));
        assert!(!quirks.known().has(Quirk::NoForm), "two refusals of one thing teach one thing");
    }
}
