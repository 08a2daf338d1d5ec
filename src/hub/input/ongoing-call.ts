import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamContext } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController, type AbortSignalLike } from '#core/net/abort.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { InputRequest } from '#core/tools/input-request.ts';
import type { OngoingContext, UpstreamOutcome } from './ongoing-calls.ts';
import type { DecideRequest } from './request-policy.ts';
import { toInputRequest, unsupportedRequest } from './server-request.ts';

/** A request to an upstream that may ask back. */
export interface OngoingWork {
  readonly server: string;
  send(
    handlers: Pick<UpstreamContext, 'signal' | 'onProgress' | 'onLog' | 'onServerRequest'>,
  ): Promise<JsonObject>;
  readonly decide: DecideRequest;
}

interface OngoingCallOptions {
  /** The principal and token that it belongs to. */
  readonly owner: string;
  readonly clock: Clock;
  readonly parkedMs: number;
  readonly handleOf: (round: number) => string;
  /** It needs its client; throws if it must not wait for it. */
  readonly onAsked: (call: OngoingCall) => void;
  readonly onEnd: () => void;
}

export interface OngoingCall {
  readonly owner: string;
  /**
   * Waits for its end or its next question, with the answers to those of this round. A round that
   * was answered before, such as by a repeated request, is not answered again.
   */
  continue(context: OngoingContext, round: number | undefined): Promise<UpstreamOutcome>;
  abort(error: CallError): void;
}

interface Question {
  readonly request: InputRequest;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: CallError) => void;
}

/** One that asks more than this does not end. */
const MAX_QUESTIONS = 64;
/** A result that comes while the client answers is kept if it is not longer. */
const MAX_KEPT_CHARS = 1_000_000;

function isLarge(result: JsonObject): boolean {
  return JSON.stringify(result).length > MAX_KEPT_CHARS;
}

export function createOngoingCall(work: OngoingWork, options: OngoingCallOptions): OngoingCall {
  const { clock, owner } = options;
  const canceller = new LightAbortController();
  /** Without an answer yet, by name. */
  const questions = new Map<string, Question>();
  /** The client's calls that wait for it now, and how to stop listening for their cancellation. */
  const attached = new Map<OngoingContext, () => void>();
  const waiting: ((outcome: Promise<UpstreamOutcome>) => void)[] = [];
  let latest: OngoingContext | undefined;
  let ended: Promise<UpstreamOutcome> | undefined;
  let asked = 0;
  let round = 0;
  /** Whether something was asked since the client was told last. */
  let isNew = false;
  let isFlushing = false;
  let expiry: Timer | undefined;

  function attach(context: OngoingContext): void {
    expiry?.stop();
    latest = context;
    const { signal } = context;
    const onAbort = () => {
      attached.delete(context);
      if (attached.size === 0) canceller.abort(CallError.from(signal.reason));
    };
    attached.set(context, () => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }

  function detachAll(): void {
    for (const stop of attached.values()) stop();
    attached.clear();
  }

  function settle(outcome: Promise<UpstreamOutcome>): void {
    detachAll();
    for (const resolve of waiting.splice(0)) resolve(outcome);
  }

  function end(outcome: Promise<UpstreamOutcome>): void {
    // Without a call that waits, it is kept for the next request of the client.
    outcome.catch(() => undefined);
    ended = outcome;
    questions.clear();
    if (waiting.length > 0) deliverEnd(outcome);
  }

  function deliverEnd(outcome: Promise<UpstreamOutcome>): void {
    expiry?.stop();
    options.onEnd();
    settle(outcome);
  }

  /** Passes what is asked on to the client, with all that is asked at the same moment. */
  function flush(): void {
    isFlushing = false;
    if (ended || waiting.length === 0 || questions.size === 0) return;
    if (isNew) round += 1;
    isNew = false;
    const inputRequests = Object.fromEntries(
      [...questions].map(([name, { request }]) => [name, request]),
    );
    const required = { inputRequests, handle: options.handleOf(round), abandon };
    expiry?.stop();
    expiry = clock.after(options.parkedMs, () => expire());
    settle(Promise.resolve({ is: 'input', required }));
  }

  function flushSoon(): void {
    if (isFlushing) return;
    isFlushing = true;
    queueMicrotask(flush);
  }

  function expire(): void {
    options.onEnd();
    canceller.abort(gone());
  }

  function gone(): CallError {
    return codedError('timeout', reason('parked_call_gone', { server: work.server }));
  }

  function abandon(): void {
    if (attached.size > 0) return;
    expiry?.stop();
    options.onEnd();
    canceller.abort(new CallError('cancelled', 'The client does not answer.'));
  }

  async function ask(
    request: Parameters<typeof toInputRequest>[1],
    signal: AbortSignalLike,
  ): Promise<JsonObject> {
    const input = toInputRequest(work.server, request);
    if (!input || !latest) throw unsupportedRequest(work.server, request);
    asked += 1;
    if (asked > MAX_QUESTIONS) {
      const because = reason('server_asks_too_often', { server: work.server, max: MAX_QUESTIONS });
      const error = codedError('tool_error', because);
      canceller.abort(error);
      throw error;
    }
    const decision = work.decide(input, latest, signal);
    if (typeof decision === 'object') return decision;
    if (decision === 'refuse') throw unsupportedRequest(work.server, request);
    options.onAsked(call);
    const name = `server-${asked}`;
    return new Promise<JsonObject>((resolve, reject) => {
      questions.set(name, { request: input, resolve, reject });
      isNew = true;
      const withdraw = () => {
        questions.delete(name);
        reject(CallError.from(signal.reason));
      };
      signal.addEventListener('abort', withdraw, { once: true });
      flushSoon();
    });
  }

  function answer(context: OngoingContext): void {
    for (const [name, question] of questions) {
      const given = Object.hasOwn(context.answers, name) ? context.answers[name] : undefined;
      if (!given) continue;
      questions.delete(name);
      question.resolve(given);
    }
  }

  let isSent = false;

  function send(): void {
    isSent = true;
    const sent = work.send({
      signal: canceller,
      onProgress: (step) => attached.forEach((_, context) => context.progress(step)),
      onLog: (level, data) => attached.forEach((_, context) => context.logToClient(level, data)),
      onServerRequest: ask,
    });
    sent.then(
      (result) => {
        if (waiting.length === 0 && isLarge(result)) return end(Promise.reject(gone()));
        end(Promise.resolve({ is: 'result', result }));
      },
      (thrown: unknown) => end(Promise.reject(CallError.from(thrown))),
    );
  }

  const call: OngoingCall = {
    owner,
    continue(context, ofRound) {
      const outcome = new Promise<UpstreamOutcome>((resolve) => void waiting.push(resolve));
      attach(context);
      if (ofRound === round) answer(context);
      if (!isSent) send();
      if (ended) deliverEnd(ended);
      else if (questions.size > 0) flushSoon();
      return outcome;
    },
    abort: (error) => canceller.abort(error),
  };
  return call;
}
