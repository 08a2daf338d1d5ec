import { join } from 'node:path';
import { titleOf, type Client, type Remote, type Shown } from './client.ts';
import { placeOf, type SharedDaemon } from './matrix.ts';
import { createSandbox } from './sandbox.ts';

/** What a client says to a user whose token is missing, and to one whose token is wrong. */
export interface Refusal {
  readonly client: Client;
  readonly missing: readonly Shown[];
  readonly wrong: readonly Shown[];
}

/** Asks one client over HTTP; fails when it hangs, or says nothing about it. */
export async function findRefusal(
  client: Client,
  root: string,
  { url }: SharedDaemon,
): Promise<Refusal | undefined> {
  if (client.refused === undefined || !client.ways.includes('http')) return undefined;
  const target: Remote = { kind: 'remote', transport: 'http', url: `${url}/mcp` };
  const wrong = `wrong-token-of-${titleOf(client).replaceAll(/\W+/g, '-')}`;
  return {
    client,
    missing: await shownBy(client, target, join(placeOf(client, root), 'missing')),
    wrong: await shownBy(client, { ...target, token: wrong }, join(placeOf(client, root), 'wrong')),
  };
}

async function shownBy(client: Client, target: Remote, home: string): Promise<readonly Shown[]> {
  const sandbox = createSandbox(home, {});
  try {
    return (await client.refused?.(target, sandbox)) ?? [];
  } finally {
    await sandbox.close();
  }
}
