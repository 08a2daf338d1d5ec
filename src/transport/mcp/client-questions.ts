import { CallError } from '#core/call-error.ts';
import type { Clock, Timer } from '#core/clock.ts';
import type { JsonObject } from '#core/json.ts';
import { oneLine } from '#core/one-line.ts';
import type { Answers, Question, Questions } from '#core/question.ts';
import { toRequest } from '#mcp/input-request.ts';
import { isObject, type Members, type RequestId } from '#mcp/json-rpc.ts';
import type { McpLine } from './mcp-line.ts';

/** One round of questions to a client of the legacy era. */
export interface Asked {
  /** Rejects when one cannot be answered. */
  readonly answers: Promise<Answers>;
  /** Nobody wants to know any more: the client is told. */
  withdraw(): void;
}

/** What we ask of one client, as requests of our own. */
export interface ClientQuestions {
  ask(about: RequestId, questions: Questions): Asked;
  /** The client answers something; what nobody asked is let be. */
  onResponse(message: Members): void;
}

interface Pending {
  resolve(answer: JsonObject): void;
  reject(error: CallError): void;
}

// People answer forms: they read, think and fetch coffee.
const PATIENCE_MS = 600_000;
const MAX_WORDS_CHARS = 200;
const SESSION_CHARS = 8;

/** `session`: its beginning is part of the ids, so that an answer to a daemon that is gone is taken for no other. */
export function createClientQuestions(
  line: McpLine,
  session: string,
  clock: Clock,
): ClientQuestions {
  const pending = new Map<string, Pending>();
  let count = 0;

  function send(about: RequestId, question: Question): { id: string; answer: Promise<JsonObject> } {
    const id = `exai-${session.slice(0, SESSION_CHARS)}-${++count}`;
    const answer = new Promise<JsonObject>((resolve, reject) => {
      pending.set(id, { resolve, reject });
    });
    const { method, params } = toRequest(question, id);
    line.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }), about);
    return { id, answer };
  }

  function withdraw(ids: readonly string[], about: RequestId): void {
    for (const requestId of ids) {
      if (!pending.delete(requestId)) continue;
      const params = { requestId, reason: 'The answer is no longer needed.' };
      const withdrawn = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
      line.send(JSON.stringify(withdrawn), about);
    }
  }

  return {
    ask(about, questions) {
      const names = Object.keys(questions);
      const sent = Object.values(questions).map((question) => send(about, question));
      const ids = sent.map(({ id }) => id);
      let timer: Timer | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = clock.after(PATIENCE_MS, () =>
          reject(new CallError('timeout', 'The client did not answer what it was asked.')),
        );
      });
      const all = Promise.all(sent.map(({ answer }) => answer)).then((answers): Answers =>
        Object.fromEntries(answers.map((answer, index) => [names[index] ?? '', answer])),
      );
      const settle = () => {
        timer?.stop();
        withdraw(ids, about);
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
  const words = typeof message === 'string' ? `: ${oneLine(message, MAX_WORDS_CHARS)}` : '.';
  return new CallError('bad_response', `The client refused what it was asked${number}${words}`);
}
