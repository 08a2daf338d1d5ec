import type { CallPhase, Progress } from '#core/calls/call.ts';
import { createTokenCounter } from '#core/llm/token-counter.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import { PHASE_KEY, TEXT_KEY } from '#mcp/meta-keys.ts';
import type { CallInFlight, InFlightRequests } from './in-flight.ts';
import type { McpSink } from './mcp-sink.ts';

// Increment between two counts of the tool: larger than nothing, smaller than the next count.
const NUDGE = 1 / 1024;

const PHASE_NOTES: Readonly<Record<CallPhase, string>> = {
  queued: 'awaiting capacity',
  running: 'running',
  input_required: 'awaiting an answer',
};

// More frequent updates cannot be read, and an answer has thousands of parts.
const COUNT_INTERVAL_MS = 1000;

export interface ProgressOptions {
  readonly sink: McpSink;
  readonly token: RequestId;
  readonly call: CallInFlight;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether the client gets the answer's text as it streams, or its length now and then. */
  readonly text: 'streamed' | 'counted';
}

/** Progress notifications of one call. */
export interface CallProgress {
  readonly step: (step: Progress) => void;
  /** The call has left the queue. */
  readonly admitted: () => void;
  /** Sends a notification if none was sent for this long. */
  readonly heartbeat: (silenceMs: number) => void;
}

/**
 * Sends a tool's steps as `notifications/progress`, whose number must always grow: a step without a
 * growing count is sent as a little more than the one before.
 */
export function createProgress(options: ProgressOptions): CallProgress {
  const { sink, token, call, clock } = options;
  const buffer = options.text === 'streamed' ? createTextBuffer() : undefined;
  const tokens = createTokenCounter();
  const startedAt = clock.monotonic();
  let isAdmitted = false;
  let sentAt = startedAt;
  let last = -1;
  let isCounted = false;
  let countSentAt = Number.NEGATIVE_INFINITY;

  function send({ done, total, note, phase }: Progress, text = ''): void {
    const isCount = done !== undefined && Number.isFinite(done) && done > last;
    isCounted ||= isCount;
    const progress = isCount ? done : last + (isCounted ? NUDGE : 1);
    // Beyond 2^53 the increment is lost; then nothing is sent.
    if (!(progress > last)) return;
    last = progress;
    sentAt = clock.monotonic();
    const isTotal = total !== undefined && Number.isFinite(total) && total >= progress;
    const meta = {
      ...(text !== '' && { [TEXT_KEY]: text }),
      ...(phase !== undefined && { [PHASE_KEY]: phase }),
    };
    const params = {
      progressToken: token,
      progress,
      ...(isTotal && { total }),
      ...(note !== undefined && { message: note }),
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    };
    const message = { jsonrpc: '2.0', method: 'notifications/progress', params };
    sink.send(JSON.stringify(message), call.id);
  }

  function sendCount(): void {
    const now = clock.monotonic();
    if (now - countSentAt < COUNT_INTERVAL_MS) return;
    countSentAt = now;
    send({ note: `about ${tokens.count()} tokens so far` });
  }

  return {
    step({ text, ...others }) {
      if (!call.isOpen) return;
      if (text !== undefined) {
        if (buffer) buffer.add(text);
        else tokens.add(text);
      }
      if (!sink.isClear(call.id)) return;
      if (text === undefined || Object.keys(others).length > 0) send(others, buffer?.take());
      else if (!buffer) sendCount();
      else if (buffer.hasMore()) send({}, buffer.take());
    },
    admitted: () => void (isAdmitted = true),
    heartbeat(silenceMs) {
      const now = clock.monotonic();
      if (!call.isOpen || now - sentAt < silenceMs || !sink.isClear(call.id)) return;
      const seconds = Math.round((now - startedAt) / 1000);
      const phase = call.inputRound ? 'input_required' : isAdmitted ? 'running' : 'queued';
      send({ phase, note: `${PHASE_NOTES[phase]}, ${seconds} s` }, buffer?.take());
    },
  };
}

/** Beyond this, a slow client gets the rest with the answer itself. */
const MAX_WAITING_CHARS = 1_048_576;

/** Buffers the text of an answer until it can be sent: always a prefix of it, without gaps. */
interface TextBuffer {
  add(text: string): void;
  hasMore(): boolean;
  /** Removes and returns the buffered text. */
  take(): string;
}

function createTextBuffer(): TextBuffer {
  let waiting: string[] = [];
  let chars = 0;
  let isCut = false;
  return {
    add(text) {
      if (isCut || text === '') return;
      isCut = chars + text.length > MAX_WAITING_CHARS;
      if (isCut) return;
      waiting.push(text);
      chars += text.length;
    },
    hasMore: () => chars > 0,
    take() {
      const text = waiting.join('');
      waiting = [];
      chars = 0;
      return text;
    },
  };
}

// A client may get nothing for twice this long. Clients with a silence timeout allow at least half
// a minute.
const SILENCE_MS = 5000;

/** Sends regular progress for every running call, with one timer per session. */
export interface Heartbeat {
  /** A call with progress has started. */
  start(): void;
  stop(): void;
}

export function createHeartbeat(clock: Clock, inFlight: InFlightRequests): Heartbeat {
  let timer: Timer | undefined;

  function beat(): void {
    const reporting = inFlight.calls().filter(({ progress }) => progress !== undefined);
    timer = reporting.length > 0 ? clock.after(SILENCE_MS, beat) : undefined;
    for (const { progress } of reporting) progress?.heartbeat(SILENCE_MS);
  }

  return {
    start: () => void (timer ??= clock.after(SILENCE_MS, beat)),
    stop() {
      timer?.stop();
      timer = undefined;
    },
  };
}
