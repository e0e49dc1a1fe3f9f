/**
 * A client for an Okno server: one class, no dependencies, for browsers and Node.
 *
 * Every method gives what the server answers, unchanged; `schemas.d.ts` describes it. Errors are `OknoError`.
 */

/** What the server refused or could not do. `code` is stable, `message` and `hint` are for people. */
export class OknoError extends Error {
  constructor(status, { code = '', message = '', hint = '' } = {}, retryAfter = null) {
    super(message || `HTTP ${status}`);
    this.name = 'OknoError';
    /** The HTTP status; 0 if no server answered. */
    this.status = status;
    this.code = code;
    this.hint = hint;
    /** Seconds to wait before trying again, if the server said so. */
    this.retryAfter = retryAfter;
  }
}

/** How many documents are asked for at once. */
const PAGE = 200;

export class Okno {
  #options;

  constructor(options = {}) {
    const given = typeof options === 'string' ? { url: options } : options;
    this.#options = {
      url: 'http://127.0.0.1:7765',
      fetch: globalThis.fetch.bind(globalThis),
      ...given,
    };
    this.#options.url = String(this.#options.url).replace(/\/+$/, '');
  }

  /** The same server, another index of it; several with commas between. */
  with(index) {
    return new Okno({ ...this.#options, index });
  }

  /** Finds the contexts that answer a question. */
  search(question, { signal, ...options } = {}) {
    return this.#json('search', { body: { question, ...options }, signal });
  }

  /** Answers a question in words, with citations. */
  ask(question, { signal, ...options } = {}) {
    return this.#json('ask', { body: { question, ...options, stream: false }, signal });
  }

  /** The same as it is written: `{event, data}` for `asked_as`, `contexts`, `text` and `done`. */
  askStream(question, { signal, ...options } = {}) {
    return this.#events('ask', { body: { question, ...options, stream: true }, signal });
  }

  /** What several recipes find for a question, side by side. */
  compare(question, { signal, ...options } = {}) {
    return this.#json('compare', { body: { question, ...options }, signal });
  }

  /** Every document, asked for page by page as the loop goes on. */
  async *documents({ filter, signal } = {}) {
    for (let offset = 0; ; offset += PAGE) {
      const { documents } = await this.#json('documents', {
        query: { filter, offset, limit: PAGE },
        signal,
      });
      yield* documents;
      if (documents.length < PAGE) return;
    }
  }

  /** A document with its whole text and structure. */
  document(name, { signal } = {}) {
    return this.#json(`documents/${part(name)}`, { signal });
  }

  /** A part of a document's text, in code points. */
  async text(name, start, end, { signal } = {}) {
    return (await this.#json(`documents/${part(name)}/text`, { query: { start, end }, signal }))
      .text;
  }

  /** Adds a document that is not a file, or replaces it; it can be found when this returns. */
  put(name, document, { signal } = {}) {
    return this.#json(`documents/${part(name)}`, { method: 'PUT', body: document, signal });
  }

  /** Takes a document out of the index. */
  remove(name, { signal } = {}) {
    return this.#json(`documents/${part(name)}`, { method: 'DELETE', signal });
  }

  /** Uploads files (`File`, or a `Blob` with its name); `wait` for the job to find them. */
  upload(files, { allow, signal } = {}) {
    const form = new FormData();
    for (const file of [files].flat()) {
      const [blob, name] = file instanceof Blob ? [file, file.name] : [file.blob, file.name];
      form.append('files', blob, name);
    }
    return this.#json('documents', {
      body: form,
      query: { allow: allow && [allow].flat().join(',') },
      signal,
    });
  }

  /** Reads changed files again: a job. */
  index({ signal, ...options } = {}) {
    return this.#json('jobs/index', { body: options, signal });
  }

  /** Measures recipes on questions: a job. */
  evaluate({ signal, ...options } = {}) {
    return this.#json('eval', { body: options, signal });
  }

  async jobs({ signal } = {}) {
    return (await this.#json('jobs', { signal })).jobs;
  }

  job(id, { signal } = {}) {
    return this.#json(`jobs/${part(id)}`, { signal });
  }

  /** Stops a job at its next commit or question. */
  cancel(id, { signal } = {}) {
    return this.#json(`jobs/${part(id)}`, { method: 'DELETE', signal });
  }

  /** A job each time it changes, until it ends. */
  async *watch(id, { signal } = {}) {
    for await (const { data } of this.#events(`jobs/${part(id)}/events`, { signal })) yield data;
  }

  /** Waits until a job has ended, and gives it; throws what it failed with. */
  async wait(job, { signal } = {}) {
    let last = typeof job === 'object' ? job : await this.job(job, { signal });
    for await (const now of this.watch(last.id, { signal })) last = now;
    if (last.state === 'failed') throw new OknoError(500, last.error ?? {});
    return last;
  }

  /** The bytes of an image that a context names. */
  async image(hash, { signal } = {}) {
    return (await this.#send(`images/${part(hash)}`, { signal, accept: 'image/*' })).blob();
  }

  /** Says whether a range of a document was `useful` or `not-useful` for a question. */
  feedback(verdict, { signal } = {}) {
    return this.#json('feedback', { body: verdict, signal });
  }

  status({ signal } = {}) {
    return this.#json('status', { signal });
  }

  /** The fields that filters can use. */
  async fields({ signal } = {}) {
    return (await this.#json('fields', { signal })).fields;
  }

  recipes({ signal } = {}) {
    return this.#json('recipes', { signal });
  }

  models({ signal } = {}) {
    return this.#json('models', { signal });
  }

  async #json(path, options) {
    const response = await this.#send(path, options);
    return response.status === 204 ? null : response.json();
  }

  async #send(path, { method, body, query, signal, accept = 'application/json' } = {}) {
    const { url, key, index, language, fetch, headers: own } = this.#options;
    const isForm = body instanceof FormData;
    const headers = { Accept: accept, ...own };
    if (language) headers['Accept-Language'] = language;
    if (key) headers.Authorization = `Bearer ${key}`;
    if (body && !isForm) headers['Content-Type'] = 'application/json';
    const response = await fetch(`${url}/api/v1/${path}${asked({ index, ...query })}`, {
      method: method ?? (body ? 'POST' : 'GET'),
      headers,
      body: isForm ? body : body && JSON.stringify(body),
      signal,
    }).catch((fault) => {
      if (signal?.aborted) throw fault;
      throw new OknoError(0, {
        code: 'unreachable',
        message: `${url} does not answer: ${reason(fault)}`,
      });
    });
    if (response.ok) return response;
    const { error } = await response.json().catch(() => ({}));
    const wait = response.headers.get('Retry-After');
    throw new OknoError(response.status, error, wait === null ? null : Number(wait));
  }

  async *#events(path, options) {
    const response = await this.#send(path, { ...options, accept: 'text/event-stream' });
    for await (const { event, data } of eventsOf(response.body)) {
      const told = JSON.parse(data);
      if (event === 'error') throw new OknoError(500, told.error ?? told);
      yield { event, data: told };
    }
  }
}

/** The server-sent events of a stream of bytes, however they are cut. */
export async function* eventsOf(bytes) {
  const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += value ?? '';
      // A pair of \r and \n may be cut in two: what ends with \r waits for more.
      const whole = done || !rest.endsWith('\r') ? rest : rest.slice(0, -1);
      const parts = whole.replace(/\r\n?/g, '\n').split('\n\n');
      rest = done ? '' : parts.pop() + rest.slice(whole.length);
      for (const one of parts) {
        const told = eventOf(one);
        if (told) yield told;
      }
      if (done) return;
    }
  } finally {
    // Whoever stops listening ends the request.
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block) {
  let event = 'message';
  const data = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length ? { event, data: data.join('\n') } : null;
}

function asked(query) {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return given.length ? `?${new URLSearchParams(given)}` : '';
}

const part = (name) => encodeURIComponent(name);
const reason = (fault) => fault.cause?.code ?? fault.message;
