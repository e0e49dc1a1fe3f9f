//! The network: an ONNX file with the inputs of BERT and its kin, run by rten.

use super::tokens::Tokens;
use crate::registry::WEIGHTS;
use crate::shelf::Model;
use crate::{Error, NetworkFailure, Result, WeightsFlaw};
use rten::{ModelOptions, NodeId, RunOptions, Value, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The kinds of inputs that can be fed.
#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
}

/// The outputs, by the text they belong to.
type Outputs = Vec<(usize, Output)>;

/// The output for one text: rows of equal length, one per token, or a single one.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The rows, one after the other.
    pub values: Vec<f32>,
    /// The length of a row.
    pub width: usize,
}

/// A network, ready to run on all cores.
pub struct TransformerNetwork {
    name: String,
    model: rten::Model,
    inputs: Vec<(Input, NodeId)>,
    output: NodeId,
    /// One pool of one thread for each core: batches run side by side, because little of a network of this size can be
    /// shared out.
    lanes: Vec<Arc<rten::ThreadPool>>,
}

impl TransformerNetwork {
    /// Opens the weights of a model. `outputs` are the names its result may have; the first output when it has none of
    /// them.
    pub fn open(model: &Model, outputs: &[&str]) -> Result<Self> {
        let path = model.file(WEIGHTS);
        let unusable = |flaw| Error::Weights { path: path.clone(), flaw };
        if !path.exists() {
            return Err(unusable(WeightsFlaw::FileMissing));
        }
        let mut options = ModelOptions::with_all_ops();
        // Costs the memory of the weights once more while loading; saves packing them for every batch.
        options.prepack_weights(true);
        let loaded =
            options.load_file(&path).map_err(|error| unusable(WeightsFlaw::Unloadable { cause: error.to_string() }))?;
        let inputs = inputs(&loaded).map_err(unusable)?;
        let output = outputs.iter().find_map(|name| loaded.find_node(name)).or(loaded.output_ids().first().copied());
        let output = output.ok_or_else(|| unusable(WeightsFlaw::NoOutput))?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let lanes = (0..cores).map(|_| Arc::new(rten::ThreadPool::with_num_threads(1))).collect();
        Ok(Self { name: model.card.name.clone(), model: loaded, inputs, output, lanes })
    }

    /// Runs batches of texts, each of texts of one length, on all cores; one output for each text, in the order of
    /// `texts`.
    pub fn run(
        &self,
        texts: &[Tokens],
        batches: &[Vec<usize>],
        stop: Option<&AtomicBool>,
    ) -> Result<Vec<Option<Output>>> {
        let mut outputs: Vec<Option<Output>> = vec![None; texts.len()];
        let next = AtomicUsize::new(0);
        let lane = |options: &RunOptions| -> Result<Vec<(usize, Output)>> {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                    return Err(Error::Stopped);
                }
                done.extend(batch.iter().copied().zip(self.run_batch(texts, batch, options)?));
            }
            Ok(done)
        };
        for (text, output) in self.on_lanes(batches.len(), &lane)? {
            outputs[text] = Some(output);
        }
        Ok(outputs)
    }

    /// Does work on as many cores as there are batches; a single batch uses all of them. Always on other threads: a
    /// worker of rayon that asks would take up other work while it waits for a pool, and joining takes up nothing.
    fn on_lanes(&self, batches: usize, work: &(dyn Fn(&RunOptions) -> Result<Outputs> + Sync)) -> Result<Outputs> {
        let pools: Vec<Option<Arc<rten::ThreadPool>>> =
            if batches <= 1 { vec![None] } else { self.lanes.iter().take(batches).cloned().map(Some).collect() };
        std::thread::scope(|scope| {
            let pools = pools.into_iter();
            let running: Vec<_> =
                pools.map(|pool| scope.spawn(|| work(&RunOptions::default().with_thread_pool(pool)))).collect();
            let mut all = Vec::new();
            for lane in running {
                let panicked = |_| self.failed(NetworkFailure::Panicked);
                all.extend(lane.join().map_err(panicked)??);
            }
            Ok(all)
        })
    }

    fn failed(&self, failure: NetworkFailure) -> Error {
        Error::Network { name: self.name.clone(), failure }
    }

    fn run_batch(&self, texts: &[Tokens], batch: &[usize], options: &RunOptions) -> Result<Vec<Output>> {
        let shape = [batch.len(), texts[batch[0]].len()];
        let gathered = |of: &dyn Fn(&Tokens) -> Vec<i32>| {
            let values: Vec<i32> = batch.iter().flat_map(|&text| of(&texts[text])).collect();
            NdTensor::from_data(shape, values)
        };
        let signed = |values: &[u32]| values.iter().map(|&value| value.cast_signed()).collect();
        let feed = |&(input, node): &(Input, NodeId)| -> (NodeId, ValueOrView<'static>) {
            let tensor = match input {
                Input::Ids => gathered(&|tokens| signed(&tokens.ids)),
                Input::Types => gathered(&|tokens| signed(&tokens.types)),
                Input::Mask => gathered(&|tokens| vec![1; tokens.len()]),
            };
            (node, tensor.into())
        };
        let inputs = self.inputs.iter().map(feed).collect();
        let outputs = self.model.run(inputs, &[self.output], Some(options.clone()));
        let output = outputs.map_err(|error| self.failed(NetworkFailure::Run { cause: error.to_string() }))?.pop();
        let Some(Value::FloatTensor(tensor)) = output else { return Err(self.failed(NetworkFailure::NotFloat)) };
        let width = match tensor.shape().split_last() {
            Some((&width, rows)) if width > 0 && rows.first() == Some(&batch.len()) => width,
            _ => {
                let shape = format!("{:?} for {shape:?} tokens", tensor.shape());
                return Err(self.failed(NetworkFailure::Shape { shape }));
            }
        };
        let values = tensor.to_vec();
        Ok(values.chunks_exact(values.len() / batch.len()).map(|own| Output { values: own.to_vec(), width }).collect())
    }
}

/// The network's inputs, by their usual names.
fn inputs(model: &rten::Model) -> Result<Vec<(Input, NodeId)>, WeightsFlaw> {
    let input = |&id: &NodeId| {
        let info = model.node_info(id);
        match info.as_ref().and_then(rten::NodeInfo::name).unwrap_or_default() {
            "input_ids" => Ok((Input::Ids, id)),
            "attention_mask" => Ok((Input::Mask, id)),
            "token_type_ids" => Ok((Input::Types, id)),
            other => Err(WeightsFlaw::UnknownInput { name: other.to_owned() }),
        }
    };
    model.input_ids().iter().map(input).collect()
}

/// Whether a network chooses its int8 scales while it runs: the operator that does is named in the file.
pub fn is_dynamic(weights: &std::path::Path) -> Result<bool> {
    const OPERATOR: &[u8] = b"DynamicQuantizeLinear";
    let bytes = fs_err::read(weights)?;
    // The first byte is compared first, because files have hundreds of megabytes.
    let found = bytes.iter().enumerate().any(|(at, &byte)| byte == OPERATOR[0] && bytes[at..].starts_with(OPERATOR));
    Ok(found)
}
