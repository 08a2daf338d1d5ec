import type { RequestId } from '#mcp/json-rpc.ts';
import type { Out } from '../http/endpoint.ts';
import { eventFrame, toEventId } from './events.ts';
import type { Ticket } from './delay-line.ts';
import { createPulse, type Pulse } from './unread.ts';

/** Whose stream it is, and so who is told that its time has come. */
export interface StreamOwner {
  /** Nothing was said for a while: whoever waits shall see that somebody is there. */
  onSlow(stream: KeptStream): void;
  onKeepalive(stream: KeptStream): void;
  /** It was open for so long that the client shall come back for the rest. */
  onLong(stream: KeptStream): void;
  /** It ended so long ago that nobody will ask for it again. */
  onOld(stream: KeptStream): void;
}

/**
 * What was said on one stream of a session. `waiting`: nothing yet, so it may still become a plain JSON answer.
 * `lost`: the client left before it was told an event id, so that nobody can ask for the rest.
 */
export interface KeptStream {
  readonly owner: StreamOwner;
  readonly number: number;
  /** Whose answer it carries; none for the stream of what belongs to no request. */
  readonly request: RequestId | undefined;
  phase: 'waiting' | 'open' | 'done' | 'lost';
  /** Who reads it now. */
  out: Out | undefined;
  /** The number of the last event; the first is 1. */
  last: number;
  /** Up to here events are no longer kept. */
  cut: number;
  /** Events `cut + 1` to `last`, as they are sent. */
  readonly kept: string[];
  keptChars: number;
  /** Up to here they were given to somebody. */
  given: number;
  /** Its place in the line it waits in. */
  ticket: Ticket<KeptStream> | undefined;
  keepalive: Ticket<KeptStream> | undefined;
  pulse: Pulse;
}

/** Of a stream that is not open. */
const NO_PULSE = createPulse();

export function createStream(
  owner: StreamOwner,
  number: number,
  request: RequestId | undefined,
): KeptStream {
  return {
    owner,
    number,
    request,
    phase: 'waiting',
    out: undefined,
    last: 0,
    cut: 0,
    kept: [],
    keptChars: 0,
    given: 0,
    ticket: undefined,
    keepalive: undefined,
    pulse: NO_PULSE,
  };
}

/** Adds an event and gives it as it is sent. */
export function appendEvent(stream: KeptStream, text: string): string {
  stream.last += 1;
  const frame = eventFrame(text, toEventId({ stream: stream.number, event: stream.last }));
  stream.kept.push(frame);
  stream.keptChars += frame.length;
  return frame;
}

/** Forgets the oldest event; gives its length. What came before is remembered as cut off. */
export function cutOldest(stream: KeptStream): number {
  const frame = stream.kept.shift();
  if (frame === undefined) return 0;
  stream.cut += 1;
  stream.keptChars -= frame.length;
  return frame.length;
}

/** All that came after an event; nothing when that event never was, or not all of it is kept. */
export function eventsAfter(stream: KeptStream, event: number): readonly string[] | undefined {
  if (event > stream.last || event < stream.cut) return undefined;
  return stream.kept.slice(event - stream.cut);
}
