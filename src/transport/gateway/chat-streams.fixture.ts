import type { IncomingMessage } from 'node:http';
import type { StreamPart } from '#core/llm/stream-part.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Caller, Progress } from '#core/calls/call.ts';
import type { CallResult, CallRequest, Calls } from '#core/calls/calls.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import type { HttpContext } from '../http/http-context.ts';
import { createFakeOut, type FakeOut } from '../streamable/fake-sink.fixture.ts';
import { choiceOf } from './gateway-choice.fixture.ts';
import { createChatStreams, type ChatStreams } from './chat-streams.ts';
import type { FinishedChat, GatewayDialect, ParsedChat } from './dialect.ts';

/** A dialect with one word per line, easy to compare in tests. */
export const plainDialect: GatewayDialect = {
  name: 'openai',
  idHeader: 'x-request-id',
  readChat: () => parsedChat('stream'),
  errorResponse: (error) => ({ status: error.policy.status, body: `refused ${error.class}` }),
};

export function parsedChat(delivery: ParsedChat['delivery']): ParsedChat {
  return {
    chat: { ask: { messages: [{ role: 'user', content: 'hello' }] }, choices: 1 },
    delivery,
    renderResponse: ({ answer }) => `whole ${answer.choices[0]?.text ?? ''}`,
    createWriter: () => ({
      begin: (_reqId, _atMs, { model }) => `begin ${model}\n`,
      piece: (piece) => {
        if (piece.type === 'asked') return '';
        return 'text' in piece ? `${piece.type} ${piece.text}\n` : `${piece.type}\n`;
      },
      keepalive: 'alive\n',
      end: () => 'end\n',
      fail: ({ error }) => `fail ${error.class}\n`,
    }),
  };
}

/** The same with the texts of responses as JSON. */
function inJson<T extends Partial<Pick<GatewayDialect, 'errorResponse'> & ParsedChat>>(
  plain: T,
): T {
  const { errorResponse, renderResponse } = plain;
  return {
    ...plain,
    ...(errorResponse && {
      errorResponse(error: CallError, reqId: string) {
        const response = errorResponse(error, reqId);
        return { ...response, body: JSON.stringify({ error: response.body }) };
      },
    }),
    ...(renderResponse && {
      renderResponse: (finished: FinishedChat) => JSON.stringify(renderResponse(finished)),
    }),
  };
}

export const CLIENT: Caller = { principal: 'somebody', scopes: ['*'], roots: [] };
export const KIMI: StreamPart = { type: 'asked', provider: 'kimi', model: 'kimi-k3', attempt: 1 };
export const GLM: StreamPart = {
  type: 'asked',
  provider: 'glm',
  model: 'glm-5.3',
  attempt: 2,
  after: 'network',
};

export interface ChatUnderTest {
  readonly clock: FakeClock;
  readonly chats: ChatStreams;
  readonly out: FakeOut;
  /** The text of each write. */
  readonly writes: readonly string[];
  readonly requests: readonly CallRequest[];
  readonly cancelled: readonly CallError[];
  readonly emit: (...pieces: readonly StreamPart[]) => void;
  /** Ends the call; resolves when all its consequences have happened. */
  readonly finish: (error?: CallError, paid?: 'paid') => Promise<void>;
  isCredentialValid: boolean;
}

/** Starts a chat at the gateway whose call the test controls. */
export function startChat(
  delivery: ParsedChat['delivery'] = 'stream',
  bodies: 'plain' | 'json' = 'plain',
): ChatUnderTest {
  const clock = createFakeClock();
  const requests: CallRequest[] = [];
  const cancelled: CallError[] = [];
  const writes: string[] = [];
  let answer: (answer: CallResult) => void = () => {};
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
  const context: HttpContext = Object.assign(out, { ...about, isOpen: true });
  const test = { clock, out, writes, requests, cancelled, isCredentialValid: true };
  const chats = createChatStreams({
    calls,
    clock,
    isCredentialValid: () => test.isCredentialValid,
    headHoldMs: 10_000,
    keepaliveMs: 15_000,
  });
  const [dialect, parsed] = [plainDialect, parsedChat(delivery)];
  const isJson = bodies === 'json';
  chats.serve(context, isJson ? inJson(dialect) : dialect, isJson ? inJson(parsed) : parsed, {
    caller: CLIENT,
    session: 's',
    sha256: 'ab',
  });
  return Object.assign(test, {
    chats,
    emit(...pieces: readonly StreamPart[]) {
      for (const piece of pieces) requests[0]?.onProgress?.({ piece } satisfies Progress);
    },
    async finish(error?: CallError, paid?: 'paid') {
      answer({ envelope: envelope(error, paid), text: '', ...(error && { error }) });
      await new Promise<void>((resolve) => process.nextTick(resolve));
    },
  });
}

const CHOICE = choiceOf({ text: 'Hello.' });

function envelope(error: CallError | undefined, paid?: 'paid'): Envelope {
  const about = { tool: 'gateway_chat', attempt: 1, req_id: 'req_1' };
  if (error) {
    const content = paid ? { choices: [CHOICE] } : null;
    return { ...about, status: 'error', error_class: error.class, content };
  }
  const who = { provider: 'kimi', model: 'kimi-k3' };
  return { ...about, ...who, status: 'success', content: { choices: [CHOICE] } };
}
