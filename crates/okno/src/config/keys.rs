//! The keys that a table may have, asked of the type that is read from it, and where a key stands in a file.

use super::{Config, EmbeddingConfig, FetchConfig, FieldConfig, IndexConfig, ModelConfig, ServeConfig};
use crate::error::ConfigError;
use crate::message::DidYouMean;
use crate::retrieve::nearest;
use crate::rules::RuleText;
use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use toml::de::{DeTable, DeValue};

/// The names of the fields of a struct, as `serde` reads them.
pub fn keys_of<T: Deserialize<'static>>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // It fails always: only the question is of interest.
    drop(T::deserialize(Names(&mut names)));
    names
}

struct Names<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("only the names were asked for"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The known keys that are nearest to an unknown one.
pub fn near(key: &str, known: &[&str]) -> DidYouMean {
    DidYouMean(nearest(key, &known.iter().copied().collect()))
}

/// The first key of a configuration that there is not, and where it begins. Recipes are read by themselves.
pub fn unknown(document: &DeTable<'_>) -> Option<(usize, ConfigError)> {
    let table = |name: &str| document.get(name).and_then(|value| value.get_ref().as_table());
    let sections = [
        (Some(document), keys_of::<Config>()),
        (table("index"), keys_of::<IndexConfig>()),
        (table("fetch"), keys_of::<FetchConfig>()),
        (table("model"), keys_of::<ModelConfig>()),
        (table("embedding"), keys_of::<EmbeddingConfig>()),
        (table("serve"), keys_of::<ServeConfig>()),
    ];
    let fields = table("fields").into_iter().flat_map(|fields| fields.values().map(toml::Spanned::get_ref));
    let fields = fields.map(|field| (field.as_table(), keys_of::<FieldConfig>()));
    let models = table("models").into_iter().flat_map(|models| models.values().map(toml::Spanned::get_ref));
    let models = models.map(|model| (model.as_table(), keys_of::<ModelConfig>()));
    let rules = document.get("rules").and_then(|rules| rules.get_ref().as_array());
    let rules = rules.into_iter().flat_map(|rules| rules.iter().map(toml::Spanned::get_ref));
    let rules = rules.map(|rule: &DeValue<'_>| (rule.as_table(), keys_of::<RuleText>()));
    sections.into_iter().chain(fields).chain(models).chain(rules).find_map(|(table, known)| unknown_in(table?, known))
}

fn unknown_in(table: &DeTable<'_>, known: &[&str]) -> Option<(usize, ConfigError)> {
    let (key, _) = table.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref()))?;
    let name = key.get_ref().to_string();
    Some((key.span().start, ConfigError::UnknownKey { near: near(&name, known), key: name }))
}

/// The first language model with a name that it cannot have, and where that begins. A name with a dot and without
/// quotes is a table inside of another.
pub fn bad_model_name(document: &DeTable<'_>) -> Option<(usize, ConfigError)> {
    document.get("models")?.get_ref().as_table()?.iter().find_map(|(name, model)| {
        let (start, name) = (name.span().start, name.get_ref());
        let inner = model.get_ref().as_table()?.iter().find(|(_, value)| value.get_ref().is_table());
        let name = match inner {
            Some((inner, _)) => format!("{name}.{}", inner.get_ref()),
            None if ModelConfig::is_name(name) => return None,
            None => name.to_string(),
        };
        Some((start, ConfigError::ModelName { name }))
    })
}

/// Where a key of a recipe is written.
pub fn place_in_recipe(document: &DeTable<'_>, recipe: &str, key: &str) -> Option<usize> {
    let recipes = document.get("recipes")?.get_ref().as_table()?;
    let (key, _) = recipes.get(recipe)?.get_ref().as_table()?.get_key_value(key)?;
    Some(key.span().start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_the_types() {
        assert_eq!(keys_of::<FieldConfig>(), ["embed", "prompt"]);
        assert!(keys_of::<Config>().contains(&"auto_filter") && keys_of::<RuleText>().contains(&"drop"));
        assert!(keys_of::<String>().is_empty());
    }
}
