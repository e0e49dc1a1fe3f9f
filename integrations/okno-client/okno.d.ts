import type * as schemas from './schemas.js';

export type * from './schemas.js';

/** How to reach a server. */
export interface OknoOptions {
  /** `http://127.0.0.1:7765` when nothing is said. */
  url?: string | URL;
  /** The key, where the server wants one. */
  key?: string;
  /** The index, or several with commas between; the first of the server when nothing is said. */
  index?: string;
  /** The language of messages: `en` or `zh`. */
  language?: string;
  /** More headers, such as those that a proxy wants. */
  headers?: Record<string, string>;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch;
}

/** Every call can be called off. */
export interface Cancellable {
  signal?: AbortSignal;
}

/** How to search; see `QueryRequest`. */
export type SearchOptions = Omit<schemas.QueryRequest, 'question'> & Cancellable;
export type AskOptions = Omit<schemas.Replying, 'question' | 'stream'> & Cancellable;
export type CompareOptions = Omit<schemas.Comparing, 'question'> & Cancellable;

/** An answer in words, with citations. */
export interface WrittenAnswer {
  answer: string;
  /** Whether the documents say anything about it. */
  found: boolean;
  /** The language model that wrote it; `null` for sentences of the documents. */
  model: string | null;
  citations: Citation[];
  contexts: schemas.Context[];
  /** The question as it was asked, where turns before it made it whole. */
  asked_as?: AskedAs;
  [more: string]: unknown;
}

/** Where something cited stands, in code points. */
export interface Citation {
  /** The number in brackets in the answer. */
  number: number;
  doc_id: string;
  start: number;
  end: number;
  text: string;
  [more: string]: unknown;
}

export interface AskedAs {
  asked: string;
  [more: string]: unknown;
}

/** What comes while an answer is written. */
export type AskEvent =
  | { event: 'asked_as'; data: AskedAs }
  | { event: 'contexts'; data: schemas.Answer }
  | { event: 'text'; data: { text: string } }
  | { event: 'done'; data: WrittenAnswer };

/** A file for an upload that has no name of its own. */
export interface NamedBlob {
  name: string;
  blob: Blob;
}

/** What the server refused or could not do. */
export class OknoError extends Error {
  constructor(status: number, error?: Partial<schemas.ErrorInfo>, retryAfter?: number | null);
  /** The HTTP status; 0 if no server answered. */
  readonly status: number;
  /** Stable, such as `no_document`. */
  readonly code: string;
  /** What to do about it; may be empty. */
  readonly hint: string;
  /** Seconds to wait before trying again, if the server said so. */
  readonly retryAfter: number | null;
}

/** A client of a server. */
export class Okno {
  constructor(options?: OknoOptions | string);
  with(index: string): Okno;
  search(question: string, options?: SearchOptions): Promise<schemas.Answer>;
  ask(question: string, options?: AskOptions): Promise<WrittenAnswer>;
  askStream(question: string, options?: AskOptions): AsyncGenerator<AskEvent, void, void>;
  compare(question: string, options?: CompareOptions): Promise<schemas.Compared>;
  documents(
    options?: { filter?: string } & Cancellable,
  ): AsyncGenerator<schemas.Document, void, void>;
  document(name: string, options?: Cancellable): Promise<schemas.WholeDocument>;
  text(name: string, start: number, end: number, options?: Cancellable): Promise<string>;
  put(
    name: string,
    document: schemas.PutDocument,
    options?: Cancellable,
  ): Promise<schemas.PutReport>;
  remove(name: string, options?: Cancellable): Promise<schemas.Removed>;
  upload(
    files: File | NamedBlob | (File | NamedBlob)[],
    options?: { allow?: string | string[] } & Cancellable,
  ): Promise<schemas.Uploaded>;
  index(options?: schemas.Indexing & Cancellable): Promise<schemas.JobView>;
  evaluate(options: schemas.Evaluating & Cancellable): Promise<schemas.JobView>;
  jobs(options?: Cancellable): Promise<schemas.JobView[]>;
  job(id: string, options?: Cancellable): Promise<schemas.JobView>;
  cancel(id: string, options?: Cancellable): Promise<schemas.JobView>;
  watch(id: string, options?: Cancellable): AsyncGenerator<schemas.JobView, void, void>;
  wait(job: string | schemas.JobView, options?: Cancellable): Promise<schemas.JobView>;
  image(hash: string, options?: Cancellable): Promise<Blob>;
  feedback(verdict: schemas.Judging, options?: Cancellable): Promise<schemas.Recorded>;
  status(options?: Cancellable): Promise<schemas.Status>;
  fields(options?: Cancellable): Promise<schemas.FieldView[]>;
  recipes(options?: Cancellable): Promise<Record<string, unknown>>;
  models(options?: Cancellable): Promise<schemas.ModelsInUse>;
}

/** The server-sent events of a stream of bytes. */
export function eventsOf(
  bytes: ReadableStream<Uint8Array>,
): AsyncGenerator<{ event: string; data: string }, void, void>;
