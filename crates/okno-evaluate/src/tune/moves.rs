//! What tuning tries: the well-known ways to begin with, and small changes of one part of a recipe.
//!
//! Only what makes sense is tried: `auto` needs values on sentences, neighbours need units of a layer, weights need
//! relative fusion. Sizes are the sources' (chunks of 200 to 800 characters, windows of one to five sentences).

use crate::Result;
use okno::document::Layer;
use okno::error::RecipeError;
use okno::retrieve::{Expansion, Fusion, Recipe, built_in, name_of};
use okno::store::Leg;

const LAYERS: [&str; 9] = [
    "sentence",
    "window:1",
    "window:2",
    "window:4",
    "paragraph",
    "section",
    "chunk:300c/100c",
    "chunk:700c/300c",
    "chunk:256t",
];
const CHUNKS: [&str; 5] = ["chunk:250c/100c", "chunk:400c/200c", "chunk:600c/250c", "chunk:800c/300c", "chunk:256t"];
const WINDOWS: [u32; 4] = [1, 2, 3, 5];
/// A layer that joins begins with this weight, the least that any built-in recipe gives a layer twice over.
const JOINING: f32 = 0.5;
const DEPTHS: std::ops::RangeInclusive<usize> = 5..=800;
const KS: std::ops::RangeInclusive<usize> = 1..=240;

type Named = (String, Recipe);

/// The built-in recipes and their usual sizes.
pub fn families() -> Result<Vec<Named>> {
    let built_in = built_in()?;
    let unknown = |name: &str| {
        let known = built_in.keys().cloned().collect();
        okno::Error::from(RecipeError::Unknown { name: name.to_owned(), known })
    };
    let row = |name: &str| built_in.get(name).cloned().ok_or_else(|| unknown(name));
    let mut all: Vec<Named> = built_in.iter().map(|(name, recipe)| (name.clone(), recipe.clone())).collect();
    for around in WINDOWS {
        let recipe = Recipe { expand: Expansion::Window(around), k: 5, depth: 10, ..row("window")? };
        all.push((format!("window:{around}, k 5"), recipe));
    }
    for chunk in CHUNKS {
        let layers = vec![chunk.parse().map_err(okno::Error::Layer)?];
        all.push((format!("{chunk} with neighbors"), Recipe { layers: layers.clone(), k: 5, ..row("neighbors")? }));
        all.push((chunk.to_owned(), Recipe { layers, k: 10, depth: 20, ..row("chunks")? }));
    }
    Ok(all)
}

/// Every sensible recipe that differs in one part.
pub fn of(recipe: &Recipe) -> Vec<Named> {
    let mut moves = Vec::new();
    moves.extend(weights(recipe));
    moves.extend(layers(recipe));
    moves.extend(legs(recipe));
    moves.extend(fusions(recipe));
    moves.extend(expansions(recipe));
    moves.extend(numbers(recipe));
    moves.retain(|(_, moved)| sensible(moved) && moved != recipe);
    moves
}

fn sensible(recipe: &Recipe) -> bool {
    let relative = recipe.fusion == Fusion::Relative;
    let sentences = relative || recipe.layers.iter().all(|layer| *layer == Layer::Sentence);
    let some_weight = !relative || recipe.rankings().iter().any(|(_, weight)| *weight > 0.0);
    let expansion = match recipe.expand {
        Expansion::Auto => sentences,
        Expansion::Neighbors(_) => !relative,
        Expansion::Parent => recipe.collapse.is_some(),
        _ => true,
    };
    expansion && some_weight && !recipe.layers.is_empty() && !recipe.legs.is_empty()
}

/// The weight of each ranking, written out where weights count.
fn written_out(recipe: &Recipe) -> Recipe {
    let mut recipe = recipe.clone();
    if recipe.fusion != Fusion::Relative {
        return recipe;
    }
    let layers = recipe.layers.len();
    for leg in [Leg::Lexical, Leg::Dense] {
        recipe.weights.entry(name_of(leg).to_owned()).or_default().resize(layers, 1.0);
    }
    recipe
}

fn weights(recipe: &Recipe) -> Vec<Named> {
    if recipe.fusion != Fusion::Relative {
        return Vec::new();
    }
    let mut moves = Vec::new();
    for &leg in &recipe.legs {
        for (at, layer) in recipe.layers.iter().enumerate() {
            for factor in [0.0, 0.5, 2.0] {
                let mut changed = written_out(recipe);
                if let Some(weight) = changed.weights.get_mut(name_of(leg)).and_then(|weights| weights.get_mut(at)) {
                    *weight *= factor;
                }
                moves.push((format!("weight of {} {layer} × {factor}", name_of(leg)), changed));
            }
        }
    }
    moves
}

fn layers(recipe: &Recipe) -> Vec<Named> {
    let mut moves = Vec::new();
    for at in (0..recipe.layers.len()).filter(|_| recipe.layers.len() > 1) {
        let mut changed = written_out(recipe);
        let layer = changed.layers.remove(at);
        for weights in changed.weights.values_mut() {
            weights.remove(at);
        }
        moves.push((format!("without {layer}"), changed));
    }
    let known = LAYERS.iter().filter_map(|name| name.parse::<Layer>().ok());
    for layer in known.filter(|layer| !recipe.layers.contains(layer)) {
        let mut changed = written_out(recipe);
        changed.layers.push(layer);
        changed.weights.values_mut().for_each(|weights| weights.push(JOINING));
        moves.push((format!("with {layer}"), changed));
    }
    moves
}

fn legs(recipe: &Recipe) -> Vec<Named> {
    let choices = [vec![Leg::Lexical, Leg::Dense], vec![Leg::Lexical], vec![Leg::Dense]];
    let named = |legs: Vec<Leg>| {
        let names: Vec<&str> = legs.iter().map(|&leg| name_of(leg)).collect();
        (format!("legs {}", names.join(" and ")), Recipe { legs, ..recipe.clone() })
    };
    choices.into_iter().map(named).collect()
}

fn fusions(recipe: &Recipe) -> Vec<Named> {
    let choices = [Fusion::Relative, Fusion::ReciprocalRank(60.0), Fusion::ReciprocalRank(10.0)];
    choices.into_iter().map(|fusion| (format!("fusion {fusion}"), Recipe { fusion, ..recipe.clone() })).collect()
}

fn expansions(recipe: &Recipe) -> Vec<Named> {
    let windows = WINDOWS.map(Expansion::Window);
    let others =
        [Expansion::Auto, Expansion::None, Expansion::Section, Expansion::Neighbors(1), Expansion::Neighbors(2)];
    let named = |expand: Expansion| (format!("expand {expand}"), Recipe { expand, ..recipe.clone() });
    windows.into_iter().chain(others).map(named).collect()
}

fn numbers(recipe: &Recipe) -> Vec<Named> {
    let around = |value: usize| [value / 2, value * 2];
    let depths = around(recipe.depth).into_iter().filter(|depth| DEPTHS.contains(depth));
    let ks = around(recipe.k).into_iter().filter(|k| KS.contains(k));
    let depths = depths.map(|depth| (format!("depth {depth}"), Recipe { depth, ..recipe.clone() }));
    let ks = ks.map(|k| (format!("k {k}"), Recipe { k, ..recipe.clone() }));
    depths.chain(ks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_is_sensible_and_small() {
        for (name, recipe) in built_in().unwrap() {
            let moves = of(&recipe);
            assert!(moves.len() > 10, "{name}");
            for (what, moved) in moves {
                assert!(sensible(&moved) && moved != recipe, "{name}: {what}");
                assert!(moved.weights.values().all(|weights| weights.len() == moved.layers.len()), "{name}: {what}");
            }
        }
        assert!(families().unwrap().iter().all(|(_, recipe)| sensible(recipe)));
    }
}
