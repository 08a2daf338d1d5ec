import type { CallKind, CallRequest, RunningCall } from '#core/calls/calls.ts';
import { createTransientMap } from '#core/transient-map.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import type { Era } from '#mcp/protocol-era.ts';
import type { Reply } from './call-reply.ts';
import type { InputRound } from './client-requests.ts';
import type { McpSink } from './mcp-sink.ts';
import type { CallProgress } from './progress.ts';

/** A call that the client waits for. */
export interface CallInFlight {
  readonly is: 'call';
  readonly id: RequestId;
  readonly kind: CallKind;
  readonly tool: string;
  /** The wrapper that named the tool. */
  readonly via: CallRequest['via'];
  readonly era: Era;
  running: RunningCall | undefined;
  /** Set while it waits for answers of its client. */
  inputRound: InputRound | undefined;
  /** Undefined if the client did not request progress. */
  progress: CallProgress | undefined;
  /** How often it was run again with answers. */
  rounds: number;
  /** False once it is answered or cancelled: nothing more is sent for it. */
  isOpen: boolean;
}

/** Another request that is answered later; a subscription is answered when it ends. */
interface OtherInFlight {
  readonly is: 'other' | 'subscription';
}

export const OPEN_SUBSCRIPTION: OtherInFlight = { is: 'subscription' };

/** The unanswered requests of one session. */
export interface InFlightRequests {
  size(): number;
  get(id: RequestId): CallInFlight | OtherInFlight | undefined;
  has(id: RequestId): boolean;
  add(id: RequestId, what: CallInFlight | OtherInFlight): void;
  remove(id: RequestId): void;
  /**
   * Whether no request waits for an answer. Subscriptions do not count: they end with the session.
   */
  isIdle(): boolean;
  calls(): CallInFlight[];
}

/** `expected`: the usual number of concurrent requests. */
export function createInFlightRequests(expected: number): InFlightRequests {
  const byId = createTransientMap<RequestId, CallInFlight | OtherInFlight>(expected);
  let subscriptions = 0;
  return {
    size: () => byId.size,
    get: (id) => byId.get(id),
    has: (id) => byId.get(id) !== undefined,
    add(id, what) {
      byId.add(id, what);
      if (what.is === 'subscription') subscriptions += 1;
    },
    remove(id) {
      if (byId.delete(id)?.is === 'subscription') subscriptions -= 1;
    },
    isIdle: () => byId.size === subscriptions,
    calls: () => byId.values().filter((what) => what.is === 'call'),
  };
}

/**
 * Answers a request when its reply resolves, unless it was cancelled or the client is gone by then.
 */
export type DeferReply = (id: RequestId, reply: Promise<Reply>) => void;

interface DeferReplyOptions {
  readonly sink: McpSink;
  readonly inFlight: InFlightRequests;
  readonly isOver: () => boolean;
  readonly onSettled: () => void;
}

/** Creates the function; the replies must not reject. */
export function createDeferReply({
  sink,
  inFlight,
  isOver,
  onSettled,
}: DeferReplyOptions): DeferReply {
  return (id, reply) => {
    // A new object: after a cancellation the same id may be in flight again when the reply comes.
    const entry: OtherInFlight = { is: 'other' };
    inFlight.add(id, entry);
    void reply.then(({ text, status }) => {
      if (inFlight.get(id) !== entry || isOver()) return;
      inFlight.remove(id);
      sink.reply(id, text, status);
      onSettled();
    });
  };
}
