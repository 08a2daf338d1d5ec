import { isErrorClass } from '#core/errors/error-class.ts';
import type { AnswerHead } from './answer-reader.ts';

/** One answer that came, as much of it as there was. */
export interface Answer {
  readonly head: AnswerHead;
  readonly body: string;
  readonly isWhole: boolean;
}

/** What the answer is for, as far as that is known. */
export interface Asked {
  readonly method: string;
  readonly id: number | undefined;
  readonly statuses?: readonly number[] | undefined;
  /** A stream that somebody else may take over, and that has no answer then. */
  readonly mayStay?: boolean | undefined;
  /** Nobody but its own client can end it, so that it has an answer in any case. */
  readonly isStateless?: boolean | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const EVENTS = 'text/event-stream';
const INTERNAL_CODE = -32_603;

/** What is wrong with an answer, in words; nothing when it is as it should be. */
export function faultOf({ head, body, isWhole }: Answer, asked: Asked): string | undefined {
  const { status, headers } = head;
  if (status === 500) return 'a fault of our own';
  if (asked.statuses && !asked.statuses.includes(status)) {
    return `status ${status} where ${asked.statuses.join(' or ')} was due`;
  }
  if (/"(?:error_)?class":"internal"/.test(body)) return 'the class internal';
  const type = headers.get('content-type') ?? '';
  if (type === EVENTS)
    return status === 200 ? faultOfStream(body, asked, isWhole) : 'an odd stream';
  if (!isWhole) return 'half an answer';
  if (asked.method === 'HEAD') return undefined;
  if (status === 202 || status === 204) return emptyOrWord(body);
  if (type.startsWith('text/plain') && status === 200) return undefined;
  if (!type.startsWith('application/json')) return `the type ${JSON.stringify(type)}`;
  const message = parsed(body);
  if (message === undefined) return 'a body that is no JSON object';
  if ('jsonrpc' in message) return faultOfRpc(message, asked);
  if (status < 400) return undefined;
  // An error as OAuth has them is the whole document.
  const { error, error_description: words } = message;
  return faultOfError(typeof error === 'string' ? { ...message, message: words } : error);
}

function emptyOrWord(body: string): string | undefined {
  return body === '' || body === 'Accepted' ? undefined : 'a body where there should be none';
}

function faultOfError(error: unknown): string | undefined {
  const { class: name, message } = (error ?? {}) as Json;
  if (typeof name !== 'string' || !isErrorClass(name)) return 'an error without a class';
  return typeof message === 'string' && message !== '' ? undefined : 'an error without words';
}

function faultOfRpc(message: Json, asked: Asked): string | undefined {
  const { jsonrpc, id, error, result } = message;
  if (jsonrpc !== '2.0') return 'an odd version of JSON-RPC';
  if ((error === undefined) === (result === undefined)) return 'neither a result nor an error';
  const isOurs = asked.id === undefined || id === asked.id || (id === null && error !== undefined);
  if (!isOurs) return `the id ${JSON.stringify(id)} where ${asked.id} was asked`;
  if (error === undefined) return undefined;
  const { code, message: words } = error as Json;
  if (!Number.isInteger(code) || code === INTERNAL_CODE) return `the code ${String(code)}`;
  return typeof words === 'string' && words !== '' ? undefined : 'an error without words';
}

/** Whole events, each a message or none, and one answer at most. */
function faultOfStream(body: string, asked: Asked, isWhole: boolean): string | undefined {
  if (!isWhole) return asked.mayStay ? undefined : 'a stream that breaks off';
  const blocks = body.split('\n\n');
  if (blocks.pop() !== '') return 'an event that is not whole';
  let answers = 0;
  for (const block of blocks) {
    for (const line of block.split('\n')) {
      if (!/^(?:event|id|data|retry): |^: /.test(line)) return `the line ${JSON.stringify(line)}`;
    }
    const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
    if (data === '' || block.startsWith('event: endpoint')) continue;
    const message = parsed(data);
    if (message?.['jsonrpc'] !== '2.0') return 'an event that is no message';
    if ('method' in message) continue;
    answers += 1;
    const fault = faultOfRpc(message, asked);
    if (fault !== undefined) return fault;
  }
  const isOwed = asked.isStateless && !asked.mayStay && asked.id !== undefined;
  if (answers === 0 && isOwed) return 'no answer';
  return answers > 1 ? 'more than one answer' : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    // The caller says what that means.
    return undefined;
  }
}
