import { createBriefMap } from '#core/brief-map.ts';
import type { CallKind, RunningCall } from '#core/calls.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import type { Era } from '#mcp/protocol-era.ts';
import type { Asked } from './client-questions.ts';
import type { CallProgress } from './progress.ts';

/** A call of ours that the client waits for. */
export interface CallInFlight {
  readonly is: 'call';
  readonly id: RequestId;
  readonly kind: CallKind;
  readonly tool: string;
  readonly era: Era;
  running: RunningCall | undefined;
  /** While it waits for what its client was asked. */
  asked: Asked | undefined;
  /** Absent where its client does not want to hear of it. */
  progress: CallProgress | undefined;
  /** How often it was made again with answers. */
  rounds: number;
  /** False as soon as it is answered or cancelled: nothing is sent for it any more. */
  isOpen: boolean;
}

/** Something that is answered a little later; a subscription only when it ends. */
export interface OtherInFlight {
  readonly is: 'other' | 'subscription';
}

export const SUBSCRIPTION: OtherInFlight = { is: 'subscription' };

/** The requests of one connection that are not answered yet. */
export interface InFlight {
  size(): number;
  get(id: RequestId): CallInFlight | OtherInFlight | undefined;
  has(id: RequestId): boolean;
  add(id: RequestId, what: CallInFlight | OtherInFlight): void;
  remove(id: RequestId): void;
  /** Nothing is owed an answer now. Subscriptions end with the connection and are not waited for. */
  isIdle(): boolean;
  calls(): CallInFlight[];
}

/** `expected`: how many there are at a time, roughly. */
export function createInFlight(expected: number): InFlight {
  const byId = createBriefMap<RequestId, CallInFlight | OtherInFlight>(expected);
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
