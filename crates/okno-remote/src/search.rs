//! Both legs: one question per ranking, all of them in one round trip.

use crate::conditions::{RowCondition, allowed, told_by_fields, visible, within};
use crate::driver::{AskedTerm, Near, Nearest, UnitQuestion};
use crate::fields;
use crate::layers::{LayerCode, MADE, SCALES, code, read_key, read_pair};
use crate::numbers::Numbers;
use crate::snapshot::{RemoteSnapshot, SharedSnapshot};
use crate::units::dimension;
use crate::unmade;
use okno::Result;
use okno::document::Layer;
use okno::store::{Ask, FieldScope, Leg, Run, Scored, rarity};
use okno::text::terms::{of_query, resolve};

/// A ranking that the engine makes.
type MadeRanking = (Leg, LayerCode);

/// The rankings asked for, of all questions in one round trip. Layers that have rows are ranked by the engine; others
/// among what these find, on the client.
pub fn search_all(snapshot: &RemoteSnapshot, asks: &[Ask<'_>]) -> Result<Vec<Vec<Vec<Scored>>>> {
    let wanted: Vec<Vec<MadeRanking>> = asks.iter().map(wanted).collect();
    let found = ranked(&snapshot.shared, asks, &wanted)?;
    asks.iter().zip(wanted).zip(found).map(|((ask, wanted), found)| answered(snapshot, ask, &wanted, &found)).collect()
}

/// The rankings that the engine makes for a question, each once.
fn wanted(ask: &Ask<'_>) -> Vec<MadeRanking> {
    let made = ask.rankings.iter().filter_map(|&(leg, layer)| Some((leg, code(layer)?)));
    let mut wanted: Vec<MadeRanking> = made.collect();
    if has_unmade(ask) {
        let legs = [Leg::Dense, Leg::Lexical];
        wanted.extend(legs.into_iter().flat_map(|leg| SCALES.map(move |code| (leg, code))));
    }
    wanted.sort_unstable_by_key(|&(leg, code)| (leg == Leg::Lexical, code));
    wanted.dedup();
    wanted
}

fn has_unmade(ask: &Ask<'_>) -> bool {
    ask.rankings.iter().any(|&(_, layer)| code(layer).is_none())
}

/// The rankings of one question, from those that the engine made.
fn answered(
    snapshot: &RemoteSnapshot,
    ask: &Ask<'_>,
    wanted: &[MadeRanking],
    found: &[Vec<Scored>],
) -> Result<Vec<Vec<Scored>>> {
    let of =
        |leg, code| wanted.iter().position(|&own| own == (leg, code)).map(|at| found[at].clone()).unwrap_or_default();
    let documents = if has_unmade(ask) { unmade::documents(snapshot, found.iter().flatten())? } else { Vec::new() };
    let ranking = |&(leg, layer): &(Leg, Layer)| match code(layer) {
        Some(code) => Ok(of(leg, code)),
        None => unmade::rank(&snapshot.shared, ask, leg, layer, &documents),
    };
    ask.rankings.iter().map(ranking).collect()
}

/// The rankings of layers that have rows, for each question.
fn ranked(shared: &SharedSnapshot, asks: &[Ask<'_>], wanted: &[Vec<MadeRanking>]) -> Result<Vec<Vec<Vec<Scored>>>> {
    let (mut requests, mut of) = (Vec::new(), Vec::new());
    for (number, (ask, wanted)) in asks.iter().zip(wanted).enumerate() {
        let (expressions, mut terms) = (expressions(shared, ask), None);
        for (at, &(leg, code)) in wanted.iter().enumerate() {
            let Some(question) = question(shared, ask, leg, code, &mut terms)? else { continue };
            for expression in &expressions {
                of.push((number, at));
                let (question, expression) = (question.clone(), expression.clone());
                requests.push(Nearest { code, question, expression, limit: ask.depth });
            }
        }
    }
    let mut near: Vec<Vec<Vec<Near>>> = wanted.iter().map(|wanted| vec![Vec::new(); wanted.len()]).collect();
    for ((number, at), found) in of.into_iter().zip(shared.parts.driver.nearest(requests)?) {
        near[number][at].extend(found);
    }
    let merge = |((ask, wanted), near): ((&Ask<'_>, &Vec<MadeRanking>), Vec<Vec<Near>>)| {
        near.into_iter().zip(wanted).map(|(near, &(leg, code))| merged(shared, ask, near, leg, code)).collect()
    };
    Ok(asks.iter().zip(wanted).zip(near).map(merge).collect())
}

/// What may be found, in the engine's language: what fulfils any of these.
fn expressions(shared: &SharedSnapshot, ask: &Ask<'_>) -> Vec<String> {
    let (driver, own) = (&shared.parts.driver, ask.allowed.map(|numbers| allowed(numbers, &shared.state.live)));
    let conditions = match (own, ask.sections) {
        (Some(own), Some(sections)) => within(&own, sections, driver.run_limits()),
        (own, _) => {
            let by_fields = ask.fields.zip(own.as_ref()).and_then(|(fields, own)| by_fields(shared, fields, own));
            let by_numbers = || visible(shared.state.next, &shared.dead, own.as_ref(), driver.run_limits());
            by_fields.map_or_else(by_numbers, |condition| vec![condition])
        }
    };
    conditions.iter().map(|condition| driver.expression(condition)).collect()
}

/// What the engine checks by itself; `None` where it cannot, or nothing is allowed.
fn by_fields(shared: &SharedSnapshot, asked: FieldScope<'_>, own: &Numbers) -> Option<RowCondition> {
    let SharedSnapshot { parts, state, dead, .. } = shared;
    if !parts.driver.checks_fields() || own.is_empty() {
        return None;
    }
    let filter = asked.filter.map(fields::condition);
    let access = asked.access.map(fields::seen_by);
    let all = filter.into_iter().chain(access).collect::<Option<Vec<RowCondition>>>()?;
    if !all.iter().all(|condition| parts.driver.tells(condition)) {
        return None;
    }
    let left_out = dead.with(&state.unsaid).with(&asked.without.iter().copied().collect());
    told_by_fields(state.next, RowCondition::All(all), &left_out, &own.common(&state.unsaid), parts.driver.run_limits())
}

/// The question in a leg; `None` where it says nothing, or there is nothing to ask.
///
/// The terms are read once for all layers.
fn question(
    shared: &SharedSnapshot,
    ask: &Ask<'_>,
    leg: Leg,
    code: LayerCode,
    terms: &mut Option<QueryTerms>,
) -> Result<Option<UnitQuestion>> {
    if shared.state.units[code] == 0 || ask.depth == 0 {
        return Ok(None);
    }
    match leg {
        Leg::Dense if ask.vector.iter().all(|&x| x == 0.0) => Ok(None),
        Leg::Dense => Ok(Some(UnitQuestion::Dense(ask.vector.to_vec()))),
        Leg::Lexical => {
            let terms = match terms {
                Some(terms) => terms,
                None => terms.insert(known_terms(shared, ask)?),
            };
            let mut asked = rare(shared, terms, code)?;
            asked.retain(|asked| asked.weight * asked.rarity > 0.0);
            Ok((!asked.is_empty()).then_some(UnitQuestion::Lexical(asked)))
        }
    }
}

/// Terms as dimensions, each with how much the question means it.
type QueryTerms = Vec<(u32, f32)>;

/// The terms of a question that the index knows.
fn known_terms(shared: &SharedSnapshot, ask: &Ask<'_>) -> Result<QueryTerms> {
    let table = shared.frequencies()?;
    let asked = of_query(ask.text);
    let derived = ask.rankings.iter().filter_map(|&(_, layer)| self::code(layer)).filter(|code| !SCALES.contains(code));
    let codes: Vec<LayerCode> = derived.chain([0]).collect();
    let resolved = resolve(&asked, |term| codes.iter().any(|&code| table.of(code, dimension(term)) > 0));
    Ok(resolved.into_iter().map(|(term, weight)| (dimension(term), weight)).collect())
}

/// The same, with how much each tells in a layer.
fn rare(shared: &SharedSnapshot, terms: &[(u32, f32)], code: LayerCode) -> Result<Vec<AskedTerm>> {
    let (table, units) = (shared.frequencies()?, shared.state.units[code] as f32);
    let rarity = |term| rarity(units, (table.of(code, term) as f32).min(units));
    Ok(terms.iter().map(|&(term, weight)| AskedTerm { term, weight, rarity: rarity(term) }).collect())
}

/// The terms of a question, each with how much it tells in a layer.
pub fn rare_terms(shared: &SharedSnapshot, ask: &Ask<'_>, code: LayerCode) -> Result<Vec<AskedTerm>> {
    rare(shared, &known_terms(shared, ask)?, code)
}

/// A ranking: best first, equal ones by place, each unit once.
fn merged(shared: &SharedSnapshot, ask: &Ask<'_>, near: Vec<Near>, leg: Leg, code: LayerCode) -> Vec<Scored> {
    // Where a filter leaves few documents, all of them are an answer, the unlike ones last.
    let floor = if leg == Leg::Dense && ask.allowed.is_some() { f32::NEG_INFINITY } else { 0.0 };
    // Whatever the engine answers: nothing that may not be seen.
    let seen = |near: &Near| {
        let (document, _) = read_key(near.key);
        shared.state.live.contains(document) && ask.allowed.is_none_or(|allowed| allowed.contains(document))
    };
    let scored = near.into_iter().filter(|near| near.score.is_finite() && near.score > floor && seen(near));
    best(scored.map(|near| scored_of(near, code)).collect(), ask.depth)
}

fn scored_of(near: Near, code: LayerCode) -> Scored {
    let ((document, ordinal), (first, end)) = (read_key(near.key), read_pair(near.place));
    let derived = matches!(MADE[code], Layer::Derived(_)).then_some(ordinal);
    let anchor = if matches!(MADE[code], Layer::Window(_)) { ordinal } else { first };
    Scored { run: Run { document, first, end, anchor }, derived, score: near.score }
}

/// The best, in the order that the contract asks for.
pub fn best(mut scored: Vec<Scored>, depth: usize) -> Vec<Scored> {
    let place = |scored: &Scored| (scored.run.document, scored.run.anchor, scored.derived, scored.run);
    // One answer comes by score: only equal ones are to be put in order.
    if !scored.is_sorted_by(|a, b| a.score >= b.score) {
        scored.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    }
    for equal in scored.chunk_by_mut(|a, b| a.score.total_cmp(&b.score).is_eq()) {
        equal.sort_unstable_by_key(place);
    }
    scored.dedup_by(|next, kept| next.run == kept.run && next.derived == kept.derived);
    scored.truncate(depth);
    scored
}
