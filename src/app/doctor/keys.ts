import { listKeys, type KeyInfo } from '#config/keys.ts';
import { describeOrigin } from '#config/origin.ts';
import { CallError } from '#core/call-error.ts';
import { isAbout, isStored } from '../client-settings.ts';
import type { Check, Examine } from './check.ts';

/** Keys are only looked for here; whether a provider takes them is another command's work. */
export const keys: Examine = async ({ loaded, notices }) => {
  if (loaded instanceof CallError) return [];
  const { baseUrl } = loaded.config.providers.custom;
  // A daemon that cannot be asked is told of where it was asked first.
  const told = await notices().catch(() => []);
  return listKeys(loaded).map((key) =>
    key.name === 'custom' ? ownServer(key, baseUrl) : keyed(key, told),
  );
};

function keyed({ name, title, set, origin }: KeyInfo, notices: readonly string[]): Check {
  const check = { id: `key_${name}`, title };
  if (!set) return { ...check, status: 'off', detail: 'no key', fix: `exai keys add ${name}` };
  const source = origin ? ` from ${describeOrigin(origin)}` : '';
  const notice =
    origin?.kind === 'env' ? notices.find((each) => isAbout(each, origin.name)) : undefined;
  if (notice !== undefined) {
    const detail = `key${source} in this shell; the running daemon has another one or none`;
    const fix = isStored(notice) ? 'exai stop' : `exai keys add ${name}, then: exai stop`;
    return { ...check, status: 'warn', detail, fix };
  }
  return { ...check, status: 'ok', detail: `key${source}` };
}

/** Known by its address; a key is its own affair. */
function ownServer({ name, title }: KeyInfo, baseUrl: string): Check {
  const check = { id: `key_${name}`, title };
  if (baseUrl !== '') return { ...check, status: 'ok', detail: `at ${new URL(baseUrl).host}` };
  const fix = 'Set CUSTOM_API_URL and CUSTOM_MODEL, for Ollama or any OpenAI-like server.';
  return { ...check, status: 'off', detail: 'no address', fix };
}
