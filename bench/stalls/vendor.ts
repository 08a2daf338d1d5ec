/**
 * A vendor of OpenAI's API that answers `ok`, or what the first words of the last message ask for:
 * `stream N` sends N MB of short events as fast as they are read, `nested` a JSON answer of many
 * members.
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
  const content = text.includes('"nested') ? JSON.stringify('[{},'.repeat(1_000_000)) : '"ok"';
  if (/"stream":\s*true/.test(text)) return short(response, content);
  const head = `{"id":"c1","object":"chat.completion","created":1,"model":"kimi-k3"`;
  const choice = `{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":${content}}}`;
  response.setHeader('content-type', 'application/json');
  response.end(
    `${head},"choices":[${choice}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
  );
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
      await new Promise((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
    }
  }
  response.end(`${event('""', '"stop"')}data: [DONE]\n\n`);
}

function event(content: string, finish = 'null'): string {
  return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"kimi-k3","choices":[{"index":0,"delta":{"content":${content}},"finish_reason":${finish}}]}\n\n`;
}
