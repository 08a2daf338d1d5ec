import { CallError } from '#core/call-error.ts';
import type { ChatEvent } from '#core/chat.ts';
import { sleep } from '#core/clock.ts';
import { remainingMs } from '#core/deadline.ts';
import type { Cancel, HttpResponse } from '#core/http.ts';
import { ANSWER_LIMITS, isTooMuchJson } from '#core/json-guard.ts';
import { notice } from '#core/messages/notices.ts';
import type { ProviderContext } from '#core/provider.ts';
import { createAnswerReader, type Turn } from './answer-reader.ts';
import { judgeEnd, type End } from './end-of-answer.ts';
import { HIDDEN } from './hide-keys.ts';
import { MAX_CHAT_BYTES, tooMuchJson } from './json-limits.ts';
import { asObject, parseLooked, type Unknown } from './json-read.ts';
import { toCallError, vendorErrorOf } from './read-error.ts';
import { readText } from './read-text.ts';
import type { ChatPlan, Round } from './round.ts';
import { named, unreached } from './send.ts';
import { createSending } from './sending.ts';
import { createSseReader, type SseEvent, type SseReader } from './sse.ts';
import { watchExchange } from './watch-exchange.ts';
import type { OpenWireOptions } from './wire-options.ts';

/** One request for an answer, read piece by piece. */
export interface OpenExchange {
  /** The events of the next piece; nothing when it is over, however it ended. */
  next(): Promise<readonly ChatEvent[] | undefined>;
  /** Whether there is nothing more to come. */
  isOver(): boolean;
  /** Once it is over. */
  result(): { readonly turn: Turn; readonly end: End; readonly hadContent: boolean };
  /** The request as it was sent. */
  sent(): string;
  /** Lets the server end its answer, so that the connection can be used again; nothing when it has. */
  drain(): Promise<void> | undefined;
  /** Ends what is still under way. */
  close(): void;
}

const MAX_STREAM_BYTES = 64 * 1024 * 1024;
/** What is read before others get their turn: a fast sender would have the event loop to itself. */
const TURN_BYTES = 512 * 1024;
/** How long a server may leave its answer open after `[DONE]` before the connection is given up. */
const DRAIN_MS = 250;

export function openExchange(
  plan: ChatPlan,
  round: Round,
  context: ProviderContext,
  options: OpenWireOptions,
): OpenExchange {
  const { clock, title, marks, citations, keys } = options;
  const isStream = plan.delivery === 'stream';
  const watch = watchExchange({ operation: 'chat', model: plan.model }, context, options);
  const reader = createAnswerReader({ tools: plan.tools, marks, citations, keys });
  const sending = createSending(plan, round, context, options);
  let pieces: AsyncIterator<Uint8Array> | undefined;
  let sse: SseReader | undefined;
  let state: 'new' | 'reading' | 'over' = 'new';
  let isAllRead = false;
  let bytesRead = 0;
  /** Since others last had their turn. */
  let turnBytes = 0;
  let hasBegun = false;
  /** What the vendor said went wrong. */
  let refusal: CallError | undefined;
  /** What went wrong on the way. */
  let breakage: CallError | undefined;

  /** A vendor may answer a stream with one piece of JSON, and the other way round. */
  async function begin(events: ChatEvent[]): Promise<void> {
    const response = await sending.send((answer) => watch.answered(answer));
    const type = response.headers['content-type'] ?? '';
    const isEvents = isStream ? !/json|html/.test(type) : type.includes('text/event-stream');
    if (isEvents) {
      pieces = response.body[Symbol.asyncIterator]();
      sse = createSseReader();
      return;
    }
    const limits = { title, maxBytes: MAX_CHAT_BYTES, json: ANSWER_LIMITS };
    const text = keys.hide(await readText(response.body, limits));
    if (text.length > TURN_BYTES) await sleep(clock, 0, context.signal);
    const answer = asObject(parseLooked(text));
    isAllRead = true;
    state = 'over';
    if (!answer)
      throw new CallError('bad_response', `${title} answered something that is no JSON.`);
    takeChunk(answer, response.headers, events);
    reader.end(events);
  }

  async function nextPiece(from: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    if (turnBytes > TURN_BYTES) {
      turnBytes = 0;
      await sleep(clock, 0, context.signal);
    }
    return from.next();
  }

  function takePiece({ value, done }: IteratorResult<Uint8Array>, events: ChatEvent[]): void {
    if (done === true) {
      isAllRead = true;
      state = 'over';
    } else {
      bytesRead += value.length;
      turnBytes += value.length;
      if (bytesRead > MAX_STREAM_BYTES) throw endless(title);
    }
    const read = done === true ? sse?.end() : sse?.push(value);
    for (const event of read ?? []) takeEvent(event, events);
    if (state === 'over') reader.end(events);
  }

  function takeEvent({ name, data }: SseEvent, events: ChatEvent[]): void {
    if (state === 'over' && !isAllRead) return;
    if (data === '[DONE]') {
      state = 'over';
      return;
    }
    if (isTooMuchJson(data, ANSWER_LIMITS)) throw tooMuchJson(title);
    const chunk = parseLooked(keys.hide(data));
    const parsed = asObject(chunk);
    if (name === 'error') refuse(parsed ?? chunk ?? data, {});
    else if (parsed) takeChunk(parsed, {}, events);
    else if (data.trim() !== '') skipUnreadable(data, events);
  }

  function takeChunk(chunk: Unknown, headers: HttpResponse['headers'], events: ChatEvent[]): void {
    if (!hasBegun) watch.said(chunk);
    hasBegun = true;
    // A vendor may say anything in place of a name, the key included.
    const { model } = chunk;
    if (typeof model === 'string' && model.includes(HIDDEN)) chunk = { ...chunk, model: '' };
    if (chunk['error']) refuse(chunk, headers);
    else reader.take(chunk, events);
  }

  function refuse(said: unknown, headers: HttpResponse['headers']): void {
    refusal = toCallError(vendorErrorOf(200, said), headers, plan.model, options);
    state = 'over';
  }

  /**
   * What began as an object held a piece of the answer, and nobody knows which: the answer breaks off there and can be gone on
   * with. What never was one is noise, and once the answer has begun the rest is worth having.
   */
  function skipUnreadable(data: string, events: ChatEvent[]): void {
    if (!reader.hasContent() || data.trimStart().startsWith('{'))
      throw new CallError('bad_response', `${title} sent an event that is no JSON.`);
    events.push({ type: 'notice', notice: notice('piece_unreadable', { model: title }) });
  }

  /** Closes the connection in the middle of whatever the server still says. */
  function leaveOff(): void {
    sending.abandon();
    // It ends by the abort or here; how is of no interest any more.
    pieces?.return?.().catch(() => undefined);
  }

  function result() {
    const turn = reader.turn();
    const hadContent = reader.hasContent();
    return { turn, hadContent, end: endOf(turn, hadContent) };
  }

  function endOf(turn: Turn, hadContent: boolean): End {
    const judged = judgeEnd(turn, title);
    const isOurs = context.signal.aborted || remainingMs(context.deadline, clock) === 0;
    let error = refusal;
    if (!error && breakage) {
      // The end was already said; what broke afterwards takes nothing away.
      const isComplete = turn.finish !== undefined && !isOurs;
      if (!isComplete && hadContent && !isOurs) error = interrupted(breakage, title);
      else if (!isComplete) error = unreached(breakage, options);
    }
    if (!error && judged.is === 'failed') error = judged.error;
    const end: End = error ? { is: 'failed', error: named(error, plan.model, options) } : judged;
    watch.end(end.is === 'failed' ? end.error.class : 'ok');
    return end;
  }

  async function readOut(from: AsyncIterator<Uint8Array>): Promise<void> {
    const timer = clock.after(DRAIN_MS, leaveOff);
    try {
      while (!isAllRead) isAllRead = (await from.next()).done === true;
    } catch {
      // The answer is whole; how its connection ends is of no interest.
    } finally {
      timer.stop();
    }
  }

  return {
    async next() {
      const events: ChatEvent[] = [];
      while (state !== 'over' && events.length === 0) {
        const before = reader.tokens();
        try {
          if (pieces) takePiece(await nextPiece(pieces), events);
          else await begin(events);
        } catch (thrown) {
          breakage = context.signal.aborted ? leftBy(context.signal) : CallError.from(thrown);
          state = 'over';
          reader.end(events);
        }
        if (reader.tokens() > before) {
          sending.progress();
          watch.firstToken();
        }
      }
      return events.length > 0 ? events : undefined;
    },
    isOver: () => state === 'over',
    result,
    sent: () => sending.sent(),
    drain: () => (!pieces || isAllRead || refusal || breakage ? undefined : readOut(pieces)),
    close() {
      state = 'over';
      if (isAllRead) sending.release();
      else leaveOff();
      watch.end('cancelled');
    },
  };
}

function interrupted(breakage: CallError, title: string): CallError {
  const message = `${title} stopped in the middle of its answer: ${breakage.message}`;
  const { retry } = breakage;
  return new CallError('interrupted', message, { cause: breakage, ...(retry && { retry }) });
}

function endless(title: string): CallError {
  const message = `The answer of ${title} does not end.`;
  return new CallError('bad_response', message, { retry: 'never' });
}

/** What the caller gave as the reason; one that says nothing of ours is a cancel. */
function leftBy({ reason }: Cancel): CallError {
  return reason instanceof CallError
    ? reason
    : new CallError('cancelled', 'The call was cancelled.', { cause: reason });
}
