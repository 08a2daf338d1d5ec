import { CallError } from '#core/call-error.ts';
import type { Balance, ProviderContext, ProviderModel } from '#core/provider.ts';
import { asCount, asObject, asText } from '../wire/json-read.ts';
import type { Wire } from '../wire/wire.ts';
import type { KimiHost } from './hosts.ts';

export async function readBalance(
  wire: Wire,
  { currency }: KimiHost,
  context: ProviderContext,
): Promise<Balance> {
  const call = { operation: 'balance', method: 'GET', path: '/users/me/balance' } as const;
  const answer = asObject((await wire.call(call, context)).json);
  const data = asObject(answer?.['data']) ?? answer;
  const available = Number(data?.['available_balance'] ?? Number.NaN);
  if (!Number.isFinite(available) || answer?.['status'] === false)
    throw new CallError('bad_response', 'Kimi did not tell the balance.', { provider: 'kimi' });
  return { available, currency };
}

export async function readModels(
  wire: Wire,
  context: ProviderContext,
): Promise<readonly ProviderModel[]> {
  const call = { operation: 'models', method: 'GET', path: '/models' } as const;
  const { json } = await wire.call(call, context);
  const listed = Array.isArray(json) ? (json as unknown[]) : asObject(json)?.['data'];
  if (!Array.isArray(listed))
    throw new CallError('bad_response', 'Kimi gave no list of models.', { provider: 'kimi' });
  return listed.flatMap((each) => readModel(each) ?? []);
}

function readModel(value: unknown): ProviderModel | undefined {
  const model = asObject(value);
  const id = asText(model?.['id']);
  if (!model || id === undefined) return undefined;
  const contextTokens = asCount(model['context_length']);
  const flag = (name: string) => (typeof model[name] === 'boolean' ? model[name] : undefined);
  const images = flag('supports_image_in');
  const video = flag('supports_video_in');
  const thinking = flag('supports_reasoning');
  return {
    id,
    ...(contextTokens !== undefined && contextTokens > 0 && { contextTokens }),
    ...(images !== undefined && { images }),
    ...(video !== undefined && { video }),
    ...(thinking !== undefined && { thinking }),
  };
}

/** The balance where there is one; the coding plan has none, and there the list of models proves the key. */
export async function checkAccount(
  wire: Wire,
  host: KimiHost,
  context: ProviderContext,
): Promise<string> {
  try {
    const { available, currency } = await readBalance(wire, host, context);
    const money = `${available.toFixed(2)} ${currency}`;
    return available > 0
      ? `${money} left`
      : `accepted, but the balance is ${money}: top up at ${host.console}`;
  } catch (thrown) {
    if (CallError.from(thrown).class !== 'not_found') throw thrown;
    const models = await readModels(wire, context);
    return `${models.length} models`;
  }
}
