/**
 * `npm run test:clients`: every client that we say works, against the daemon just built, by every
 * way it has. Then the coding agents that can have their models from us, with the emulator behind.
 * Installs 1.2 GB of clients at the first time, then takes some minutes. Prints the table of
 * docs/clients.md; with --write it goes there. With --only <name> the clients of that name alone,
 * with --gateway the agents and SDKs of the gateway alone, with --lean the tasks of the lean profile alone.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { installTools } from './install-tools.ts';
import { titleOf } from '../test/clients/client.ts';
import { stopDaemon } from '../test/clients/daemon.ts';
import { proveAgents } from '../test/clients/gateway.ts';
import {
  GATEWAY_SDKS,
  gatewayTable,
  NODE_22_FOLDER,
  proveSdks,
} from '../test/clients/gateway-sdks.ts';
import {
  CLIENTS,
  proveClient,
  startSharedDaemon,
  type Row,
  type SharedDaemon,
} from '../test/clients/matrix.ts';
import { proveLeanTasks, UPSTREAMS } from '../test/clients/lean-tasks.ts';
import { findRefusal, type Refusal } from '../test/clients/refusals.ts';
import { instructions, refusalTable, replaceBlock, table } from '../test/clients/report.ts';

const PAGE = 'docs/clients.md';
const FOLDER = 'test/tools/all-clients';
const TRANSCRIPT_CHARS = 4_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    gateway: { type: 'boolean', default: false },
    lean: { type: 'boolean', default: false },
  },
});
const isWanted = (name: string) => matches(name, values.only ?? '');
const chosen =
  values.gateway || values.lean ? [] : CLIENTS.filter((client) => isWanted(titleOf(client)));
if (values.write && (values.only !== undefined || values.lean)) {
  fail('--write needs the whole matrix');
}

// Some clients want a newer Node than we do, and run on ours; npm hands our own strictness on.
if (!isInstalled())
  run('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'], {
    npm_config_engine_strict: 'false',
  });
const packages = values.lean ? [UPSTREAMS] : [UPSTREAMS, GATEWAY_SDKS, NODE_22_FOLDER];
await installTools(packages).catch((error: Error) => fail(error.message));
run(process.execPath, ['scripts/build.mjs']);

const root = mkdtempSync(join(tmpdir(), 'exai-clients-'));
process.once('SIGINT', () => void tidyUp().then(() => process.exit(130)));
let failed = 0;
try {
  const daemon = chosen.length > 0 ? await startSharedDaemon(root) : undefined;
  const rows = daemon ? await proveAll(daemon) : [];
  const refusals = daemon ? await findRefusals(daemon) : [];
  const tasks = values.gateway ? [] : await proveLeanTasks(root, isWanted);
  for (const { client, done, problem, transcript } of tasks) {
    if (problem === '') {
      console.log(`ok   ${client}: ${done} tasks over five servers, by search_tools and call_tool`);
      continue;
    }
    failed += 1;
    console.error(
      `FAIL ${client}, task ${done + 1} of the lean profile: ${problem}\n${indent(transcript)}`,
    );
  }
  const clients: Record<string, Record<string, string>> = {};
  const isAgentWanted = (name: string) => !values.lean && isWanted(name);
  await proveAgents(root, isAgentWanted, ({ agent, what, cell, problem, transcript }) => {
    const cells = (clients[agent] ??= {});
    if (problem !== undefined || cells[cell] === undefined) cells[cell] = problem ?? 'ok';
    if (problem === undefined) return console.log(`ok   ${agent}, by the gateway: ${what}`);
    failed += 1;
    console.error(`FAIL ${agent}, by the gateway: ${what}: ${problem}\n${indent(transcript)}`);
  });
  const sdks = values.lean ? {} : await proveSdks(root, values.only ?? '');
  for (const [client, cells] of Object.entries(sdks)) {
    for (const [cell, what] of Object.entries(cells)) {
      if (what === 'ok') continue;
      failed += 1;
      console.error(`FAIL ${client}, by the gateway: ${cell}: ${what}`);
    }
  }
  Object.assign(clients, sdks);
  if (Object.keys(clients).length > 0) console.log(`\n${gatewayTable(clients)}\n`);
  if (chosen.length > 0) console.log(`\n${table(rows)}\n\n${refusalTable(refusals)}\n`);
  const page = readFileSync(PAGE, 'utf8');
  const told = replaceBlock(page, 'connect', instructions(CLIENTS));
  if (values.write) {
    const listed = replaceBlock(told, 'gateway', gatewayTable(clients));
    const tried = values.gateway ? listed : replaceBlock(listed, 'matrix', table(rows));
    writeFileSync(
      PAGE,
      values.gateway ? tried : replaceBlock(tried, 'refusals', refusalTable(refusals)),
    );
  }
  if (!values.write && told !== page) {
    failed += 1;
    console.error(`${PAGE} is out of date. Run: npm run test:clients -- --write`);
  }
} finally {
  await tidyUp();
}
console.log(failed === 0 ? 'All clients work.' : `${failed} failed.`);
process.exit(failed === 0 ? 0 : 1);

async function proveAll(daemon: SharedDaemon): Promise<Row[]> {
  const rows: Row[] = [];
  for (const client of chosen) {
    const row = await proveClient(client, root, daemon, (way, cell) => {
      if (cell.is === 'proven')
        console.log(
          `ok   ${titleOf(client)}, ${way}: lists ${cell.listed}, calls ${cell.called.join(' and ')}`,
        );
      else {
        failed += 1;
        console.error(`FAIL ${titleOf(client)}, ${way}: ${cell.why}\n${indent(cell.transcript)}`);
      }
    });
    rows.push(row);
  }
  return rows;
}

async function findRefusals(daemon: SharedDaemon): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (const client of chosen) {
    try {
      const refusal = await findRefusal(client, root, daemon);
      if (refusal === undefined) continue;
      refusals.push(refusal);
      console.log(`ok   ${titleOf(client)}, without a token and with a wrong one`);
    } catch (error) {
      failed += 1;
      console.error(
        `FAIL ${titleOf(client)}, without a token or with a wrong one: ${String(error)}`,
      );
    }
  }
  return refusals;
}

/** Also what a client left running. */
async function tidyUp(): Promise<void> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((each) => each.endsWith('daemon.json')))
    await stopDaemon(join(root, dirname(file)));
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}

function isInstalled(): boolean {
  const wanted = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.entries(wanted.dependencies).every(([name, version]) => {
    const file = join(FOLDER, 'node_modules', name, 'package.json');
    if (!existsSync(file)) return false;
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === version;
  });
}

function matches(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted.toLowerCase());
}

function indent(text: string): string {
  return text.slice(-TRANSCRIPT_CHARS).replaceAll(/^/gm, '     | ');
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(command, args, {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  if (status !== 0) fail(`${command} ${args.join(' ')} ended with ${status}`);
}

function fail(why: string): never {
  console.error(`npm run test:clients: ${why}`);
  process.exit(1);
}
