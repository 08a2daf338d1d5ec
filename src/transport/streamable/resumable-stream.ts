import type { Clock } from '#core/time/clock.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import type { ResponseSink } from '../http/http-context.ts';
import { createStallDetector, type StallDetector } from './backpressure.ts';
import { eventFrame, toEventId } from './sse-frames.ts';
import { createTimeoutQueue, type QueuedTimeout, type TimeoutQueue } from './timeout-queue.ts';

/** The owner of a stream, which handles its timeouts. */
export interface StreamOwner {
  /** No answer for a while: it becomes a stream, so that the client sees keep-alives. */
  onSlow(stream: ResumableStream): void;
  onKeepalive(stream: ResumableStream): void;
  /** Open for so long that it is closed and the client resumes it. */
  onLong(stream: ResumableStream): void;
  /** Ended so long ago that it can be removed. */
  onOld(stream: ResumableStream): void;
}

/**
 * One SSE stream of a session with its stored events. `waiting`: nothing sent yet, so it may still
 * become a plain JSON answer. `lost`: the client left before it got an event id, so it cannot
 * resume.
 */
export interface ResumableStream {
  readonly owner: StreamOwner;
  readonly number: number;
  /** The request that it answers; undefined for the stream of unsolicited messages. */
  readonly request: RequestId | undefined;
  phase: 'waiting' | 'open' | 'done' | 'lost';
  /** The current response; undefined while the client is away. */
  out: ResponseSink | undefined;
  /** Number of the last event; the first is 1. */
  last: number;
  /** Events up to this number are no longer stored. */
  cut: number;
  /** Frames of the events `cut + 1` to `last`. */
  readonly frames: string[];
  storedChars: number;
  /** Number of the last event that was sent. */
  sent: number;
  /** Its entry in a timeout queue. */
  timeout: QueuedTimeout<ResumableStream> | undefined;
  keepalive: QueuedTimeout<ResumableStream> | undefined;
  stall: StallDetector;
}

/** For a stream that is not open. */
const NOT_STALLED = createStallDetector();

export function createResumableStream(
  owner: StreamOwner,
  number: number,
  request: RequestId | undefined,
): ResumableStream {
  return {
    owner,
    number,
    request,
    phase: 'waiting',
    out: undefined,
    last: 0,
    cut: 0,
    frames: [],
    storedChars: 0,
    sent: 0,
    timeout: undefined,
    keepalive: undefined,
    stall: NOT_STALLED,
  };
}

/** Appends an event and returns its frame. */
function appendEvent(stream: ResumableStream, text: string): string {
  stream.last += 1;
  const frame = eventFrame(text, toEventId({ stream: stream.number, event: stream.last }));
  stream.frames.push(frame);
  stream.storedChars += frame.length;
  return frame;
}

/** Removes the oldest event and returns its length. */
function cutOldest(stream: ResumableStream): number {
  const frame = stream.frames.shift();
  if (frame === undefined) return 0;
  stream.cut += 1;
  stream.storedChars -= frame.length;
  return frame.length;
}

/**
 * The frames after an event; undefined if there is no such event, or some of them are no longer
 * stored.
 */
export function eventsAfter(stream: ResumableStream, event: number): readonly string[] | undefined {
  if (event > stream.last || event < stream.cut) return undefined;
  return stream.frames.slice(event - stream.cut);
}

/** The size limit for the events of all sessions together. */
export interface EventStoreBudget {
  chars: number;
  readonly maxChars: number;
  /** The limit is exceeded: sessions must drop events. */
  onFull(): void;
}

/**
 * The events of one session, for resuming its streams. In memory: a session does not outlive the
 * daemon.
 */
interface EventStore {
  find(stream: number): ResumableStream | undefined;
  /** Starts to store the events of a stream. */
  add(stream: ResumableStream): void;
  /** Stores an event and returns its frame. */
  append(stream: ResumableStream, text: string): string;
  forget(stream: ResumableStream): void;
  /** Drops every event; the streams stay, but cannot be resumed from before. */
  shed(): void;
  /** Drops the streams too. */
  clear(onGone: (stream: ResumableStream) => void): void;
}

// A client that is away for minutes may miss hundreds of progress events and answers of megabytes.
const MAX_EVENTS = 1000;
const MAX_CHARS = 4 * 1024 * 1024;

export function createEventStore(budget: EventStoreBudget): EventStore {
  const streams = new Map<number, ResumableStream>();
  let events = 0;
  let chars = 0;

  function count(byEvents: number, byChars: number): void {
    events += byEvents;
    chars += byChars;
    budget.chars += byChars;
  }

  function forget(stream: ResumableStream): void {
    if (streams.get(stream.number) !== stream) return;
    streams.delete(stream.number);
    count(-stream.frames.length, -stream.storedChars);
    stream.frames.length = 0;
    stream.storedChars = 0;
    stream.cut = stream.last;
  }

  function cut(stream: ResumableStream): void {
    count(-1, -cutOldest(stream));
    if (stream.phase === 'done' && stream.frames.length === 0) forget(stream);
  }

  /** Keeps the newest event, however large, since it is about to be sent. */
  function trim(): void {
    while (events > 1 && (events > MAX_EVENTS || chars > MAX_CHARS)) {
      const ended = firstEnded(streams);
      if (ended) forget(ended);
      else cut(largest(streams, events > MAX_EVENTS ? 'events' : 'chars'));
    }
  }

  return {
    find: (number) => streams.get(number),
    add: (stream) => void streams.set(stream.number, stream),
    append(stream, text) {
      const frame = appendEvent(stream, text);
      if (!streams.has(stream.number)) return frame;
      count(1, frame.length);
      trim();
      if (budget.chars > budget.maxChars) budget.onFull();
      return frame;
    },
    forget,
    shed() {
      for (const stream of streams.values()) {
        while (stream.frames.length > 0) cut(stream);
      }
    },
    clear(onGone) {
      for (const stream of streams.values()) {
        forget(stream);
        onGone(stream);
      }
    },
  };
}

/**
 * The oldest stream that has ended. The server cannot know whether the client read all of it: the
 * connection may have broken in between, and the client may be about to resume.
 */
function firstEnded(streams: ReadonlyMap<number, ResumableStream>): ResumableStream | undefined {
  for (const stream of streams.values()) {
    if (stream.phase === 'done') return stream;
  }
  return undefined;
}

/** The stream that takes the most room. */
function largest(
  streams: ReadonlyMap<number, ResumableStream>,
  by: 'events' | 'chars',
): ResumableStream {
  let found: ResumableStream | undefined;
  let most = -1;
  for (const stream of streams.values()) {
    const size = by === 'events' ? stream.frames.length : stream.storedChars;
    if (size > most) [found, most] = [stream, size];
  }
  if (!found) throw new Error('There is no stream to cut.');
  return found;
}

/** Configured times of streams, in milliseconds. */
export interface StreamTimings {
  /**
   * An answer that takes longer becomes a stream; 0: every resumable answer is a stream from the
   * start.
   */
  readonly streamAfterMs: number;
  /** A stream is closed after this, and the client resumes it; 0: never. */
  readonly streamForMs: number;
  /** Interval of keep-alive comments on a stream. */
  readonly sseKeepaliveMs: number;
}

/** The timeout queues of all resumable streams. */
export interface StreamTimeoutQueues {
  readonly slow: TimeoutQueue<ResumableStream> | undefined;
  readonly keepalive: TimeoutQueue<ResumableStream>;
  readonly long: TimeoutQueue<ResumableStream> | undefined;
  readonly old: TimeoutQueue<ResumableStream>;
}

// A client that lost its connection resumes within seconds, a sleeping laptop within minutes.
const KEEP_ENDED_MS = 300_000;

export function createStreamTimeoutQueues(clock: Clock, times: StreamTimings): StreamTimeoutQueues {
  const { streamAfterMs, streamForMs, sseKeepaliveMs } = times;
  return {
    slow:
      streamAfterMs === 0
        ? undefined
        : createTimeoutQueue(clock, streamAfterMs, (stream) => stream.owner.onSlow(stream)),
    keepalive: createTimeoutQueue(clock, sseKeepaliveMs, (stream) =>
      stream.owner.onKeepalive(stream),
    ),
    long:
      streamForMs === 0
        ? undefined
        : createTimeoutQueue(clock, streamForMs, (stream) => stream.owner.onLong(stream)),
    old: createTimeoutQueue(clock, KEEP_ENDED_MS, (stream) => stream.owner.onOld(stream)),
  };
}

export function clearStreamTimeoutQueues({
  slow,
  keepalive,
  long,
  old,
}: StreamTimeoutQueues): void {
  for (const queue of [slow, keepalive, long, old]) queue?.clear();
}
