import { CallError, type ErrorJson } from '#core/call-error.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import { askDaemon } from './ask-daemon.ts';
import { readCallResult } from './call-result.ts';
import type { Io } from './io.ts';
import { harmless } from './terminal-text.ts';

const MODEL = /^[\w./:@[\]-]{1,200}$/;
const ANSWER_WITHIN_MS = 5000;

export function readModel(given = 'auto'): string {
  if (MODEL.test(given)) return given;
  throw new CallError('bad_request', '--model takes the name of a model, without spaces.', {
    field: '--model',
    fix: 'auto, or a name of: exai models',
  });
}

/**
 * Throws for a name that the gateway would refuse. The daemon that runs is asked what it would do with it, as it knows the
 * models, and what `gateway.models` makes of names.
 */
export async function checkModel(model: string, io: Pick<Io, 'env' | 'stderr'>): Promise<void> {
  const unknown = unknownModel(await explained(model, io));
  if (unknown === undefined) return;
  throw new CallError('not_found', harmless(unknown), {
    field: '--model',
    fix: `Give auto, or a name of: exai models. To give this one a meaning, set gateway.models: ${model}=auto`,
  });
}

async function explained(model: string, io: Pick<Io, 'env' | 'stderr'>): Promise<unknown> {
  const wanted = { tool: GATEWAY_OPERATIONS.chat, args: { model, prompt: 'Hello' } };
  try {
    return await askDaemon(
      io,
      (client) =>
        client.request(
          'tools/call',
          { name: 'route', arguments: wanted },
          { timeoutMs: ANSWER_WITHIN_MS },
        ),
      { notices: 'left to the work', autostart: 'off' },
    );
  } catch {
    // The lines are right all the same, and the gateway says it again to who asks for the model.
    return undefined;
  }
}

/** What is said of a name that means nothing. One that cannot be asked now may be good tomorrow. */
export function unknownModel(result: unknown): string | undefined {
  const { envelope } = readCallResult(result);
  const { content } = (envelope ?? {}) as { content?: { error?: Partial<ErrorJson> } };
  const { class: errorClass, field, message } = content?.error ?? {};
  return errorClass === 'not_found' && field === 'model' ? message : undefined;
}
