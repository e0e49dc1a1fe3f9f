// Made by schemas.mjs from the description of the server; not edited by hand.

/** An answer with everything. */
export interface Answer {
  /** The contexts, best first; none overlap. */
  contexts: Context[];
  /** Documents that are damaged in the index, and were not searched: the files they were read from, or their numbers. */
  damaged?: string[];
  explain?: Explained | null;
  /** Whether the index holds nothing that has to do with the question; what came nearest is returned all the same. */
  nothing_relevant: boolean;
  /** The question. */
  question: string;
  /** The recipe as it was used. */
  recipe: Record<string, unknown>;
  /** The relevance of the first hit that is relevant, else of the best. */
  relevance: number;
  /** By which route it was answered, and why. */
  route: Record<string, unknown>;
  /** The query over rows that answers the question, with what it gave, where there is one. */
  rows?: Record<string, unknown> | null;
  /** What a language model did to help, step by step. */
  steps?: Record<string, unknown>[];
  /** Tokens of all contexts. */
  tokens: number;
  /** What the question was understood to say. */
  understood: Understood;
}

/** A recipe at a budget. */
export interface CellView {
  /** Tokens it could spend. */
  budget: number;
  /** Milliseconds a question took. */
  latency_ms: Record<string, unknown>;
  /** The recipe. */
  recipe: string;
  /** The means of all measures. */
  scores: Record<string, unknown>;
}

/** The same question to several recipes. */
export interface Compared {
  /** The filter that was read from the question. */
  filter_read?: string | null;
  /** The question. */
  question: string;
  /** What each recipe returned. */
  recipes: ComparedSide[];
}

/** A context and what of it no other recipe returned. */
export type ComparedContext = Context & {
  /** The texts that no other recipe returned. */
  only_here: string[];
  /** Where they are: first code point of the document's text and one past the last. */
  only_here_places: number[][];
};

/** What one recipe returned. */
export interface ComparedSide {
  /** Its contexts, best first. */
  contexts: ComparedContext[];
  gold?: GoldPlace | null;
  /** Whether nothing that has to do with the question was found. */
  nothing_relevant: boolean;
  /** The recipe's name. */
  recipe: string;
  /** The relevance of its most relevant context. */
  relevance: number;
  /** By which route it was answered, and why. */
  route: Record<string, unknown>;
  /** The recipe as it was used. */
  settings: Record<string, unknown>;
  /** What a language model did to help, step by step. */
  steps?: Record<string, unknown>[];
  /** Tokens of all its contexts. */
  tokens: number;
  /** What the question was understood to say. */
  understood: Understood;
}

/** A question to several recipes. */
export type Comparing = QueryRequest & {
  /** The expected answer; the result says which recipes return it, and in which sentence. */
  gold?: string | null;
  /** The recipes, two or more. */
  recipes?: string[];
};

/** A comparison with what it means in words. */
export type ComparisonView = Record<string, unknown> & {
  /** In Chinese. */
  chinese: string;
  /** In English. */
  english: string;
};

/** What a client sends; unknown fields are ignored, as other services do. */
export interface Completing {
  /** The same by its newer name. */
  max_completion_tokens?: number | null;
  /** Tokens of the answer, at most. */
  max_tokens?: number | null;
  /** The conversation so far. */
  messages: SentMessage[];
  /** `okno`, or `okno/INDEX` for one of several indexes; with `:MODEL` the language model of that name answers. */
  model?: string;
  /** Whether the answer comes as it is written. */
  stream?: boolean;
  /** 0 for the likeliest words. */
  temperature?: number | null;
}

/** A context with everything needed to cite and to explain it. */
export type Context = PlainContext & {
  /** Other documents with the very same text. */
  copies: string[];
  /** The headings above the text, outermost first. */
  headings: string[];
  /** What was found in it, best first. */
  hits: Hit[];
  /** The first and last line, from 1. */
  lines: number[];
  /** The document's metadata. */
  metadata: Record<string, unknown>;
  /** The file below it. */
  path: string;
  /** Which pieces of the question found what, where an explanation was asked for. */
  pieces?: PieceMatch[] | null;
  /** The indexed folder or file. */
  root: string;
  /** The document's title. */
  title: string;
  /** What it costs, in tokens. */
  tokens: number;
};

/** An error as Dify reads it. */
export interface DifyError {
  /** 1002: the key is missing or wrong. 2001: no such index. Anything else: the HTTP status. */
  error_code: number;
  /** What happened. */
  error_msg: string;
}

/** What Dify sends. */
export interface DifyQuestion {
  /** The name of an index, as `GET /api/v1/status` lists them. */
  knowledge_id: string;
  metadata_condition?: MetadataCondition | null;
  /** The question. */
  query: string;
  /** How much is returned. */
  retrieval_setting?: RetrievalSetting;
}

/** A document without its text. */
export interface Document {
  /** Bytes of text. */
  bytes: number;
  /** Its name. */
  doc_id: string;
  /** `zh`, `en` … */
  language?: string | null;
  /** Its metadata. */
  metadata: Record<string, unknown>;
  /** The file below the root. */
  path: string;
  /** The indexed folder or file. */
  root: string;
  /** How many sentences. */
  sentences: number;
  /** Its title, possibly empty. */
  title: string;
}

/** Documents of an index. */
export interface DocumentList {
  /** This page of them, in the order they were indexed. */
  documents: Document[];
  /** How many there are in all, of those that match. */
  total: number;
}

/** A page of a document. */
export interface DocumentPage {
  /** One past its last. */
  end: number;
  /** What is printed on it, or its number. */
  label: string;
  /** Which one, from 1. */
  page: number;
  /** Its first code point. */
  start: number;
}

/** An error as it is sent. */
export interface ErrorBody {
  /** What went wrong. */
  error: ErrorInfo;
}

/** What went wrong. */
export interface ErrorInfo {
  code: "ambiguous_name" | "bad_body" | "bad_document" | "bad_evaluation" | "bad_filter" | "bad_form" | "bad_hash" | "bad_json" | "bad_layer" | "bad_name" | "bad_option" | "bad_parameter" | "bad_path" | "bad_place" | "bad_question_set" | "bad_recipe" | "cannot_write" | "cross_origin" | "embedder_failed" | "file_changed" | "index_busy" | "index_read_only" | "index_replaced" | "internal" | "key_expired" | "model_busy" | "model_failed" | "name_taken" | "no_document" | "no_files" | "no_image" | "no_index" | "no_job" | "no_key" | "no_method" | "no_model" | "no_original" | "no_page" | "no_pictures" | "no_question" | "no_report" | "no_root" | "no_route" | "no_run" | "no_units" | "not_json" | "not_ready" | "overloaded" | "page_not_drawn" | "path_not_allowed" | "prompt_too_long" | "rate_limited" | "role_too_low" | "timeout" | "too_large" | "too_much" | "unknown_field" | "unreadable" | "upload_quota" | "wrong_host";
  /** What to do next, where that can be said. */
  hint?: string | null;
  /** For people: what happened. In Chinese where `Accept-Language` prefers that, else in English. */
  message: string;
}

/** What to measure. */
export interface Evaluating {
  /** Tokens of context; every recipe is asked once per budget. */
  budgets?: number[];
  /** Whether the report opens in Chinese. */
  chinese?: boolean;
  /** Instead of questions: make so many from the documents themselves. */
  make?: number | null;
  /**
   * Keep figures and report under this name. A run without a name gets one that begins with `unnamed-`; of those
   * only the last 20 are kept.
   */
  name?: string | null;
  /** The questions, each as a line of a question set: `question`, and `doc_id` with `answers` or `start` and `end`. */
  questions?: Record<string, unknown>[] | null;
  /** The recipes to measure; all that the index can answer with when left out. */
  recipes?: string[];
  /** The seed of the random numbers. */
  seed?: number;
}

/** What happened between question and contexts. */
export interface Explained {
  /** Documents that match the filter, where there is one. */
  documents_matching_filter?: number | null;
  /** Hits after fusing. */
  hits: number;
  /** Each ranking and how many units it found. */
  rankings: RankingSize[];
  rerank?: Reranking | null;
  /** Distinct targets after collapsing. */
  targets: number;
}

/** A condition on a field. */
export interface FieldCondition {
  /** `contains`, `is`, `≥`, `before` and so on. */
  comparison_operator: string;
  /** The field; a list of fields in older versions, of which one must match. */
  name: string;
  /** The value; none for `empty` and `not empty`. */
  value?: string | null;
}

/** The fields that filters may ask about. */
export interface FieldList {
  /** By name. */
  fields: FieldView[];
}

/** A field of an index. */
export interface FieldView {
  /** How many documents have it. */
  documents: number;
  /** `category`, `prose`, `number`, `date` or `truth`. */
  kind: string;
  /** Whether a document may have several values. */
  list: boolean;
  /** Its name. */
  name: string;
  /** The least and the greatest number. */
  range?: number[] | null;
  /** The distinct values of a category. */
  values: string[];
}

/** The figures of a run. */
export interface Figures {
  /** One per recipe and budget. */
  cells: CellView[];
  /** The best recipe against each of the others, at each budget. */
  comparisons: ComparisonView[];
  /** What makes two sets the same. */
  fingerprint: string;
  /** When it was made, in seconds since 1970. */
  made: number;
  /** What recipes are ordered by. */
  measure: string;
  /** Its name. */
  name: string;
  /** How many questions. */
  questions: number;
  /** Whether `/api/v1/reports/{name}` has its page. */
  report: boolean;
  /** The seed of the random numbers. */
  seed: number;
  /** The questions' name. */
  set: string;
}

/** What reads filters from a question. */
export type FilterBy = "rules" | "model";

/** Files to index. */
export interface Form {
  /** The files. */
  files: string[];
}

/** How one ranking found a unit. Units may reach beyond the context, so their places are not given here. */
export interface Found {
  /** The layer. */
  layer: string;
  /** Why the document was asked by itself, where it was: `name` or `link`. The rank is one inside of it then. */
  led?: string | null;
  /** The leg: `dense` or `lexical`. */
  leg: string;
  /** The place in the ranking, from 1, among distinct targets. */
  rank: number;
  /** The leg's own score. */
  score: number;
  /** What it added to the fused score. */
  share: number;
  /** What was searched, where that is not the document's own text. */
  text?: string | null;
}

/** Where the words that answer are. */
export interface GoldPlace {
  /** The document's name. */
  doc_id: string;
  /** One past the last. */
  end: number;
  /** The sentence they are in. */
  sentence: string;
  /** The first code point. */
  start: number;
}

/** What was found inside a context. */
export interface Hit {
  /** One past the last. */
  end: number;
  /** Where the second reading put it, where it was read. */
  rerank?: Record<string, unknown> | null;
  /** Its fused score. */
  score: number;
  /** The first code point of the document's text. */
  start: number;
  /** Which rankings found it, where an explanation was asked for. */
  trace?: Found[] | null;
}

/** An image that the index keeps. */
export interface Image {
  /** What it shows, as the author wrote it; possibly empty. */
  alt: string;
  /** Its caption; possibly empty. */
  caption: string;
  /** What its bytes are asked for by. */
  hash: string;
  /** `image/png` and the like. */
  media_type: string;
}

/** What an index holds and how it was made. */
export interface IndexStatus {
  /** The chunk layer chosen for it. */
  chunk?: string | null;
  /** Documents that are damaged and are not searched: the files they were read from, or their numbers. */
  damaged: string[];
  /** The length of its vectors. */
  dimensions: number;
  /** Bytes on disk, where they can be told, and all documents may be seen. */
  disk_bytes?: number | null;
  /** How many documents. */
  documents: number;
  /** The embedder it was made with. */
  embedder: string;
  /** Its folder. */
  folder: string;
  /** Grows with every commit. */
  generation: number;
  /** What requests call it. */
  name: string;
  /** The neighbours chosen for it. */
  neighbors?: number | null;
  /** The recipe of its searches. */
  recipe: string;
  /** The folders, files and URLs it follows. */
  roots: string[];
  /** How many sentences. */
  sentences: number;
  /** Uploads that ended the process that loaded them twice, and were set aside. */
  set_aside: string[];
  /** Bytes of text. */
  text_bytes: number;
  /** Derived units by layer. */
  units: Record<string, number>;
  /** Where uploads are kept. */
  uploads: string;
}

/** What to index. */
export interface Indexing {
  /**
   * Files and folders that the index follows already, or from folders the server was started to allow; without any,
   * all that the index follows, and its uploads.
   */
  paths?: string[];
}

/** One event of a job that is followed, for the description. */
export interface JobEvent {
  /** The whole job, as JSON. */
  data: JobView;
  /** Whether more will come. */
  event: JobEventName;
}

/** Whether more will come. */
export type JobEventName = "progress" | "end";

/** What a job does. */
export type JobKind = "index" | "eval";

/** Jobs, the newest first. */
export interface JobList {
  /** The jobs. */
  jobs: JobView[];
}

/** How far a job is. */
export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

/** A job as it is sent. */
export interface JobView {
  /** When it was asked for, in seconds since 1970. */
  created: number;
  /** What is being worked on. */
  current?: string | null;
  /** Steps done. */
  done: number;
  /** When it ended. */
  ended?: number | null;
  error?: ErrorInfo | null;
  /** Files to read, for indexing. */
  files: number;
  /** Its name. */
  id: string;
  /** The index it works on. */
  index: string;
  /** What it does. */
  kind: JobKind;
  /** What it did, once it is done: the report of indexing, or the figures of a run. */
  result?: Record<string, unknown> | null;
  /** How far it is. */
  state: JobState;
  /** Steps in all: bytes to read, or questions to ask, of every recipe at every budget; 0 while that is unknown. */
  total: number;
}

/** A verdict about a range of a document. */
export interface Judging {
  /** The document's name. */
  doc_id: string;
  /** One past the last. */
  end: number;
  /** The question. */
  question: string;
  /** The first code point of the context. */
  start: number;
  /** `useful` or `not-useful`. */
  verdict: string;
}

/** Where a span of text is on a page. */
export interface MarkedPage {
  /** Whether all letters of the span that are on this page are inside of the boxes. */
  complete: boolean;
  /** A box for each line of the span. */
  marks: PageMark[];
  /** Which page, from 1. */
  page: number;
}

/** Conditions on metadata. */
export interface MetadataCondition {
  /** The conditions. */
  conditions?: FieldCondition[];
  /** `and` or `or`; `and` when there is none. */
  logical_operator?: string | null;
}

/** A model in a list. */
export interface ModelChoice {
  /** Provider and model. */
  model: string;
  /** Its name in requests. */
  name: string;
}

/** The models in use. */
export interface ModelsInUse {
  /** The length of its vectors. */
  dimensions: number;
  /** The embedder of the index. */
  embedder: string;
  /** The language model that writes answers; without one, answers are sentences of the documents. */
  generator?: string | null;
  /** The language models that a question may be asked of, by the name to ask for. */
  generators: ModelChoice[];
}

/** The pages of a document. */
export interface PageList {
  /** The document's name. */
  doc_id: string;
  /** The pages, in order; none where the format has no pages. */
  pages: DocumentPage[];
  /** Whether pictures of them can be asked for. */
  pictures: boolean;
  /** Its title, possibly empty. */
  title: string;
}

/** A rectangle on a page, in shares of the page's width and height, from its upper left corner. */
export interface PageMark {
  /** The height. */
  height: number;
  /** The left edge, 0 to 1. */
  left: number;
  /** The upper edge, 0 to 1. */
  top: number;
  /** The width. */
  width: number;
}

/** A piece of the question and what is most like it. */
export interface PieceMatch {
  /** The piece of the question: a word, a part of one, or a few Chinese characters. */
  asked: string;
  /** The piece of the context, its headings or its title that is most like it. */
  found: string;
  /** The cosine of their vectors. */
  likeness: number;
}

/** An image at its place. */
export type PlacedImage = Image & {
  /** One past the last. */
  end: number;
  /** The first code point of its place. */
  start: number;
};

/** A context with what every program needs. */
export interface PlainContext {
  /** The document's name. */
  doc_id: string;
  /** One past the last. */
  end: number;
  /** The images inside it. */
  images?: Image[];
  /** The first page, from 1, for documents that have pages. */
  page?: number | null;
  /** The last page. */
  page_end?: number | null;
  /** What is printed on the first and last page, where that is not their numbers. */
  page_labels?: string[] | null;
  /** How likely it has to do with the question, from 0 to 1; comparable everywhere. */
  relevance: number;
  /** Its worth; comparable within one answer. */
  score: number;
  /** The first code point of the document's text. */
  start: number;
  /** Exactly that text. */
  text: string;
}

/** A document that is not a file. */
export interface PutDocument {
  /** `zh`, `en` …; detected when there is none. */
  language?: string | null;
  /** Its metadata: texts, numbers, truth values, dates, and lists of them. */
  metadata?: Record<string, unknown>;
  /** Its text, read as Markdown. */
  text: string;
  /** Its title; the first heading when there is none. */
  title?: string | null;
}

/** What putting a document did. */
export interface PutReport {
  /** Whether there was none of this name before. */
  added: boolean;
  /** Whether it is another than before. */
  changed: boolean;
  /** The document's name. */
  doc_id: string;
}

/** A question and how to answer it. What is left out is the recipe's to say. */
export interface QueryRequest {
  /** Whether filters are read from the question. */
  auto_filter?: boolean | null;
  /** How much context, at most. */
  budget?: number | null;
  /** How much a hit loses that says what a better one says, from 0 to 1. */
  diversity?: number | null;
  /** How hits grow: `none`, `window:N`, `neighbors:N`, `parent`, `section`, `document`, `auto`. */
  expand?: string | null;
  /** Say how each result was found. */
  explain?: boolean;
  /** Only documents that match: text (`category = 素菜 and year >= 2023`) or JSON. */
  filter?: Record<string, unknown> | null;
  filter_by?: FilterBy | null;
  /** How many distinct hits are expanded. */
  k?: number | null;
  /** Find by words only, by meaning only, or by both. */
  legs?: string[] | null;
  /** Return only contexts at least this relevant, from 0 to 1. */
  min_relevance?: number | null;
  /** Return each chunk with this many on each side. */
  neighbors?: number | null;
  /** The order of contexts: `score`, `document` or `ends`. */
  order?: string | null;
  /** Let the language model drop hits that have nothing to do with the question, before they grow. */
  post_filter?: boolean;
  /** The question. */
  question: string;
  /** The recipe's name. */
  recipe?: string | null;
  /** How to look: `auto` (by rule), `hybrid`, `lexical`, `dense` or `broad`; `model` lets the language model choose. */
  route?: string | null;
  /**
   * What the language model does for the question, in place of what the recipe says: `rewrite`, `decompose`,
   * `step-back`, `multi-query`, `hyde`, `sql` (a query over rows); `none` for nothing. Without a model the search
   * goes on without, and `steps` says so.
   */
  transform?: string[] | null;
  /** What the budget counts: `tokens` or `characters`. */
  unit?: string | null;
  /** Return each hit with this many sentences on each side. */
  window?: number | null;
}

/** A ranking and how many units it found. */
export interface RankingSize {
  /** How many units. */
  found: number;
  /** The layer. */
  layer: string;
  /** The leg. */
  leg: string;
}

/** Words of a question read as a filter. */
export interface Reading {
  /** One past their last. */
  end: number;
  /** The filter they say. */
  filter?: string | null;
  /** Their first code point in the question. */
  start: number;
  /** Why it was applied, offered or refused. */
  why: string;
  /** The words. */
  words: string;
}

/** How many verdicts were recorded. */
export interface Recorded {
  /** How many. */
  recorded: number;
}

/** What was removed. */
export interface Removed {
  /** How many documents. */
  removed: number;
}

/** A question to be answered in words. */
export type Replying = QueryRequest & {
  /**
   * The conversation before the question: `user` and `assistant` by turns. A question that points back ("and how
   * long?") is made whole with it – by the language model where there is one, else by rule.
   */
  messages?: SentMessage[];
  /** Which language model answers, one of those that `GET /api/v1/models` lists; the usual one where none is named. */
  model?: string | null;
  /** Whether the answer comes as it is written. */
  stream?: boolean;
};

/** What the second reading did. */
export interface Reranking {
  /** What its score weighs beside the fused one. */
  blend: number;
  /** By whom: a reranker, or `built-in`. */
  by: string;
  /** How many were to be read. */
  depth: number;
  /** How many hits were read. */
  read: number;
  /** Whether it found them all alike – a language model whose answer holds no order –, so that none moved. */
  undecided: boolean;
}

/** How much is returned. */
export interface RetrievalSetting {
  /** The least relevance, from 0 to 1. */
  score_threshold?: number | null;
  /** Records, at most. */
  top_k?: number | null;
}

/** A context. */
export interface RetrievedRecord {
  /** Its text. */
  content: string;
  /** The document's metadata, and the place of the text: `doc_id`, `start`, `end`, `lines`, `page`, `headings`. */
  metadata: Record<string, unknown>;
  /** Its relevance, from 0 to 1. */
  score: number;
  /** The document's title, or its name where it has none. */
  title: string;
}

/** What is sent back. */
export interface RetrievedRecords {
  /** The contexts, best first. */
  records: RetrievedRecord[];
}

/** Runs that were kept. */
export interface RunList {
  /** By name. */
  runs: Figures[];
}

/** A section of a document. */
export interface Section {
  /** Its first sentence. */
  first: number;
  /** The headings above it, outermost first. */
  headings: string[];
}

/** A server-sent event, for the description. */
export interface SentEvent {
  /** What is told, as JSON. */
  data: string;
  /** What happened. */
  event: string;
}

/** A message of a conversation. */
export interface SentMessage {
  /** Text, or a list of parts with `text`. */
  content?: string | null;
  /** `user`, `assistant` or `system`. */
  role: string;
}

/** A word of a question, and the word it was taken for. */
export interface SpelledWord {
  /** As it was read. */
  read: string;
  /** As it was written. */
  written: string;
}

/** What the server has. */
export interface Status {
  /** The indexes; the first answers where none is named. */
  indexes: IndexStatus[];
  /** The version of the program. */
  version: string;
}

/** A part of a document's text. */
export interface TextPart {
  /** How many code points the whole text has. */
  characters: number;
  /** The document's name. */
  doc_id: string;
  /** One past the last. */
  end: number;
  /** The first code point. */
  start: number;
  /** The text. */
  text: string;
}

/** What a question was understood to say. */
export interface Understood {
  /** What the question names and nothing that was found has, where that tells that nothing is relevant. */
  absent: string[];
  /** What was applied. */
  applied: Reading[];
  /** The filter that was read from the question. */
  filter?: string | null;
  /**
   * What the answer should look like, where the question says so: `definition`, `steps`, `list`, or the figure asked
   * for, such as `duration`.
   */
  form?: string | null;
  /** What might have been meant. */
  offered: Reading[];
  /** The parts of the question that were searched for by themselves as well. */
  parts: string[];
  /** What was not taken, and why. */
  refused: Reading[];
  /** The words that were taken for others, because no document has them as they were written. */
  spelled: SpelledWord[];
  /** What is left to search for. */
  text: string;
  /** Names that no document has in any spelling. */
  unknown: string[];
  /** Whether the filter found nothing and was withdrawn. */
  withdrawn: boolean;
}

/** What was saved. */
export interface Uploaded {
  /** The names the files have now. */
  files: string[];
  /** The job that indexes them. */
  job: JobView;
}

/** All verdicts. */
export interface Verdicts {
  /** Oldest first. */
  verdicts: Record<string, unknown>[];
}

/** A document with its text and structure. */
export type WholeDocument = Document & {
  /** The images, in order. */
  images: PlacedImage[];
  /** The first sentence of each paragraph. */
  paragraphs: number[];
  /** The sections, in order. */
  sections: Section[];
  /** Where its sentences are: first code point and one past the last. */
  sentence_spans: number[][];
  /** Its text, or the part of it that was asked for. */
  text: string;
};
