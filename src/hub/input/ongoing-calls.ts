import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Random } from '#core/random.ts';
import type { Clock } from '#core/time/clock.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { createOngoingCall, type OngoingCall, type OngoingWork } from './ongoing-call.ts';

/** The end of an upstream's call, or what it needs before it can end. */
export type UpstreamOutcome =
  | { readonly is: 'result'; readonly result: JsonObject }
  | { readonly is: 'input'; readonly required: InputRequired };

export type OngoingContext = Pick<
  ToolContext,
  | 'ask'
  | 'answers'
  | 'caller'
  | 'calls'
  | 'clientCapabilities'
  | 'inputHandle'
  | 'logToClient'
  | 'progress'
  | 'signal'
>;

/**
 * Calls of upstreams that may ask something while they run. While the client answers, the call of
 * the upstream is parked: nothing of ours waits for it, and the client continues it by a handle.
 */
export interface OngoingCalls {
  run(work: OngoingWork, context: OngoingContext): Promise<UpstreamOutcome>;
  /** Whether a handle is of a parked call. */
  isParked(handle: string): boolean;
  /** Continues a parked call with the answers of its client; rejects if it is gone. */
  resume(handle: string, server: string, context: OngoingContext): Promise<UpstreamOutcome>;
  /** Calls whose clients are answering. */
  readonly parked: number;
  close(): void;
}

interface OngoingCallsOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** How long a client may take to answer. */
const PARKED_MS = 10 * 60_000;
const MAX_PARKED = 256;
/** For each token of each principal. */
const MAX_PARKED_OF_ONE = 16;
const PREFIX = 'parked';

export function createOngoingCalls({ clock, random }: OngoingCallsOptions): OngoingCalls {
  /** Differs in every run of the daemon, which does not know the calls of the one before. */
  const run = Buffer.from(random(9)).toString('base64url');
  const parked = new Map<string, OngoingCall>();
  let count = 0;

  function ownerOf({ caller }: OngoingContext): string {
    const { principal, agent = '', credential = '' } = caller;
    return `${principal}\n${agent}\n${credential}`;
  }

  /** Throws where another call must not wait for its client. */
  function requireRoom(owner: string, server: string): void {
    let own = 0;
    for (const call of parked.values()) if (call.owner === owner) own += 1;
    if (parked.size < MAX_PARKED && own < MAX_PARKED_OF_ONE) return;
    throw codedError('over_capacity', reason('parked_calls_full', { server }));
  }

  function create(work: OngoingWork, context: OngoingContext): OngoingCall {
    const id = String(++count);
    const owner = ownerOf(context);
    return createOngoingCall(work, {
      owner,
      clock,
      parkedMs: PARKED_MS,
      handleOf: (round) => `${PREFIX}.${run}.${id}.${round}`,
      onAsked: (call) => {
        if (parked.has(id)) return;
        requireRoom(owner, work.server);
        parked.set(id, call);
      },
      onEnd: () => parked.delete(id),
    });
  }

  return {
    run: (work, context) => create(work, context).continue(context, undefined),
    isParked: (handle) => handle.startsWith(`${PREFIX}.`),
    async resume(handle, server, context) {
      const [, ofRun, id = '', round = ''] = handle.split('.');
      const call = parked.get(id);
      if (ofRun !== run)
        throw codedError('interrupted', reason('parked_call_restarted', { server }));
      // The sealed state already belongs to this caller alone; a revoked token opens none.
      if (!call || call.owner !== ownerOf(context)) {
        throw codedError('timeout', reason('parked_call_gone', { server }));
      }
      return call.continue(context, Number(round));
    },
    get parked() {
      return parked.size;
    },
    close() {
      const error = new CallError('interrupted', 'EX-AI is stopping.');
      for (const call of parked.values()) call.abort(error);
    },
  };
}
