import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/llm/chat.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { sleepWhole, type Clock } from '#core/time/clock.ts';
import type { Capability, Provider, ProviderContext, ProviderId } from '#core/llm/provider.ts';

/**
 * The events of a scripted provider for one request; `wait` is in milliseconds, and `queue`, as the first
 * step, the wait for a slot before the request is sent.
 */
export type Script = readonly (
  | ChatEvent
  | CallError
  | 'silence'
  | `wait ${number}`
  | `queue ${number}`
)[];

export interface Scripted extends Provider {
  /** Its requests, oldest first. */
  readonly asked: ChatRequest[];
}

const USAGE = { input: 10, output: 5, cached: 0, reasoning: 0, estimated: false };

export const END: Script = [
  { type: 'usage', usage: USAGE },
  { type: 'finish', reason: 'stop' },
];

export function textEvents(...texts: string[]): Script {
  return texts.map((text) => ({ type: 'text', text }) as const);
}

export function fullAnswer(...texts: string[]): Script {
  return [...textEvents(...texts), ...END];
}

/** A fake provider that answers its requests by scripts in order; the last script repeats. */
export function scripted(
  id: ProviderId,
  scripts: readonly Script[],
  can: readonly Capability[] = [],
  clock?: Clock,
): Scripted {
  const asked: ChatRequest[] = [];
  return {
    id,
    title: id,
    capabilities: can,
    asked,
    check: async () => 'ok',
    async *chat(request: ChatRequest, context: ProviderContext) {
      const script = scripts[Math.min(asked.length, scripts.length - 1)] ?? [];
      asked.push(request);
      const [queue] = script;
      if (clock && typeof queue === 'string' && queue.startsWith('queue ')) {
        await sleepWhole(clock, Number(queue.slice('queue '.length)), context.signal);
        context.signal.throwIfAborted();
      }
      context.vendorCalls?.count();
      yield { type: 'start', model: request.model };
      for (const step of script) {
        if (step === 'silence') await untilAborted(context.signal);
        else if (step instanceof CallError) throw step;
        else if (typeof step === 'string' && step.startsWith('queue ')) continue;
        else if (typeof step === 'string') {
          if (clock) await sleepWhole(clock, Number(step.slice('wait '.length)), context.signal);
          context.signal.throwIfAborted();
        } else yield step;
      }
    },
  };
}

function untilAborted(signal: AbortSignalLike): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(CallError.from(signal.reason));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
