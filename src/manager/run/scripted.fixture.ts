import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ChatRequest } from '#core/chat.ts';
import type { Cancel } from '#core/http.ts';
import type { Ability, Provider, ProviderContext, ProviderId } from '#core/provider.ts';

/** What a scripted provider says to one request: events, then its end. */
export type Script = readonly (ChatEvent | CallError | 'silence')[];

export interface Scripted extends Provider {
  /** What it was asked, oldest first. */
  readonly asked: ChatRequest[];
}

const USAGE = { input: 10, output: 5, cached: 0, reasoning: 0, estimated: false };

export const END: Script = [
  { type: 'usage', usage: USAGE },
  { type: 'finish', reason: 'stop' },
];

export function words(...texts: string[]): Script {
  return texts.map((text) => ({ type: 'text', text }) as const);
}

export function says(...texts: string[]): Script {
  return [...words(...texts), ...END];
}

/** A provider that answers its requests by script, one after the other; the last script stands for all that follow. */
export function scripted(
  id: ProviderId,
  scripts: readonly Script[],
  can: readonly Ability[] = [],
): Scripted {
  const asked: ChatRequest[] = [];
  return {
    id,
    title: id,
    can,
    asked,
    check: async () => 'ok',
    async *chat(request: ChatRequest, context: ProviderContext) {
      const script = scripts[Math.min(asked.length, scripts.length - 1)] ?? [];
      asked.push(request);
      yield { type: 'start', model: request.model };
      for (const step of script) {
        if (step === 'silence') await untilAborted(context.signal);
        else if (step instanceof CallError) throw step;
        else yield step;
      }
    },
  };
}

function untilAborted(signal: Cancel): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(CallError.from(signal.reason));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
