import { CallError } from '#core/errors/call-error.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { JsonObject } from '#core/json/json.ts';
import { oneLine } from '#core/text/text.ts';
import type { InputResponses, InputRequest, InputRequests } from '#core/tools/input-request.ts';
import { toMcpRequest } from '#mcp/input-request.ts';
import { isObject, type Members, type RequestId } from '#mcp/json-rpc.ts';
import type { McpSink } from './mcp-sink.ts';

/** One round of input requests to a legacy client. */
export interface InputRound {
  /** Rejects if one is refused or times out. */
  readonly answers: Promise<InputResponses>;
  /** Cancels the requests at the client. */
  withdraw(): void;
}

/** Requests from the server to a legacy client. */
export interface ClientRequests {
  requestInput(relatedTo: RequestId, questions: InputRequests): InputRound;
  /** Handles a response of the client; unknown ids are ignored. */
  onResponse(message: Members): void;
}

interface Pending {
  resolve(answer: JsonObject): void;
  reject(error: CallError): void;
}

// People answer forms, which takes time.
const ANSWER_TIMEOUT_MS = 600_000;
const MAX_REASON_CHARS = 200;
const SESSION_CHARS = 8;

/**
 * `session`: its first characters are part of the ids, so that an answer to an earlier daemon is
 * not mistaken for another.
 */
export function createClientRequests(sink: McpSink, session: string, clock: Clock): ClientRequests {
  const pending = new Map<string, Pending>();
  let count = 0;

  function send(
    relatedTo: RequestId,
    question: InputRequest,
  ): { id: string; answer: Promise<JsonObject> } {
    const id = `exai-${session.slice(0, SESSION_CHARS)}-${++count}`;
    const answer = new Promise<JsonObject>((resolve, reject) => {
      pending.set(id, { resolve, reject });
    });
    const { method, params } = toMcpRequest(question, id);
    sink.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }), relatedTo);
    return { id, answer };
  }

  function withdraw(ids: readonly string[], relatedTo: RequestId): void {
    for (const requestId of ids) {
      if (!pending.delete(requestId)) continue;
      const params = { requestId, reason: 'The answer is no longer needed.' };
      const withdrawn = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
      sink.send(JSON.stringify(withdrawn), relatedTo);
    }
  }

  return {
    requestInput(relatedTo, questions) {
      const names = Object.keys(questions);
      const sent = Object.values(questions).map((question) => send(relatedTo, question));
      const ids = sent.map(({ id }) => id);
      let timer: Timer | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = clock.after(ANSWER_TIMEOUT_MS, () =>
          reject(new CallError('timeout', 'The client did not answer what it was asked.')),
        );
      });
      const all = Promise.all(sent.map(({ answer }) => answer)).then((answers): InputResponses =>
        Object.fromEntries(answers.map((answer, index) => [names[index] ?? '', answer])),
      );
      const settle = () => {
        timer?.stop();
        withdraw(ids, relatedTo);
      };
      return { answers: Promise.race([all, late]).finally(settle), withdraw: settle };
    },
    onResponse({ id, result, error }) {
      const question = typeof id === 'string' ? pending.get(id) : undefined;
      if (!question) return;
      if (isObject(result)) question.resolve(result as JsonObject);
      else question.reject(refusal(error));
      pending.delete(id as string);
    },
  };
}

function refusal(error: unknown): CallError {
  const { code, message } = isObject(error) ? error : {};
  const number = Number.isInteger(code) ? ` (${code as number})` : '';
  const reason = typeof message === 'string' ? `: ${oneLine(message, MAX_REASON_CHARS)}` : '.';
  return new CallError('bad_response', `The client refused what it was asked${number}${reason}`);
}
