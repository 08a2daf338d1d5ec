import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { readAnswer, type ReadAnswer, type Received, type Shape } from './gateway-readers.ts';

/** An answer as it came over the wire, and as a client reads it. */
export interface Sent extends Received {
  readonly headers: IncomingHttpHeaders;
  /**
   * How the connection saw it end: as HTTP says, in the middle, or not at all before patience ran
   * out.
   */
  readonly ended: 'properly' | 'cut' | 'never';
  readonly read: ReadAnswer;
}

export interface SendOptions {
  readonly url: string;
  readonly shape: Shape;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  /** Longer than this is a hang. */
  readonly patienceMs?: number;
}

/** An answer that is on its way. */
export interface Stream {
  /** When its head is there. */
  readonly head: Promise<IncomingMessage>;
  /** When the text so far has this in it; rejects when it ends without. */
  until(text: string): Promise<void>;
  readonly over: Promise<Sent>;
  /** Reads nothing more until told. */
  pause(): void;
  resume(): void;
  /** Hangs up. */
  leave(): void;
}

const PATIENCE_MS = 150_000;

export const PATHS: Readonly<Record<Shape, string>> = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
};

export function send(options: SendOptions): Promise<Sent> {
  return open(options).over;
}

/** On a connection of its own, which ends with the answer. */
export function open(options: SendOptions): Stream {
  const { url, shape, key, patienceMs = PATIENCE_MS } = options;
  const content = JSON.stringify(options.body);
  const credentials =
    key === undefined
      ? {}
      : shape === 'openai'
        ? { authorization: `Bearer ${key}` }
        : { 'x-api-key': key };
  const sending = request(`${url}${PATHS[shape]}`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(content),
      ...(shape === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
      ...credentials,
      ...options.headers,
    },
  });
  const chunks: Buffer[] = [];
  const watchers: {
    readonly text: string;
    readonly seen: () => void;
    readonly missed: (error: Error) => void;
  }[] = [];
  let message: IncomingMessage | undefined;
  let isLate = false;
  const body = () => Buffer.concat(chunks).toString('utf8');

  const head = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve);
    sending.once('error', reject);
  });
  const over = new Promise<Sent>((resolve) => {
    const late = setTimeout(() => {
      isLate = true;
      sending.destroy();
    }, patienceMs);
    const finish = () => {
      clearTimeout(late);
      for (const { missed, text } of watchers.splice(0)) missed(new Error(`no ${text}`));
      const received = {
        status: message?.statusCode ?? 0,
        type: message?.headers['content-type'] ?? '',
        body: body(),
      };
      resolve({
        ...received,
        headers: message?.headers ?? {},
        ended: isLate ? 'never' : message?.complete === true ? 'properly' : 'cut',
        read: readAnswer(shape, received),
      });
    };
    head.then(
      (answer) => {
        message = answer;
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (watchers.length === 0) return;
          const text = body();
          for (const watcher of watchers.filter((each) => text.includes(each.text))) {
            watchers.splice(watchers.indexOf(watcher), 1);
            watcher.seen();
          }
        });
        // The end of the connection is heard as `close`, whatever else it was.
        answer.on('error', () => undefined);
        answer.once('close', finish);
      },
      // Before any head there is nothing to read.
      () => finish(),
    );
  });
  sending.end(content);
  return {
    head,
    over,
    until: (text) =>
      body().includes(text)
        ? Promise.resolve()
        : new Promise((seen, missed) => watchers.push({ text, seen, missed })),
    pause: () => void message?.pause(),
    resume: () => void message?.resume(),
    leave: () => void sending.destroy(),
  };
}
