/**
 * Talking to the server: one call for JSON, one for streams of events.
 *
 * The key, where the server wants one, is asked for once and kept for this tab only. Every error becomes a `Problem`
 * with the server's code, message and hint, in the page's language.
 */

import { state } from './state.js';
import { spoken } from './words.js';

/** An error, as the server reports it. */
export class Problem extends Error {
  constructor(status, error = {}) {
    super(error.message || `HTTP ${status}`);
    this.status = status;
    this.code = error.code || '';
    this.hint = error.hint || '';
  }
}

const KEY = 'okno.key';
let askForKey = async () => null;

/** Tells how a key is asked for; the function gives null when the person would rather not. */
export function onKeyNeeded(ask) {
  let asking = null;
  askForKey = () => (asking ??= ask().finally(() => (asking = null)));
}

/** The key of this tab, or nothing. */
export const key = () => sessionStorage.getItem(KEY) ?? '';

/** Asks for JSON. `query` goes into the address, `body` is sent as JSON unless it is a form. */
export async function call(path, options = {}) {
  const response = await send(path, options);
  if (response.status === 204) return null;
  return response.json();
}

/** Asks for text, as reports are. */
export async function text(path, options = {}) {
  return (await send(path, options)).text();
}

/** The address of some bytes that were asked for as everything is, with the key where there is one. */
export async function bytesOf(path, options = {}) {
  const response = await send(path, { ...options, accept: '*/*' });
  return URL.createObjectURL(await response.blob());
}

async function send(path, { method, body, query = {}, signal, accept } = {}) {
  const form = body instanceof FormData;
  const headers = { 'Accept': accept ?? 'application/json', 'Accept-Language': spoken() };
  if (body && !form) headers['Content-Type'] = 'application/json';
  const used = key();
  if (used) headers.Authorization = `Bearer ${used}`;
  const response = await fetch(address(path, query), {
    method: method ?? (body ? 'POST' : 'GET'),
    headers,
    body: form ? body : body && JSON.stringify(body),
    signal,
  }).catch((fault) => {
    if (fault.name === 'AbortError') throw fault;
    throw new Problem(0, { code: 'unreachable', message: fault.message });
  });
  if (response.ok) return response;
  if (response.status === 401 && (await renewed(used)))
    return send(path, { method, body, query, signal, accept });
  const said = await response.json().catch(() => ({}));
  throw new Problem(response.status, said.error);
}

/** Whether there is another key to try than the one that was refused. */
async function renewed(used) {
  if (key() !== used) return true;
  const given = await askForKey();
  if (!given) return false;
  sessionStorage.setItem(KEY, given);
  return true;
}

/** The address of a path of the API, for the index that is looked at. */
export function address(path, query = {}) {
  const params = new URLSearchParams();
  const all = { index: state().index, ...query };
  for (const [name, value] of Object.entries(all))
    if (value !== '' && value != null) params.set(name, value);
  const search = params.toString();
  return `/api/v1/${path}${search ? `?${search}` : ''}`;
}

/** A document's name as a part of a path. */
export const named = (name) => encodeURIComponent(name);

/** Reads a stream of events: calls `on(event, data)` for each, in order, until it ends. */
export async function events(path, options, on) {
  const response = await send(path, { ...options, accept: 'text/event-stream' });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    rest = (rest + (value ?? '')).replaceAll('\r\n', '\n');
    const parts = rest.split('\n\n');
    rest = done ? '' : parts.pop();
    for (const part of parts) deliver(part, on);
    if (done) return;
  }
}

function deliver(part, on) {
  let event = 'message';
  const data = [];
  for (const line of part.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  if (!data.length) return;
  const joined = data.join('\n');
  if (joined === '[DONE]') return;
  const value = JSON.parse(joined);
  if (event === 'error') throw new Problem(500, value.error ?? value);
  on(event, value);
}

/** Runs only the latest of overlapping calls: the one before is called off, and what it still answers is dropped. */
export function latest(work) {
  let current = null;
  const run = async (...args) => {
    current?.abort();
    const mine = (current = new AbortController());
    try {
      return await work(mine.signal, ...args);
    } catch (fault) {
      if (fault.name === 'AbortError' || mine.signal.aborted) return undefined;
      throw fault;
    }
  };
  run.cancel = () => current?.abort();
  return run;
}
