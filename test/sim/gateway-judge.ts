import { isDeepStrictEqual } from 'node:util';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { GatewayChatAnswer } from '#core/llm/gateway.ts';
import { objectIn, readEvents } from '../cases/gateway-read-events.ts';
import {
  readAnswer,
  type ReadAnswer,
  type ReadChoice,
  type Shape,
} from '../cases/gateway-readers.ts';
import { callArguments, choiceName, wholeAnswer } from './answer-text.ts';
import type { GatewayOrder } from './gateway-order.ts';

/** An answer of the gateway, as far as its client received it. */
export interface GatewayReceived {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly how: 'ended' | 'cut';
}

export interface GatewayAsked {
  readonly shape: Shape;
  readonly ask: string;
  readonly reqId: string;
  readonly order: GatewayOrder;
  /** Whether a quotation of what was asked may be the answer. */
  readonly mayQuote: boolean;
}

/** What is wrong with it, with the invariant that it breaks. */
export type Fault = readonly [invariant: string, words: string];

const REFUSED_AS_BAD = ['validation', 'bad_request'];

/**
 * Reads an answer as its client would, and holds it against what the vendors say to such a
 * question.
 */
export function judge(
  asked: GatewayAsked,
  heard: GatewayReceived,
): { readonly read: ReadAnswer | undefined; readonly fault: Fault | undefined } {
  const isStream = heard.type === 'text/event-stream';
  // Of an answer that is no stream, a part says nothing.
  if (heard.status === 0 || (heard.how === 'cut' && !isStream))
    return { read: undefined, fault: undefined };
  const { body } = heard;
  const arrived = heard.how === 'cut' ? body.slice(0, body.lastIndexOf('\n\n') + 2) : body;
  const read = readAnswer(asked.shape, { ...heard, body: arrived });
  return { read, fault: faultOf(asked, heard, read) };
}

function faultOf(asked: GatewayAsked, heard: GatewayReceived, read: ReadAnswer): Fault | undefined {
  const { ask, order } = asked;
  const [wrong] = read.wrong;
  if (wrong !== undefined) return ['dialect', `${ask} is answered with ${wrong}`];
  if (heard.how === 'ended' && read.end === 'cut')
    return ['answered', `${ask} ends with neither an answer nor an error`];
  if (order.is === 'bad' && heard.status === 200) return ['bad-input', `${ask} is answered`];
  const { class: failure } = read.failure ?? {};
  if (failure === 'internal') return ['typed', `${ask} failed: ${read.failure?.message}`];
  const isRefused = failure !== undefined && REFUSED_AS_BAD.includes(failure);
  if (isRefused && order.is === 'good')
    return ['bad-input', `${ask} is refused: ${read.failure?.message}`];
  if (read.choices.length > order.choices)
    return ['choices', `${ask} has ${read.choices.length} answers, not ${order.choices}`];
  if (read.end === 'whole' && read.choices.length < order.choices)
    return ['choices', `${ask} has ${read.choices.length} answers, not ${order.choices}`];
  for (const [at, choice] of read.choices.entries()) {
    const fault = choiceFault(asked, choiceName(ask, at), choice, read);
    if (fault) return fault;
  }
  return undefined;
}

/** How a quotation begins, which is no model's answer. */
const QUOTATION = 'No model answered this';
const SHORT = ['length', 'max_tokens'];
const CALLING = ['tool_calls', 'tool_use'];

function choiceFault(
  { order, mayQuote }: GatewayAsked,
  ask: string,
  { text, calls, finish = '' }: ReadChoice,
  { end }: ReadAnswer,
): Fault | undefined {
  const isWhole = end === 'whole';
  const isQuoted = mayQuote && text.startsWith(QUOTATION);
  const whole = wholeAnswer(ask, order.format);
  const isBegun = whole.startsWith(text);
  const mayBeShort = !isWhole || SHORT.includes(finish) || CALLING.includes(finish);
  if (!isQuoted && !(mayBeShort ? isBegun : text === whole))
    return ['text', `${ask} reads "${text}" (${end}, ${finish}), not "${whole}"`];
  for (const call of calls) {
    const written = callArguments(call.id, ask);
    const isRight = isWhole ? call.arguments === written : written.startsWith(call.arguments);
    if (!isRight)
      return ['speaker', `${ask} reads the call ${call.id} as ${call.arguments}, not ${written}`];
    if (call.name !== 'measure') return ['speaker', `${ask} is to call ${call.name}`];
  }
  return undefined;
}

/**
 * In a stream of OpenAI's each piece names its model, and the last of a choice whoever finished
 * that one.
 */
export function modelsFault(
  { ask }: GatewayAsked,
  body: string,
  { choices }: GatewayChatAnswer,
): Fault | undefined {
  for (const { data } of readEvents(body).events) {
    const { model, choices: [choice] = [] } = (objectIn(data) ?? {}) as Chunk;
    const real = choice?.finish_reason ? choices[choice.index]?.model : undefined;
    if (real !== undefined && model !== real)
      return ['facts', `answer ${choice?.index} to ${ask} is ${real}'s, and told as ${model}'s`];
  }
  return undefined;
}

interface Chunk {
  readonly model?: string;
  readonly choices?: readonly { readonly index: number; readonly finish_reason: string | null }[];
}

/** What is said of an answer beside it must be what the daemon knows of it. */
export function factsFault(
  { ask, reqId, order }: GatewayAsked,
  { exai = {}, usage, model }: ReadAnswer,
  envelope: Envelope,
): Fault | undefined {
  // A stream that says that it is alive before anybody was asked cannot name whoever will be.
  if (envelope.attempt === 1 && model !== envelope.model && model !== 'auto')
    return ['facts', `${ask} is answered by ${envelope.model}, and told that it is ${model}`];
  const attempts = envelope.route?.attempts.map(
    ({ attempt, provider, model, outcome, elapsed_ms }) => ({
      attempt,
      provider,
      model,
      outcome,
      elapsed_ms,
    }),
  );
  const real = {
    req_id: reqId,
    provider: envelope.provider,
    model: envelope.model,
    attempts,
    seams: envelope.route?.seams,
  };
  const told = Object.fromEntries(Object.keys(real).map((name) => [name, exai[name]]));
  if (!isDeepStrictEqual(told, real))
    return ['facts', `${ask} is told ${JSON.stringify(told)}, not ${JSON.stringify(real)}`];
  const isTold = order.usage === 'told' || order.delivery === 'whole';
  if (isTold !== (usage !== undefined))
    return ['facts', `${ask} is told ${JSON.stringify(usage)} of its usage`];
  return usageFaultOf(ask, order, usage, exai, envelope);
}

/** The prompt once and what was delivered are told as the usage, and all that was paid beside it. */
function usageFaultOf(
  ask: string,
  { limit, choices }: GatewayOrder,
  usage: { readonly input: number; readonly output: number } | undefined,
  exai: Readonly<Record<string, unknown>>,
  envelope: Envelope,
): Fault | undefined {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = envelope.usage ?? {};
  const total = {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cached,
    reasoning_tokens: reasoning,
  };
  const told = exai['usage_total'];
  if (envelope.usage && !isDeepStrictEqual(told, total))
    return [
      'facts',
      `${ask} is told that all took ${JSON.stringify(told)}, not ${JSON.stringify(total)}`,
    ];
  if (!usage) return undefined;
  if (usage.input > input || usage.output > output)
    return [
      'facts',
      `${ask} is told that it took ${JSON.stringify(usage)} of ${JSON.stringify(total)}`,
    ];
  if (limit !== undefined && usage.output > limit * choices)
    return ['limits', `${ask} got ${usage.output} tokens, and wanted ${limit} at most`];
  return undefined;
}
