import type { ChildProcess } from 'node:child_process';
import type { Result } from './json-rpc.ts';

const TIMEOUT_MS = 90_000;
const SESSION = 'mcp-session-id';

export interface Request {
  readonly method: string;
  readonly id: number;
  readonly params?: object;
  readonly jsonrpc: '2.0';
}

/** Sends messages as they are given, in whatever order the other side may like or not. */
export interface Wire {
  ask(request: Request, timeoutMs?: number): Promise<Result>;
  tell(notification: object): Promise<void>;
  close(): void;
}

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly id?: unknown;
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

/**
 * Streamable HTTP as the SDK 1.x speaks it: the standing stream is opened as soon as `initialized`
 * was taken.
 */
export async function openHttp(url: string, given: Headers): Promise<Wire> {
  const stop = new AbortController();
  let session: Headers = {};
  const post = (body: object, timeoutMs = TIMEOUT_MS) =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...given,
        ...session,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]),
    });
  return {
    async ask(request, timeoutMs) {
      const response = await post(request, timeoutMs);
      if (!response.ok) throw new Error(`${request.method}: HTTP ${response.status}`);
      const result = resultOf(request, await answerIn(response, request.id));
      if (request.method === 'initialize') {
        const id = response.headers.get(SESSION);
        session = {
          ...(id && { [SESSION]: id }),
          'mcp-protocol-version': String(result['protocolVersion']),
        };
      }
      return result;
    },
    async tell(notification) {
      const taken = await post(notification);
      if (taken.status !== 202) throw new Error(`a notification: HTTP ${taken.status}, not 202`);
      const headers = { ...given, ...session, Accept: 'text/event-stream' };
      const { status } = await fetch(url, { headers, signal: stop.signal });
      // Not found is read as not allowed; anything else is an error that makes it connect again.
      if (![200, 404, 405].includes(status)) throw new Error(`the stream: HTTP ${status}`);
    },
    close: () => stop.abort(),
  };
}

/** The transport of 2024: one stream that names where to post, and brings every answer. */
export async function openSse(url: string, given: Headers): Promise<Wire> {
  const stop = new AbortController();
  const waiting = createWaiting();
  const headers = { ...given, Accept: 'text/event-stream' };
  const stream = await fetch(url, { headers, signal: stop.signal });
  if (!stream.ok) throw new Error(`GET ${url}: HTTP ${stream.status}`);
  const endpoint = await new Promise<URL>((resolve, reject) => {
    const read = async () => {
      for await (const { event, data } of events(stream)) {
        if (event === 'endpoint') resolve(new URL(data, url));
        else waiting.answer(data);
      }
    };
    read().then(() => reject(new Error('the stream ended')), reject);
  });
  const tell = async (message: object) => {
    const { ok, status } = await fetch(endpoint, {
      method: 'POST',
      headers: { ...given, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: stop.signal,
    });
    if (!ok) throw new Error(`POST ${endpoint.pathname}: HTTP ${status}`);
  };
  return {
    async ask(request, timeoutMs) {
      const answered = waiting.for(request, timeoutMs);
      await tell(request);
      return answered;
    },
    tell,
    close: () => stop.abort(),
  };
}

export async function openStdio(child: ChildProcess): Promise<Wire> {
  const waiting = createWaiting();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) waiting.answer(line);
  });
  const tell = async (message: object) => void child.stdin?.write(`${JSON.stringify(message)}\n`);
  return {
    async ask(request, timeoutMs) {
      const answered = waiting.for(request, timeoutMs);
      await tell(request);
      return answered;
    },
    tell,
    close: () => void child.kill(),
  };
}

function createWaiting() {
  const waiting = new Map<unknown, (answer: Answer) => void>();
  return {
    answer(text: string): void {
      const answer = JSON.parse(text) as Answer;
      waiting.get(answer.id)?.(answer);
    },
    for: (request: Request, timeoutMs = TIMEOUT_MS) =>
      new Promise<Result>((resolve, reject) => {
        const late = setTimeout(() => {
          reject(new Error(`${request.method} was not answered within ${timeoutMs / 1_000} s`));
        }, timeoutMs);
        waiting.set(request.id, (answer) => {
          clearTimeout(late);
          try {
            resolve(resultOf(request, answer));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      }),
  };
}

function resultOf({ method }: Request, { result, error }: Answer): Result {
  if (result !== undefined) return result;
  throw new Error(`${method}: ${error?.message ?? 'neither result nor error'}`);
}

async function answerIn(response: Response, id: number): Promise<Answer> {
  if (!(response.headers.get('content-type') ?? '').includes('text/event-stream'))
    return (await response.json()) as Answer;
  for await (const { data } of events(response)) {
    const answer = JSON.parse(data) as Answer;
    if (answer.id === id) return answer;
  }
  throw new Error('the stream ended before the answer');
}

async function* events(response: Response): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split(
      /\r?\n\r?\n/,
    );
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const lines = part.split(/\r?\n/);
      const field = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trim());
      const data = field('data').join('\n');
      // What has no data is a sign of life.
      if (data !== '') yield { event: field('event')[0] ?? 'message', data };
    }
  }
}
