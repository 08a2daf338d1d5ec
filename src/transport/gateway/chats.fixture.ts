import type { IncomingMessage } from 'node:http';
import type { AnswerPiece } from '#core/answer-piece.ts';
import type { CallError } from '#core/call-error.ts';
import type { Caller, Progress } from '#core/call.ts';
import type { CallAnswer, CallRequest, Calls } from '#core/calls.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import type { Exchange } from '../http/endpoint.ts';
import { createFakeOut, type FakeOut } from '../streamable/fake-out.fixture.ts';
import { choiceOf } from './answers.fixture.ts';
import { createChats, type Chats } from './chats.ts';
import type { ChatOrder, Dialect } from './dialect.ts';

/** A dialect of one word a line, so that a test reads what was sent at a glance. */
export const plainDialect: Dialect = {
  door: 'openai',
  idHeader: 'x-request-id',
  readChat: () => order('stream'),
  refusal: (error) => ({ status: error.policy.status, body: `refused ${error.class}` }),
};

export function order(delivery: ChatOrder['delivery']): ChatOrder {
  return {
    chat: { ask: { messages: [{ role: 'user', content: 'hello' }] }, choices: 1 },
    delivery,
    whole: ({ answer }) => `whole ${answer.choices[0]?.text ?? ''}`,
    stream: () => ({
      begin: (_reqId, _atMs, { model }) => `begin ${model}\n`,
      piece: (piece) => {
        if (piece.type === 'asked') return '';
        return 'text' in piece ? `${piece.type} ${piece.text}\n` : `${piece.type}\n`;
      },
      alive: 'alive\n',
      end: () => 'end\n',
      fail: ({ error }) => `fail ${error.class}\n`,
    }),
  };
}

export const SOMEBODY: Caller = { principal: 'somebody', scopes: ['*'], roots: [] };
export const KIMI: AnswerPiece = { type: 'asked', provider: 'kimi', model: 'kimi-k3', attempt: 1 };
export const GLM: AnswerPiece = {
  type: 'asked',
  provider: 'glm',
  model: 'glm-5.3',
  attempt: 2,
  after: 'network',
};

export interface ChatUnderTest {
  readonly clock: FakeClock;
  readonly chats: Chats;
  readonly out: FakeOut;
  /** What was written, each time. */
  readonly writes: readonly string[];
  readonly requests: readonly CallRequest[];
  readonly cancelled: readonly CallError[];
  readonly tell: (...pieces: readonly AnswerPiece[]) => void;
  /** The call ends, and everything that follows from it has happened when this resolves. */
  readonly finish: (error?: CallError) => Promise<void>;
  good: boolean;
}

/** One chat at the gateway, whose call the test plays. */
export function startChat(delivery: ChatOrder['delivery'] = 'stream'): ChatUnderTest {
  const clock = createFakeClock();
  const requests: CallRequest[] = [];
  const cancelled: CallError[] = [];
  const writes: string[] = [];
  let answer: (answer: CallAnswer) => void = () => {};
  const calls: Pick<Calls, 'start'> = {
    start(request) {
      requests.push(request);
      return {
        reqId: 'req_1',
        answer: new Promise((resolve) => (answer = resolve)),
        cancel: (error) => void (error && cancelled.push(error)),
        extend: () => undefined,
      };
    },
  };
  const out = createFakeOut();
  const sent = { ...out };
  out.write = (text) => {
    if (text !== '') writes.push(text);
    sent.write(text);
  };
  const about = { request: {} as IncomingMessage, reqId: 'req_1' as const, error: undefined };
  const exchange: Exchange = Object.assign(out, { ...about, isOpen: true });
  const test = { clock, out, writes, requests, cancelled, good: true };
  const chats = createChats({
    calls,
    clock,
    isGood: () => test.good,
    headHoldMs: 10_000,
    keepaliveMs: 15_000,
  });
  chats.serve(exchange, plainDialect, order(delivery), {
    caller: SOMEBODY,
    session: 's',
    sha256: 'ab',
  });
  return Object.assign(test, {
    chats,
    tell(...pieces: readonly AnswerPiece[]) {
      for (const piece of pieces) requests[0]?.onProgress?.({ piece } satisfies Progress);
    },
    async finish(error?: CallError) {
      answer({ envelope: envelope(error), text: '', ...(error && { error }) });
      await new Promise<void>((resolve) => process.nextTick(resolve));
    },
  });
}

const CHOICE = choiceOf({ text: 'Hello.' });

function envelope(error: CallError | undefined): Envelope {
  const about = { tool: 'gateway_chat', attempt: 1, req_id: 'req_1' };
  if (error) return { ...about, status: 'error', error_class: error.class, content: null };
  const who = { provider: 'kimi', model: 'kimi-k3' };
  return { ...about, ...who, status: 'success', content: { choices: [CHOICE] } };
}
