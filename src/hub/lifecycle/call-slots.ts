import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { AnswerServer, UpstreamContext } from '#core/hub/upstream.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { createLimiter, type AcquireRequest, type Permit } from '#resilience/limiter.ts';

/** The place of a call among those that a server works on. */
export interface CallSlot {
  permit: Permit | undefined;
  /** Requests of the server that are being answered. */
  asking: number;
  isOver?: true;
}

/** The calls that a server works on at once, and a fair queue of the others. */
export interface CallSlots {
  /** Rejects when the queue is full, or the call is cancelled while it waits. */
  acquire(context: SlotContext): Promise<CallSlot>;
  /** While a call waits for an answer of its client, it leaves its place to others. */
  withoutSlot(slot: CallSlot, answer: AnswerServer, context: SlotContext): AnswerServer;
  release(slot: CallSlot): void;
  capacityChanged(): void;
}

type SlotContext = Pick<UpstreamContext, 'caller' | 'signal'>;

interface SlotsOptions {
  readonly server: string;
  /** Read at each use. */
  readonly maxConcurrent: () => number;
  /** How many may wait; read at each use. */
  readonly queue: () => number;
}

const RETRY_MS = 1_000;
const POOL: readonly string[] = ['calls'];

export function createCallSlots({ server, maxConcurrent, queue }: SlotsOptions): CallSlots {
  const limiter = createLimiter({
    capacity: maxConcurrent,
    get maxWaiting() {
      return queue();
    },
  });

  async function acquire(
    { caller, signal }: SlotContext,
    more: Pick<AcquireRequest, 'isContinued'> = {},
  ): Promise<Permit> {
    const { principal, credential = '' } = caller;
    const fairnessKey = `${principal}\n${credential}`;
    const admission = limiter.acquire({ pools: POOL, fairnessKey, ...more });
    if (admission.is === 'granted') return admission.permit;
    if (admission.is === 'full') throw full();
    const { entry: place } = admission;
    const leave = () => place.leave();
    signal.addEventListener('abort', leave, { once: true });
    const permit = await place.permit;
    signal.removeEventListener('abort', leave);
    if (signal.aborted) {
      permit?.release();
      throw CallError.from(signal.reason);
    }
    if (!permit) throw full();
    return permit;
  }

  function full(): CallError {
    const params = { server, running: maxConcurrent() };
    return codedError('over_capacity', reason('server_full', params), {
      retryAfterMs: RETRY_MS,
      fixes: [fix('retry')],
    });
  }

  return {
    acquire: async (context) => ({ permit: await acquire(context), asking: 0 }),
    withoutSlot(slot, answer, context) {
      return async (asked, signal) => {
        slot.asking += 1;
        slot.permit?.release();
        slot.permit = undefined;
        try {
          return await answer(asked, signal);
        } finally {
          slot.asking -= 1;
          if (slot.asking === 0 && !slot.isOver) {
            const permit = await acquire(context, { isContinued: true }).catch(() => undefined);
            if (slot.isOver || slot.asking > 0) permit?.release();
            else slot.permit = permit;
          }
        }
      };
    },
    release(slot) {
      slot.permit?.release();
      slot.permit = undefined;
      slot.isOver = true;
    },
    capacityChanged: () => limiter.capacityChanged(),
  };
}
