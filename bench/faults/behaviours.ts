import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { STORY, TOLD, tokensAfter, type Part } from './story.ts';

/** How a vendor answers one chat; `part` is what it is to go on from. */
type Answer = (res: ServerResponse, part: Part) => void | Promise<void>;

export interface Behaviour {
  readonly stream: Answer;
  readonly whole: Answer;
}

const TOKEN_MS = 20;
/** Of an event that breaks off within its JSON. */
const BROKEN_CHARS = 60;
const HEAD = { id: 'chatcmpl-69f0c0ffee', created: 1_788_300_000, model: 'kimi-k2.6' };
const USAGE = { prompt_tokens: 24, completion_tokens: 20, total_tokens: 44 };
const FAILED = { error: { message: 'The engine failed.', type: 'server_error', code: 'internal' } };

export const well: Behaviour = {
  stream: (res, part) => tell(res, tokensAfter(part), 'end well'),
  whole: (res, part) => answerJson(res, 200, completion(tokensAfter(part).join(''))),
};

const refusal =
  (status: number, error: object, headers: Record<string, string> = {}): Answer =>
  (res) =>
    answerJson(res, status, { error }, headers);
const both = (answer: Answer): Behaviour => ({ stream: answer, whole: answer });
const silence: Answer = () => undefined;

/** Half of a JSON answer, and then what is done with the connection. */
const halfBody =
  (then: (res: ServerResponse) => void): Answer =>
  async (res) => {
    const text = JSON.stringify(completion(STORY));
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    res.write(text.slice(0, text.length / 2));
    await sleep(TOKEN_MS);
    then(res);
  };
const cut = (res: ServerResponse) => void res.destroy();

/** What befalls the first vendor, in the words of the table. */
export const FAULTS = {
  'HTTP 500': both(refusal(500, FAILED.error)),
  'HTTP 429': both(
    refusal(
      429,
      { message: 'Too many requests.', type: 'rate_limit_reached_error' },
      { 'retry-after': '1' },
    ),
  ),
  'no answer at all': both(silence),
  'cut before the head': both(cut),
  'cut before the first token': both(async (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    await sleep(TOKEN_MS);
    res.destroy();
  }),
  'a head, then silence': both((res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  }),
  'an error as the first event': {
    stream(res) {
      openStream(res);
      res.end(`data: ${JSON.stringify(FAILED)}\n\n`);
    },
    whole: (res) => answerJson(res, 200, FAILED),
  },
  'cut after 3 tokens': {
    stream: async (res, part) => cut(await tellSome(res, part)),
    whole: halfBody(cut),
  },
  'a clean end after 3 tokens': {
    stream: async (res, part) => void (await tellSome(res, part)).end(),
    whole: halfBody((res) => res.end()),
  },
  'silence after 3 tokens': {
    stream: async (res, part) => void (await tellSome(res, part)),
    whole: halfBody(() => undefined),
  },
  'an error after 3 tokens': {
    stream: async (res, part) =>
      void (await tellSome(res, part)).end(`data: ${JSON.stringify(FAILED)}\n\n`),
    whole: (res) => answerJson(res, 200, FAILED),
  },
  'the event of the 4th token is broken': {
    async stream(res, part) {
      await tellSome(res, part);
      const [content, ...rest] = tokensAfter(part).slice(TOLD);
      res.write(`${event({ content }).slice(0, BROKEN_CHARS)}\n\n`);
      await tell(res, rest, 'end well');
    },
    whole: halfBody((res) => res.end()),
  },
  'cut within the body': {
    stream: async (res, part) => cut(await tellSome(res, part)),
    whole: halfBody(cut),
  },
  'a page that is not JSON': both((res) => {
    res.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>Welcome</h1></html>');
  }),
  'an empty answer': {
    stream: (res) => tell(res, [], 'end well'),
    whole: (res) => answerJson(res, 200, completion('')),
  },
} as const satisfies Record<string, Behaviour>;

export type FaultName = keyof typeof FAULTS;

async function tellSome(res: ServerResponse, part: Part): Promise<ServerResponse> {
  await tell(res, tokensAfter(part).slice(0, TOLD), 'go on');
  return res;
}

async function tell(
  res: ServerResponse,
  tokens: readonly string[],
  then: 'end well' | 'go on',
): Promise<void> {
  openStream(res);
  for (const content of tokens) {
    res.write(event({ content }));
    await sleep(TOKEN_MS);
  }
  if (then === 'go on') return;
  const usage = { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE };
  res.end(`${event({}, 'stop')}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`);
}

function openStream(res: ServerResponse): void {
  if (res.headersSent) return;
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.write(event({ role: 'assistant', content: '' }));
}

function event(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices })}\n\n`;
}

function completion(content: string): object {
  const message = { role: 'assistant', content };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { ...HEAD, object: 'chat.completion', choices, usage: USAGE };
}

function answerJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(JSON.stringify(body));
}
