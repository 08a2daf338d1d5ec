/**
 * A vendor of OpenAI's API that answers `ok`, or what the first words of the last message ask for:
 * `stream N` sends N MB of short events as fast as they are read, `event N` one event of N MB,
 * `long N` an answer of N MB, `nested` one whose text is JSON of many members; `deep` and `objects`
 * are bodies of nothing but brackets.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const MEGABYTE = 1_000_000;
const EVENTS_PER_WRITE = 500;
const PIECE = ' word'.repeat(20);

const server = createServer((request, response) => {
  void answer(request, response);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  console.log(`listening on http://127.0.0.1:${port}`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let end = Buffer.alloc(0);
  let begin = Buffer.alloc(0);
  for await (const chunk of request) {
    if (begin.length < 4096) begin = Buffer.concat([begin, chunk as Buffer]);
    end = Buffer.concat([end, chunk as Buffer]).subarray(-4096);
  }
  const text = begin.toString() + end.toString();
  const megabytes = Number(/"stream (\d+)/.exec(text)?.[1] ?? 0);
  if (megabytes > 0) return stream(response, megabytes * MEGABYTE);
  if (text.includes('"deep')) return void response.end('['.repeat(60 * MEGABYTE));
  if (text.includes('"objects')) {
    return void response.end(`{"choices":[${'{},'.repeat(20 * MEGABYTE)}{}]}`);
  }
  const content = contentFor(text);
  if (/"stream":\s*true/.test(text)) return short(response, content);
  const head = `{"id":"c1","object":"chat.completion","created":1,"model":"kimi-k3"`;
  const choice = `{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":${content}}}`;
  response.setHeader('content-type', 'application/json');
  response.end(
    `${head},"choices":[${choice}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
  );
}

function contentFor(text: string): string {
  const size = Number(/"(?:event|long) (\d+)/.exec(text)?.[1] ?? 0);
  if (size > 0) return JSON.stringify('words '.repeat((size * MEGABYTE) / 6));
  return text.includes('"nested') ? JSON.stringify('[{},'.repeat(1_000_000)) : '"ok"';
}

function short(response: ServerResponse, content: string): void {
  response.setHeader('content-type', 'text/event-stream');
  response.end(`${event(content)}${event('""', '"stop"')}data: [DONE]\n\n`);
}

async function stream(response: ServerResponse, bytes: number): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  const block = event(JSON.stringify(PIECE)).repeat(EVENTS_PER_WRITE);
  for (let sent = 0; sent < bytes && !response.destroyed; sent += block.length) {
    if (!response.write(block)) {
      await new Promise<void>((resolve) => {
        const goOn = () => {
          response.off('drain', goOn).off('close', goOn);
          resolve();
        };
        response.on('drain', goOn).on('close', goOn);
      });
    }
  }
  response.end(`${event('""', '"stop"')}data: [DONE]\n\n`);
}

function event(content: string, finish = 'null'): string {
  return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"kimi-k3","choices":[{"index":0,"delta":{"content":${content}},"finish_reason":${finish}}]}\n\n`;
}
