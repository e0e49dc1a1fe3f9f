// Not run: what the compiler must accept, and what it must not.
import { Okno, OknoError, type Answer, type Context } from 'okno-client';

const okno = new Okno({ url: new URL('http://127.0.0.1:7765'), key: 'k', index: 'work,home' });

export async function used(): Promise<string[]> {
  const answer: Answer = await okno.search('tea', {
    budget: 500,
    recipe: 'auto',
    filter_by: 'rules',
  });
  const contexts: Context[] = answer.contexts;
  const places: number[] = contexts.map(({ start, end }) => end - start);
  for await (const told of okno.askStream('tea', {
    model: 'large',
    messages: [{ role: 'user', content: 'hot?' }],
  })) {
    if (told.event === 'text') told.data.text.toUpperCase();
    if (told.event === 'done') places.push(...told.data.citations.map(({ number }) => number));
  }
  await okno.put('a', { text: 'b', metadata: { year: 2026 } });
  const job = await okno.wait((await okno.upload({ name: 'a.txt', blob: new Blob() })).job);
  if (job.state === 'done') await okno.cancel(job.id);
  try {
    await okno.status({ signal: AbortSignal.timeout(10) });
  } catch (fault) {
    if (fault instanceof OknoError && fault.retryAfter !== null) fault.retryAfter.toFixed();
  }
  return contexts.map(({ text }) => text);
}

// @ts-expect-error: a budget is a number
void okno.search('tea', { budget: 'much' });
// @ts-expect-error: a document has a text
void okno.put('a', { title: 'b' });
// @ts-expect-error: no such option
void okno.search('tea', { budgets: 5 });
