import { listKeys, type KeyInfo } from '#config/keys.ts';
import { describeOrigin } from '#config/origin.ts';
import { CallError } from '#core/call-error.ts';
import type { Check, Examine } from './check.ts';

/** Keys are only looked for here; whether a provider takes them is another command's work. */
export const keys: Examine = ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const { baseUrl } = loaded.config.providers.custom;
  return listKeys(loaded).map((key) =>
    key.name === 'custom' ? ownServer(key, baseUrl) : keyed(key),
  );
};

function keyed({ name, title, set, origin }: KeyInfo): Check {
  const check = { id: `key_${name}`, title };
  if (!set) return { ...check, status: 'off', detail: 'no key', fix: `exai keys add ${name}` };
  const source = origin ? ` from ${describeOrigin(origin)}` : '';
  return { ...check, status: 'ok', detail: `key${source}` };
}

/** Known by its address; a key is its own affair. */
function ownServer({ name, title }: KeyInfo, baseUrl: string): Check {
  const check = { id: `key_${name}`, title };
  if (baseUrl !== '') return { ...check, status: 'ok', detail: `at ${new URL(baseUrl).host}` };
  const fix = 'Set CUSTOM_API_URL and CUSTOM_MODEL, for Ollama or any OpenAI-like server.';
  return { ...check, status: 'off', detail: 'no address', fix };
}
