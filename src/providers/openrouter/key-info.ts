import type { ProviderContext } from '#core/provider.ts';
import { CallError } from '#core/call-error.ts';
import { asObject, asText } from '../wire/json-read.ts';
import type { Wire } from '../wire/wire.ts';

export interface KeyInfo {
  readonly label: string;
  /** Dollars; nothing when the key has no limit. */
  readonly remaining: number | undefined;
  readonly isFreeTier: boolean;
}

/** `GET /key`: what the key is allowed. Nothing when this address has no such path. */
export async function readKey(wire: Wire, context: ProviderContext): Promise<KeyInfo | undefined> {
  try {
    const { json } = await wire.call(
      { operation: 'balance', method: 'GET', path: '/key' },
      context,
    );
    const data = asObject(asObject(json)?.['data']);
    if (!data) return undefined;
    const remaining = data['limit_remaining'];
    return {
      label: asText(data['label']) ?? '',
      remaining:
        typeof remaining === 'number' && Number.isFinite(remaining) ? remaining : undefined,
      isFreeTier: data['is_free_tier'] === true,
    };
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.class === 'not_found') return undefined;
    throw thrown;
  }
}

/** The smallest answer there is, for addresses that have no better way to prove a key. It costs next to nothing. */
export async function proveKey(wire: Wire, context: ProviderContext): Promise<void> {
  const body = {
    model: 'openrouter/auto',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 1,
  };
  await wire.call(
    { operation: 'balance', method: 'POST', path: '/chat/completions', body },
    context,
  );
}
