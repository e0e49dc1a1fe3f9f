// A service that speaks as OpenAI does and says what the test wants, word by word: the page is tested, not the model.
// Where JSON is asked for, it gives `fields` – whatever field the schema requires, from there.
import { createServer } from 'node:http';

const WORD_MS = 60;
const pause = (ms) => new Promise((over) => setTimeout(over, ms));

/** Starts it; `says` is the whole answer, `fields` what it fills into schemas. */
export function model(says, fields = {}) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const required = JSON.parse(body).response_format?.json_schema?.schema?.required;
    if (required)
      return whole(
        response,
        JSON.stringify(Object.fromEntries(required.map((name) => [name, fields[name]]))),
      );
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const word of says.match(/\S+\s*/g)) {
      if (response.destroyed) return;
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: word } }] })}\n\n`,
      );
      await pause(WORD_MS);
    }
    response.write(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 9, completion_tokens: 9 } })}\n\n`,
    );
    response.end('data: [DONE]\n\n');
  });
  return new Promise((ready) =>
    server.listen(0, '127.0.0.1', () => {
      const base = `http://127.0.0.1:${server.address().port}/v1`;
      ready({
        base,
        env: {
          OKNO_MODEL_PROVIDER: '',
          OKNO_MODEL_BASE_URL: base,
          OKNO_MODEL_NAME: 'scripted',
          OKNO_MODEL_CACHE: '0',
        },
        stop: () => server.close(),
      });
    }),
  );
}

/** An answer in one piece. */
function whole(response, content) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}
