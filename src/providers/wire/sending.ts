import { CallError } from '#core/call-error.ts';
import type { HttpResponse } from '#core/http.ts';
import type { ProviderContext } from '#core/provider.ts';
import { startTimers } from '#net/timers.ts';
import type { ChatPlan, Round } from './round.ts';
import { chatUrl, headersOf, refuseFailure } from './send.ts';
import type { WireOptions } from './wire-options.ts';

/** One request on its way: leave to ask, its times, and what it holds until it is over. */
export interface Sending {
  /** Throws what it was refused with, or what ended it. */
  send(answered: (response: HttpResponse) => void): Promise<HttpResponse>;
  /** The request as it was sent. */
  sent(): string;
  /** Text, a thought or a call came. */
  progress(): void;
  /** Ends it wherever it is, be it still in line; what it held is given back. */
  abandon(): void;
  /** It is over: what it held is given back. */
  release(): void;
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const STREAM_HEADERS = { ...JSON_HEADERS, accept: 'text/event-stream' };

export function createSending(
  plan: ChatPlan,
  round: Round,
  context: ProviderContext,
  options: WireOptions,
): Sending {
  const { http, clock, gate } = options;
  const { signal, deadline, lineMs } = context;
  const isStream = plan.delivery === 'stream';
  // As long as its asker has time for: who knows somebody else to ask does not wait to the end.
  const line =
    gate && lineMs !== undefined ? { ms: lineMs, tooLong: gate.tooLong ?? tooLong } : undefined;
  // From the start, so that standing in line does not outlast the deadline either.
  const timers = startTimers({ clock, deadline, signal, line });
  let leave: (() => void) | undefined;
  let isOver = false;
  let sent = '';

  function release(): void {
    isOver = true;
    timers.dispose();
    leave?.();
    leave = undefined;
  }

  return {
    async send(answered) {
      const headers = headersOf(options, isStream ? STREAM_HEADERS : JSON_HEADERS, round.headers);
      timers.signal.throwIfAborted();
      if (gate) {
        leave = await gate(timers.signal);
        timers.admitted();
        // Whoever gave up in the meantime must not keep the place.
        if (isOver) release();
        timers.signal.throwIfAborted();
      }
      // A whole answer comes in one piece when everything is done: only the deadline can judge it.
      if (isStream) timers.expect(context.patience ?? options.patience);
      sent = JSON.stringify(round.body);
      const response = await http.send({
        method: 'POST',
        url: chatUrl(options),
        headers,
        body: sent,
        signal: timers.signal,
      });
      answered(response);
      if (response.status < 200 || response.status >= 300)
        await refuseFailure(response, plan.model, options);
      return response;
    },
    sent: () => sent,
    progress: () => timers.progress(),
    abandon() {
      timers.stop();
      release();
    },
    release,
  };
}

const BACK_MS = 1000;

function tooLong(): CallError {
  const message = 'No place became free in time; too many calls are under way.';
  return new CallError('over_capacity', message, { retryAfterMs: BACK_MS });
}
