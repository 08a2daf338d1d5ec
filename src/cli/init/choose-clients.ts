import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import type { InitClient } from './client.ts';
import { INIT_CLIENTS } from './clients/index.ts';

/** Those that were named, separated by commas; nothing where nobody named any, which means all. */
export function chooseClients(named: string | undefined): readonly InitClient[] | undefined {
  if (named === undefined) return undefined;
  const ids = named.split(',').map((id) => id.trim());
  return [...new Set(ids)].filter((id) => id !== '').map(clientOf);
}

function clientOf(id: string): InitClient {
  const known = INIT_CLIENTS.map((client) => client.id);
  const found = INIT_CLIENTS.find((client) => client.id === id);
  if (found) return found;
  const near = didYouMean(id, known) || '.';
  throw new CallError('not_found', `No client is called ${JSON.stringify(id)}${near}`, {
    field: 'clients',
    fix: `These are known: ${known.join(', ')}.`,
  });
}
