import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a stream of the vendor breaks, after some of its pieces. */
export type Break = 'cut' | 'end' | 'stall' | 'error' | 'malformed';

/** How a model continues an answer that was cut. */
export type Continuing =
  | 'exactly'
  | 'anew'
  | 'last 30 characters'
  | 'last 12 characters'
  | 'last 3 characters'
  | 'last word'
  | 'line break'
  | 'space'
  | 'preamble';

/** What a vendor that is sent a prefix says: thinking and no answer, white space, or nothing. */
export type Silence = 'empty' | 'thinking' | 'blank';

export interface ContinuingVendorPlan {
  readonly whole: string;
  readonly break: Break;
  /** The first request breaks off after this many characters, and not after some pieces. */
  readonly cut?: number;
  /** How many requests break; the next is answered to the end. */
  readonly breaks: number;
  readonly continuing: Continuing;
  /**
   * Whether the model does as it is asked: it continues `partial`, and begins with the words that it is
   * asked to begin with. If not, it continues in its own way.
   */
  readonly partial: 'honoured' | 'ignored';
  /** Requests with `partial` are answered without a word. */
  readonly silence?: Silence;
}

export interface ContinuingVendor {
  readonly url: string;
  /** Requests since the plan was made. */
  readonly asked: number;
  plan(plan: ContinuingVendorPlan): void;
  close(): Promise<void>;
}

const PIECES_BEFORE_BREAK = 3;
const PIECE_WORDS = 4;
const REPEATED_CHARS = 30;

/** One server for every vendor, which says the same text and breaks off as planned. */
export async function startContinuingVendor(): Promise<ContinuingVendor> {
  let planned: ContinuingVendorPlan | undefined;
  let asked = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      if (!planned || !(request.url ?? '').endsWith('/chat/completions')) {
        response.writeHead(404).end();
        return;
      }
      asked += 1;
      const { messages } = JSON.parse(body) as { messages: readonly Said[] };
      if (planned.silence && messages.at(-1)?.partial === true) {
        sayNothing(response, planned.silence);
        return;
      }
      const text = textFor(messages, planned);
      const { break: how, breaks, cut } = planned;
      const isCut = asked === 1 && cut !== undefined;
      answer(response, isCut ? text.slice(0, cut) : text, asked <= breaks ? how : undefined, isCut);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get asked() {
      return asked;
    },
    plan(plan) {
      planned = plan;
      asked = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

interface Said {
  readonly role: string;
  readonly content?: unknown;
  readonly partial?: boolean;
}

function textFor(messages: readonly Said[], plan: ContinuingVendorPlan): string {
  const { whole } = plan;
  const begun = messages.findLast(({ role }) => role === 'assistant');
  const before = typeof begun?.content === 'string' ? begun.content : '';
  if (before === '' || !whole.startsWith(before)) return whole;
  if (plan.partial === 'ignored') return continued(whole, before, plan.continuing);
  if (begun?.partial === true) return continued(whole, before, 'exactly');
  const words = lastWordsIn(messages.at(-1)?.content);
  if (words === undefined) return continued(whole, before, plan.continuing);
  return words + whole.slice(before.trimEnd().length);
}

/** The words that a model is asked to begin with. */
function lastWordsIn(content: unknown): string | undefined {
  if (typeof content !== 'string') return undefined;
  return /<last_words>(.*)<\/last_words>/su.exec(content)?.[1];
}

function continued(whole: string, before: string, how: Continuing): string {
  const rest = whole.slice(before.length);
  switch (how) {
    case 'exactly':
      return rest;
    case 'anew':
      return whole;
    case 'last 30 characters':
      return before.slice(-REPEATED_CHARS) + rest;
    case 'last 12 characters':
      return before.slice(-12) + rest;
    case 'last 3 characters':
      return before.slice(-3) + rest;
    case 'space':
      return ` ${rest}`;
    case 'last word':
      return (/\S+$/u.exec(before)?.[0] ?? '') + rest;
    case 'line break':
      return `\n${rest}`;
    case 'preamble':
      return `Continuing from where I left off:\n\n${rest}`;
  }
}

/** Some words at a time, with the space before them. */
function piecesOf(text: string): string[] {
  const words = text.match(/\s*\S+/gu) ?? [];
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += PIECE_WORDS)
    pieces.push(words.slice(at, at + PIECE_WORDS).join(''));
  return pieces;
}

const SILENT_DELTAS: Readonly<Record<Silence, object>> = {
  empty: { content: '' },
  thinking: { reasoning_content: 'Hm, what comes next?' },
  blank: { content: ' \n' },
};

function sayNothing(response: ServerResponse, silence: Silence): void {
  const send = begin(response);
  send({ delta: SILENT_DELTAS[silence], finish_reason: null });
  send({ delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
}

function begin(response: ServerResponse): (choice: object) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (choice) =>
    void response.write(
      `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`,
    );
}

function answer(
  response: ServerResponse,
  text: string,
  how: Break | undefined,
  isCut: boolean,
): void {
  const send = begin(response);
  const pieces = piecesOf(text);
  const isBroken = how !== undefined && !isCut;
  for (const content of isBroken ? pieces.slice(0, PIECES_BEFORE_BREAK) : pieces)
    send({ delta: { content }, finish_reason: null });
  switch (how) {
    case undefined:
      send({ delta: {}, finish_reason: 'stop' });
      response.end('data: [DONE]\n\n');
      return;
    case 'cut':
      // After what was written has left.
      response.write('', () => void setImmediate(() => response.destroy()));
      return;
    case 'end':
      response.end();
      return;
    case 'stall':
      return;
    case 'error':
      response.end('data: {"error":{"message":"It broke.","type":"server_error"}}\n\n');
      return;
    case 'malformed':
      response.end('data: {"choices":[{"delta":{"content"\n\n');
  }
}
