import { CallError } from '#core/errors/call-error.ts';
import { ANSWER_LIMITS, isTooComplexJson } from '#core/json/json-guard.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import { notice } from '#core/messages/notices.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { HttpResponse } from '#core/net/http.ts';
import { sleep } from '#core/time/clock.ts';
import { remainingMs } from '#core/time/deadline.ts';
import { startTimeouts } from '#net/timeouts.ts';
import { callLimitError } from './call-limit-error.ts';
import type { ChatPlan, ChatStep } from './chat-plan.ts';
import type { RateResponse, ResolvedClientOptions } from './client-options.ts';
import { readConcurrency, readPauseMs } from './errors/rate-limits.ts';
import { toVendorCallError, vendorErrorOf } from './errors/vendor-error.ts';
import {
  chatUrl,
  throwVendorError,
  requestHeaders,
  unreachableError,
  withProviderName,
} from './http.ts';
import { REDACTED } from './redact-keys.ts';
import { traceVendorRequest, type VendorRequestTrace } from './request-telemetry.ts';
import { resolveFinish, type AnswerEnd } from './response/finish.ts';
import { createChunkParser } from './response/chunk-parser.ts';
import { asObject, parseCheckedJson, type Unknown } from './response/json.ts';
import { MAX_CHAT_BYTES, readBodyText, jsonTooComplexError } from './response/read-body-text.ts';
import { createResponseParser, type AssistantTurn } from './response/response-parser.ts';
import { createSseReader, type SseEvent, type SseReader } from './response/sse-reader.ts';

/** One chat request whose response is read piece by piece. */
export interface StreamingRequest {
  /** The events of the next piece; nothing when the response is over, however it ended. */
  next(): Promise<readonly ChatEvent[] | undefined>;
  /** Whether the response is over. */
  isOver(): boolean;
  /** After the response is over. */
  result(): { readonly turn: AssistantTurn; readonly end: AnswerEnd; readonly hadContent: boolean };
  /** The body that was sent. */
  sent(): string;
  /**
   * Reads the rest of the response, so that the connection can be reused; nothing when it is all
   * read.
   */
  drain(): Promise<void> | undefined;
  /** Aborts the request if it is still running. */
  close(): void;
}

/** The status of a response without a body. */
const NO_CONTENT = 204;
const MAX_STREAM_BYTES = 64 * 1024 * 1024;
/** Bytes after which the event loop is yielded to others. */
const YIELD_BYTES = 512 * 1024;
/** How long a server may keep the response open after `[DONE]` before the connection is closed. */
const DRAIN_MS = 250;

export function openStreamingRequest(
  plan: ChatPlan,
  step: ChatStep,
  context: ProviderContext,
  options: ResolvedClientOptions,
): StreamingRequest {
  const { clock, title, marks, citations, keys } = options;
  const isStream = plan.delivery === 'stream';
  const trace = traceVendorRequest({ operation: 'chat', model: plan.model }, context, options);
  const { tools, ownTools } = plan;
  const parser = createResponseParser({ tools, ownTools, marks, citations, keys });
  const lifecycle = createRequestLifecycle(plan, step, context, options);
  let pieces: AsyncIterator<Uint8Array> | undefined;
  let sse: SseReader | undefined;
  const parseChunk = createChunkParser();
  let state: 'new' | 'reading' | 'over' = 'new';
  let isAllRead = false;
  let bytesRead = 0;
  /** Bytes since the event loop was last yielded. */
  let bytesSinceYield = 0;
  let hasBegun = false;
  /** Whether the vendor ended the response itself: with `[DONE]`, or as one JSON document. */
  let isComplete = false;
  /** The error that the vendor reported. */
  let vendorError: CallError | undefined;
  /** The error of the connection. */
  let connectionError: CallError | undefined;

  /**
   * Sends the request. A vendor may answer a streamed request with plain JSON and the other way
   * round.
   */
  async function begin(events: ChatEvent[]): Promise<void> {
    const response = await lifecycle.send(trace);
    if (response.status === NO_CONTENT) {
      isComplete = true;
      isAllRead = true;
      state = 'over';
      return;
    }
    const type = response.headers['content-type'] ?? '';
    const isEvents = isStream ? !/json|html/.test(type) : type.includes('text/event-stream');
    if (isEvents) {
      pieces = response.body[Symbol.asyncIterator]();
      sse = createSseReader();
      return;
    }
    const limits = { title, maxBytes: MAX_CHAT_BYTES, json: ANSWER_LIMITS };
    const text = keys.redact(await readBodyText(response.body, limits));
    if (text.length > YIELD_BYTES) await sleep(clock, 0, context.signal);
    const answer = asObject(parseCheckedJson(text));
    isAllRead = true;
    isComplete = true;
    state = 'over';
    if (!answer) throw new CallError('bad_response', `${title} sent a response that is not JSON.`);
    takeChunk(answer, response.headers, events);
    parser.end(events);
  }

  async function nextPiece(from: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    if (bytesSinceYield > YIELD_BYTES) {
      bytesSinceYield = 0;
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
      bytesSinceYield += value.length;
      if (bytesRead > MAX_STREAM_BYTES) throw endless(title);
    }
    const read = done === true ? sse?.end() : sse?.push(value);
    for (const event of read ?? []) takeEvent(event, events);
    if (state === 'over') parser.end(events);
  }

  function takeEvent({ name, data }: SseEvent, events: ChatEvent[]): void {
    if (state === 'over' && !isAllRead) return;
    if (data === '[DONE]') {
      isComplete = true;
      state = 'over';
      return;
    }
    if (isTooComplexJson(data, ANSWER_LIMITS)) throw jsonTooComplexError(title);
    const chunk = parseChunk(keys.redact(data));
    const parsed = asObject(chunk);
    if (name === 'error') failWith(parsed ?? chunk ?? data, {});
    else if (parsed) takeChunk(parsed, {}, events);
    else if (data.trim() !== '') skipUnreadable(data, events);
  }

  function takeChunk(chunk: Unknown, headers: HttpResponse['headers'], events: ChatEvent[]): void {
    if (!hasBegun) trace.received(chunk);
    hasBegun = true;
    // A vendor may send anything as the model name, the key included.
    const { model } = chunk;
    if (typeof model === 'string' && model.includes(REDACTED)) chunk = { ...chunk, model: '' };
    if (chunk['error']) failWith(chunk, headers);
    else parser.take(chunk, events);
  }

  function failWith(error: unknown, headers: HttpResponse['headers']): void {
    vendorError = toVendorCallError(vendorErrorOf(200, error), headers, plan.model, options);
    state = 'over';
  }

  /**
   * Handles an event that is not valid JSON. One that begins like an object was a piece of the
   * answer, so the answer is interrupted there and can be continued. Anything else is skipped once
   * the answer has content.
   */
  function skipUnreadable(data: string, events: ChatEvent[]): void {
    if (!parser.hasContent() || data.trimStart().startsWith('{'))
      throw new CallError('bad_response', `${title} sent an event that is not JSON.`);
    events.push({ type: 'notice', notice: notice('piece_unreadable', { model: title }) });
  }

  /** Closes the connection in the middle of the response. */
  function abort(): void {
    lifecycle.abandon();
    // Errors no longer matter.
    pieces?.return?.().catch(() => undefined);
  }

  function result() {
    const turn = parser.turn();
    const hadContent = parser.hasContent();
    return { turn, hadContent, end: endOf(turn, hadContent) };
  }

  function endOf(turn: AssistantTurn, hadContent: boolean): AnswerEnd {
    const received = { hasBegun, hasChoice: parser.hasChoice(), isComplete };
    const finish = resolveFinish(turn, title, received, plan.maxOutputTokens);
    const isOurs = context.signal.aborted || remainingMs(context.deadline, clock) === 0;
    let error = vendorError;
    if (!error && connectionError) {
      // A connection that breaks after the finish reason does no harm.
      const isFinished = turn.finish !== undefined && !isOurs;
      if (!isFinished && hadContent && !isOurs) error = interrupted(connectionError, title);
      else if (!isFinished) error = unreachableError(connectionError, options);
    }
    if (!error && finish.is === 'failed') error = finish.error;
    const end: AnswerEnd = error
      ? { is: 'failed', error: withProviderName(error, plan.model, options) }
      : finish;
    trace.end(end.is === 'failed' ? end.error.class : 'ok');
    return end;
  }

  async function drainBody(from: AsyncIterator<Uint8Array>): Promise<void> {
    const timer = clock.after(DRAIN_MS, abort);
    try {
      while (!isAllRead) isAllRead = (await from.next()).done === true;
    } catch {
      // The answer is complete; errors of the connection no longer matter.
    } finally {
      timer.stop();
    }
  }

  return {
    async next() {
      const events: ChatEvent[] = [];
      while (state !== 'over' && events.length === 0) {
        const before = parser.tokens();
        try {
          if (pieces) takePiece(await nextPiece(pieces), events);
          else await begin(events);
        } catch (thrown) {
          connectionError = context.signal.aborted
            ? abortError(context.signal)
            : CallError.from(thrown);
          state = 'over';
          parser.end(events);
        }
        if (parser.tokens() > before) {
          lifecycle.progress();
          trace.firstToken();
        } else if (pieces) lifecycle.alive();
      }
      return events.length > 0 ? events : undefined;
    },
    isOver: () => state === 'over',
    result,
    sent: () => lifecycle.sent(),
    drain: () =>
      !pieces || isAllRead || vendorError || connectionError ? undefined : drainBody(pieces),
    close() {
      state = 'over';
      if (isAllRead) lifecycle.release();
      else abort();
      trace.end('cancelled');
    },
  };
}

function interrupted(connectionError: CallError, title: string): CallError {
  const message = `${title} stopped in the middle of its answer: ${connectionError.message}`;
  const { retry } = connectionError;
  return new CallError('interrupted', message, { cause: connectionError, ...(retry && { retry }) });
}

function endless(title: string): CallError {
  const message = `The answer of ${title} does not end.`;
  return new CallError('bad_response', message, { retry: 'never' });
}

/** The abort reason as an error; an unknown reason is a cancellation. */
function abortError({ reason }: AbortSignalLike): CallError {
  return reason instanceof CallError
    ? reason
    : new CallError('cancelled', 'The call was cancelled.', { cause: reason });
}

/** The lifecycle of one request: its permit, its timeouts, and their release. */
interface RequestLifecycle {
  /** Throws the vendor's error, or what aborted the request. */
  send(trace: Pick<VendorRequestTrace, 'responded' | 'refused'>): Promise<HttpResponse>;
  /** The body that was sent. */
  sent(): string;
  /** Text, reasoning or a call arrived. */
  progress(): void;
  /** Something else arrived. */
  alive(): void;
  /** Aborts the request, also while it waits for a permit, and releases everything. */
  abandon(): void;
  /** Releases permit and timers when the request is over. */
  release(): void;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const STREAM_HEADERS = { ...JSON_HEADERS, accept: 'text/event-stream' };

function createRequestLifecycle(
  plan: ChatPlan,
  step: ChatStep,
  context: ProviderContext,
  options: ResolvedClientOptions,
): RequestLifecycle {
  const { http, clock, acquirePermit, keys } = options;
  const { signal, deadline, queueMs, wholeMs, vendorCalls } = context;
  const isStream = plan.delivery === 'stream';
  // The wait for a permit has its own limit, so that the caller can try another provider.
  const queue = acquirePermit && {
    ms: queueMs,
    tooLong: acquirePermit.queueTimeoutError ?? queueTimeout,
  };
  // Started before the queue, so that waiting does not outlast the deadline.
  const timers = startTimeouts({ clock, deadline, signal, queue: queue });
  let releasePermit: (() => void) | undefined;
  let isOver = false;
  let sent = '';

  function release(): void {
    isOver = true;
    timers.dispose();
    releasePermit?.();
    releasePermit = undefined;
  }

  function learnRefusal(error: CallError, pause: Pick<RateResponse, 'pauseMs'>): void {
    if (error.class !== 'rate_limit') return;
    const concurrency = readConcurrency(error.vendorText ?? '');
    acquirePermit?.learn?.({
      is: 'limited',
      ...pause,
      ...(concurrency !== undefined && { concurrency }),
    });
  }

  return {
    async send(trace) {
      const headers = requestHeaders(
        options,
        isStream ? STREAM_HEADERS : JSON_HEADERS,
        step.headers,
      );
      timers.signal.throwIfAborted();
      if (acquirePermit) {
        releasePermit = await acquirePermit(timers.signal);
        timers.admitted();
        // Aborted while waiting: the permit is returned.
        if (isOver) release();
        timers.signal.throwIfAborted();
      }
      // A response that is not streamed arrives at once, so it has one limit for all of it.
      if (isStream) timers.expect(context.timeouts ?? options.timeouts);
      else if (wholeMs !== undefined) timers.expect({ firstTokenMs: wholeMs, idleMs: Infinity });
      // Other choices of the request may have used the rest while this one waited.
      if (vendorCalls?.left === 0) throw callLimitError(vendorCalls, plan.model, options);
      vendorCalls?.count();
      sent = JSON.stringify(step.body);
      const response = await http.send({
        method: 'POST',
        url: chatUrl(options),
        headers,
        body: sent,
        signal: timers.signal,
      });
      trace.responded(response, { url: chatUrl(options), headers, body: step.body });
      const isAccepted = response.status >= 200 && response.status < 300;
      const pauseMs = acquirePermit?.learn && readPauseMs(response.headers, clock);
      const pause = pauseMs === undefined ? {} : { pauseMs };
      if (isAccepted) acquirePermit?.learn?.({ is: 'accepted', ...pause });
      else {
        const onBody = (text: string) => trace.refused(keys.redact(text));
        await throwVendorError(response, plan.model, options, onBody).catch((thrown: unknown) => {
          learnRefusal(CallError.from(thrown), pause);
          throw thrown;
        });
      }
      return response;
    },
    sent: () => sent,
    progress: () => timers.progress(),
    alive: () => timers.alive(),
    abandon() {
      timers.stop();
      release();
    },
    release,
  };
}

const RETRY_AFTER_MS = 1000;

function queueTimeout(): CallError {
  const message = 'No place became free in time; too many calls are under way.';
  return new CallError('over_capacity', message, { retryAfterMs: RETRY_AFTER_MS });
}
