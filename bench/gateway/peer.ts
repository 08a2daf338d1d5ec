// A gateway of others in a process of its own, unchanged, which says where it listens as ours does.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gatewayFile } from './require-gateways.ts';

const LOOK_AGAIN_MS = 50;

const [, , name = '', settings = '{}'] = process.argv;
const port = await freePort();
const START: Record<string, () => Promise<unknown>> = {
  portkey() {
    const { path } = gatewayFile('@portkey-ai/gateway', 'build/start-server.js');
    return run(path, [`--port=${port}`, '--headless']);
  },
  /** Its settings are a file in the home that this process was given. */
  router() {
    const { path } = gatewayFile('@musistudio/claude-code-router', 'dist/cli.js');
    const folder = join(process.env['HOME'] ?? '', '.claude-code-router');
    mkdirSync(folder, { recursive: true });
    const all = { LOG: false, HOST: '127.0.0.1', PORT: port, NON_INTERACTIVE_MODE: true };
    const config = { ...all, ...(JSON.parse(settings) as object) };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    return run(path, ['start']);
  },
};
const start = START[name];
if (!start) throw new Error(`"${name}" is none of ${Object.keys(START).join(', ')}`);
await start();
while (!(await isListening())) await sleep(LOOK_AGAIN_MS);
console.log(`listening on http://127.0.0.1:${port}`);
// Some tell of every fault at length, and a bench is full of them.
process.stderr.write = () => true;

function run(path: string, args: readonly string[]): Promise<unknown> {
  process.argv.splice(1, Infinity, path, ...args);
  return import(pathToFileURL(path).href);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const found = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
  return found;
}

function isListening(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
