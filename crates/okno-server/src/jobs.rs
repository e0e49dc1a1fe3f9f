//! Jobs: work that takes longer than a request – indexing, evaluating – with progress that can be followed, and a way
//! to stop.
//!
//! A job's state is one value that only its own work changes; a follower sees the latest, however slowly it reads. A
//! job that writes waits until no other job writes to its index.

use crate::error::{ApiError, ErrorInfo};
use crate::problem::Problem;
use crate::requester::Requester;
use okno::Progress;
use okno_document::message::Lang;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use utoipa::ToSchema;

/// Jobs that have ended are kept until there are more than this.
const KEPT: usize = 100;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobKind {
    /// Brings an index up to date.
    Index,
    /// Measures recipes.
    Eval,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Waits for its turn.
    Queued,
    /// At work.
    Running,
    /// Ended well.
    Done,
    /// Ended with an error.
    Failed,
    /// Was stopped; what was committed stays, and half an evaluation is not kept.
    Cancelled,
}

impl JobState {
    /// Whether nothing more will happen.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// A job as it is sent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct JobView {
    /// Its name.
    pub id: String,
    /// What it does.
    pub kind: JobKind,
    /// The index it works on.
    pub index: String,
    /// How far it is.
    pub state: JobState,
    /// Steps in all: bytes to read, or questions to ask, of every recipe at every budget; 0 while that is unknown.
    pub total: u64,
    /// Steps done.
    pub done: u64,
    /// Files to read, for indexing.
    pub files: usize,
    /// What is being worked on.
    pub current: Option<String>,
    /// When it was asked for, in seconds since 1970.
    pub created: u64,
    /// When it ended.
    pub ended: Option<u64>,
    /// What it did, once it is done: the report of indexing, or the figures of a run.
    #[schema(value_type = Option<Object>)]
    pub result: Option<serde_json::Value>,
    /// Why it failed.
    pub error: Option<ErrorInfo>,
}

impl JobView {
    /// The job as far as it is about these files.
    pub fn about(mut self, files: &[String]) -> Self {
        self.current = None;
        if let Some(skipped) = self.result.as_mut().and_then(|result| result["skipped"].as_array_mut()) {
            let own = |place: &str| place.split('/').any(|part| files.iter().any(|file| file == part));
            skipped.retain(|skipped| skipped["place"].as_str().is_some_and(own));
        }
        self
    }
}

/// Who began a job, and with which files.
#[derive(Debug, Clone)]
pub struct JobOrigin {
    /// Who began it.
    pub requester: Requester,
    /// The files that were uploaded with the request.
    pub files: Vec<String>,
    /// The language of the request, for the job's error.
    pub lang: Lang,
}

/// One job.
#[derive(Debug)]
pub struct Job {
    view: watch::Sender<JobView>,
    stop: AtomicBool,
    /// Who began it.
    pub origin: JobOrigin,
}

impl Job {
    /// As it is now.
    pub fn view(&self) -> JobView {
        self.view.borrow().clone()
    }

    /// Its changes from now on.
    pub fn follow(&self) -> watch::Receiver<JobView> {
        self.view.subscribe()
    }

    /// Asks it to stop after the next commit.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Its turn has come.
    pub fn start(&self) {
        self.view.send_modify(|view| view.state = JobState::Running);
    }

    /// Tells how many steps of how many are done.
    pub fn step(&self, done: u64, total: u64) {
        self.view.send_modify(|view| (view.done, view.total) = (done, total));
    }

    /// Ends it.
    pub fn end(&self, result: Result<serde_json::Value, ApiError>) {
        let stopped = self.stop();
        self.view.send_modify(|view| {
            view.ended = Some(now());
            view.current = None;
            (view.state, view.result, view.error) = match result {
                Ok(result) if stopped && result["stopped"] == true => (JobState::Cancelled, Some(result), None),
                Ok(result) => (JobState::Done, Some(result), None),
                Err(error) => (JobState::Failed, None, Some(error.info(self.origin.lang))),
            };
        });
    }
}

impl Progress for Job {
    fn begin(&self, files: usize, bytes: u64) {
        self.view.send_modify(|view| (view.files, view.total) = (files, bytes));
    }

    fn advance(&self, path: &str, bytes: u64) {
        self.view.send_modify(|view| {
            view.done += bytes;
            if view.current.as_deref() != Some(path) {
                view.current = Some(path.to_owned());
            }
        });
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// All jobs of a server.
#[derive(Debug, Default)]
pub struct Jobs {
    table: Mutex<JobTable>,
}

#[derive(Debug, Default)]
struct JobTable {
    next: u64,
    jobs: BTreeMap<u64, Arc<Job>>,
}

impl Jobs {
    /// Begins a job, queued.
    pub fn add(&self, kind: JobKind, index: &str, origin: JobOrigin) -> Arc<Job> {
        let mut table = self.lock();
        table.next += 1;
        let number = table.next;
        let view = JobView {
            id: number.to_string(),
            kind,
            index: index.to_owned(),
            state: JobState::Queued,
            total: 0,
            done: 0,
            files: 0,
            current: None,
            created: now(),
            ended: None,
            result: None,
            error: None,
        };
        let job = Arc::new(Job { view: watch::Sender::new(view), stop: AtomicBool::new(false), origin });
        table.jobs.insert(number, Arc::clone(&job));
        table.forget_old();
        job
    }

    /// A job by its name.
    pub fn get(&self, id: &str) -> Result<Arc<Job>, ApiError> {
        let job = id.parse().ok().and_then(|number: u64| self.lock().jobs.get(&number).cloned());
        job.ok_or_else(|| Problem::NoJob { id: id.escape_debug().to_string() }.into())
    }

    /// All jobs, the newest first.
    pub fn all(&self) -> Vec<Arc<Job>> {
        self.lock().jobs.values().rev().cloned().collect()
    }

    /// How many are queued or running.
    pub fn running(&self) -> usize {
        self.lock().jobs.values().filter(|job| !job.view.borrow().state.is_over()).count()
    }

    /// Asks all to stop, and waits until those that write have: what they wrote is committed then.
    pub async fn finish(&self) {
        let jobs: Vec<Arc<Job>> = self.lock().jobs.values().cloned().collect();
        for job in &jobs {
            job.cancel();
        }
        for job in jobs.into_iter().filter(|job| job.view.borrow().kind == JobKind::Index) {
            // The sender lives in the job, so waiting cannot fail.
            let _ = job.follow().wait_for(|view| view.state.is_over()).await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, JobTable> {
        // The table is whole even after a panic: each change is one insertion or removal.
        self.table.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl JobTable {
    fn forget_old(&mut self) {
        while self.jobs.len() > KEPT {
            let over = self.jobs.iter().find(|(_, job)| job.view.borrow().state.is_over()).map(|(number, _)| *number);
            let Some(number) = over else { return };
            self.jobs.remove(&number);
        }
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> JobOrigin {
        JobOrigin { requester: Requester::owner(), files: vec!["own.md".to_owned()], lang: Lang::En }
    }

    #[test]
    fn others_files_are_left_out() {
        let job = Jobs::default().add(JobKind::Index, "home", origin());
        job.advance("uploads/others.md", 1);
        let skipped =
            ["uploads/own.md", "own.md", "uploads/others.md"].map(|place| serde_json::json!({"place": place}));
        job.end(Ok(serde_json::json!({"skipped": skipped})));
        let about = job.view().about(&job.origin.files);
        assert_eq!(about.result.unwrap()["skipped"].as_array().unwrap().len(), 2);
        assert_eq!(about.current, None);
    }

    #[test]
    fn a_job_says_how_it_ended_and_old_ones_are_forgotten() {
        let jobs = Jobs::default();
        let job = jobs.add(JobKind::Index, "home", origin());
        assert_eq!((job.view().state, jobs.running()), (JobState::Queued, 1));
        job.start();
        job.begin(2, 100);
        job.advance("a.md", 60);
        assert_eq!((job.view().done, job.view().current.as_deref()), (60, Some("a.md")));
        job.cancel();
        job.end(Ok(serde_json::json!({"stopped": true})));
        assert_eq!((job.view().state, jobs.running()), (JobState::Cancelled, 0));
        for _ in 0..KEPT {
            jobs.add(JobKind::Eval, "home", origin()).end(Err(Problem::WorkFailed.into()));
        }
        assert!(jobs.get("1").is_err() && jobs.get("2").is_ok());
        assert_eq!(jobs.all().len(), KEPT);
    }

    #[test]
    fn stopping_what_is_done_leaves_it_done() {
        let job = Jobs::default().add(JobKind::Index, "home", origin());
        job.cancel();
        job.end(Ok(serde_json::json!({"stopped": false})));
        assert_eq!(job.view().state, JobState::Done);
    }
}
