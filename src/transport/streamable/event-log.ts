import { appendEvent, cutOldest, type KeptStream } from './kept-stream.ts';

/** What all sessions keep together. */
export interface LogBudget {
  chars: number;
  readonly maxChars: number;
  /** It is used up: somebody has to forget something. */
  onFull(): void;
}

/** What was said to one client on streams that it may come back to. In memory: a session does not outlive the daemon. */
interface EventLog {
  find(stream: number): KeptStream | undefined;
  /** From now on what is said on it is kept. */
  add(stream: KeptStream): void;
  /** Keeps an event and gives it as it is sent. */
  say(stream: KeptStream, text: string): string;
  forget(stream: KeptStream): void;
  /** Forgets every event; the streams remember that they were cut. */
  shed(): void;
  /** Forgets the streams, too. */
  clear(onGone: (stream: KeptStream) => void): void;
}

// A client that is away for minutes may miss this much: progress comes by the hundred, answers have megabytes.
const MAX_EVENTS = 1000;
const MAX_CHARS = 4 * 1024 * 1024;

export function createEventLog(budget: LogBudget): EventLog {
  const streams = new Map<number, KeptStream>();
  let events = 0;
  let chars = 0;

  function count(byEvents: number, byChars: number): void {
    events += byEvents;
    chars += byChars;
    budget.chars += byChars;
  }

  function forget(stream: KeptStream): void {
    if (streams.get(stream.number) !== stream) return;
    streams.delete(stream.number);
    count(-stream.kept.length, -stream.keptChars);
    stream.kept.length = 0;
    stream.keptChars = 0;
    stream.cut = stream.last;
  }

  function cut(stream: KeptStream): void {
    count(-1, -cutOldest(stream));
    if (stream.phase === 'done' && stream.kept.length === 0) forget(stream);
  }

  /** The newest event stays, however large: somebody is about to be given it. */
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
    say(stream, text) {
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
        while (stream.kept.length > 0) cut(stream);
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
 * The oldest one that has ended. Whether it was read to its end nobody can know: what was written may have been on its way
 * when the connection broke, and its client may just be coming back for it.
 */
function firstEnded(streams: ReadonlyMap<number, KeptStream>): KeptStream | undefined {
  for (const stream of streams.values()) {
    if (stream.phase === 'done') return stream;
  }
  return undefined;
}

/** Whoever takes the most room gives some of it. */
function largest(streams: ReadonlyMap<number, KeptStream>, by: 'events' | 'chars'): KeptStream {
  let found: KeptStream | undefined;
  let most = -1;
  for (const stream of streams.values()) {
    const size = by === 'events' ? stream.kept.length : stream.keptChars;
    if (size > most) [found, most] = [stream, size];
  }
  if (!found) throw new Error('There is no stream to cut.');
  return found;
}
