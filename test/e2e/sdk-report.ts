/**
 * `npx tsx test/e2e/sdk-report.ts`: what the clients of others can do with the emulator, as a
 * table.
 */
import { pathToFileURL } from 'node:url';
import { startEmulator } from '../../emulator/start.ts';
import { judgeSdk, type Judged } from './sdk-judge.ts';
import { runSdk, SDK_CLIENTS, serversFor, whyNotRunnable, type SdkClient } from './sdk-run.ts';
import { SDK_SERVERS } from './sdk-servers.ts';
import { runZaiServer } from './sdk-zai.ts';

/** Drives one client through all that is asked of it, against an emulator of its own. */
export async function tryClient(client: SdkClient): Promise<readonly Judged[]> {
  const emulator = await startEmulator();
  try {
    const servers = serversFor(client, SDK_SERVERS);
    const told = await runSdk(client, emulator.url, servers);
    return servers.flatMap((server) =>
      server.steps.map((step) => {
        const what = told[server.vendor]?.[step];
        if (!what) throw new Error(`${client.name} told nothing of ${server.vendor} ${step}`);
        return judgeSdk(client, server, step, what);
      }),
    );
  } finally {
    await emulator.close();
  }
}

/** A line for each client and server: what went well, and what did not with its reason. */
export function reportTable(all: readonly Judged[]): string {
  const lines = new Map<string, Judged[]>();
  for (const each of all) {
    const key = `${each.client} | ${each.server}`;
    lines.set(key, [...(lines.get(key) ?? []), each]);
  }
  const rows = [...lines].map(([key, judged]) => {
    const wrong = judged.filter(({ problem }) => problem !== undefined);
    const well = judged.filter((each) => !wrong.includes(each)).map(({ step }) => step);
    const told = wrong.map(({ step, problem }) => `${step}: ${problem}`).join('; ');
    return `| ${key} | ${well.length} of ${judged.length} | ${well.join(', ')} | ${told} |`;
  });
  return [
    '| client | server | works | what | what does not |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

async function main(): Promise<void> {
  const all: Judged[] = [];
  for (const client of SDK_CLIENTS) {
    const missing = whyNotRunnable(client.node);
    if (missing === undefined) all.push(...(await tryClient(client)));
    else console.error(`${client.name}: ${missing}`);
  }
  console.log(reportTable(all));
  const emulator = await startEmulator();
  const { tools, text, ms } = await runZaiServer(emulator.url, 'emulated.secret');
  await emulator.close();
  console.log(`\n@z_ai/mcp-server, ${tools.length} tools; analyze_image in ${ms} ms:\n  ${text}`);
  const wrong = all.filter(({ problem }) => problem !== undefined).length;
  console.log(`\n${all.length - wrong} of ${all.length} work.`);
  if (wrong > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
