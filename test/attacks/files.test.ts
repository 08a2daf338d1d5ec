import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callToTheEnd } from '../e2e/matrix/call-to-the-end.ts';
import { overHttp } from '../e2e/matrix/http-peer.ts';
import { createPeer, type Era, type OpenWire, type Peer } from '../e2e/matrix/peer.ts';
import { overSocket } from '../e2e/matrix/socket-peer.ts';
import { verifies } from '../verifies.ts';
import { hostileRoots, oddPaths, outsidePaths } from './files/paths.ts';
import { OPEN, prepareTraps, SECRET, type Traps } from './files/prepare.ts';
import { openAttackHarness, OWNER_TOKEN, type AttackHarness } from './attack-harness.ts';

let traps: Traps;
let harness: AttackHarness;
let clientToken = '';

beforeAll(async () => {
  traps = await prepareTraps();
  harness = await openAttackHarness({
    env: { HOME: traps.user, EXAI_HOME: traps.state },
    config: { allowedDirs: [traps.shared] },
  });
  clientToken = await harness.addClient('files', ['chat']);
});
afterAll(async () => {
  await harness?.close();
  traps?.close();
  rmSync(traps?.top ?? '', { recursive: true, force: true });
});

let pathTries = 0;
let rootTries = 0;

/** A client that says of its roots what it is told to. */
async function open(era: Era, wire: OpenWire, roots: readonly string[] = []): Promise<Peer> {
  const peer = await createPeer(era, wire, { capabilities: { roots: {} } });
  peer.answer('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
  return peer;
}

interface Read {
  readonly isError: boolean;
  /** Everything that the client was told. */
  readonly told: string;
}

async function read(peer: Peer, path: string): Promise<Read> {
  const params = { name: 'chat', arguments: { prompt: 'Say exactly: read', files: [path] } };
  const { result, error } = await callToTheEnd(peer, 'tools/call', params);
  const { isError = error !== undefined } = result ?? {};
  return { isError: isError === true, told: JSON.stringify(result ?? error) };
}

/**
 * What was told, without what differs from call to call, and without the path that the caller gave
 * itself.
 */
function likeness(told: string, path: string): string {
  // A text in quotes within a text of JSON, and the parameter of a reason.
  const written = JSON.stringify(path);
  const quoted = JSON.stringify(written).slice(1, -1);
  return told
    .replaceAll(quoted, '…')
    .replaceAll(written, '…')
    .replaceAll(/req_[0-9a-z]+/g, 'req');
}

/** Tries every path in the folder of a caller; tells what was given away. */
async function tryPaths(peer: Peer, root: string): Promise<readonly unknown[]> {
  const leaks: unknown[] = [];
  const asked = harness.emulator.requests().length;
  const attempt = async (path: string): Promise<Read> => {
    pathTries += 1;
    const found = await read(peer, path);
    if (!found.isError || found.told.includes(SECRET)) leaks.push([path, found.told]);
    return found;
  };
  for (const { path, missing } of outsidePaths(root, traps)) {
    const [there, gone] = [await attempt(path), await attempt(missing)];
    const [one, other] = [likeness(there.told, path), likeness(gone.told, missing)];
    if (one !== other) leaks.push([path, one, other]);
  }
  for (const path of oddPaths(root)) await attempt(path);
  if (harness.emulator.requests().length !== asked) leaks.push('A provider was asked.');
  return leaks;
}

verifies('files:roots', 'the owner’s client reads nothing outside its roots', async () => {
  const { project, user } = traps;
  const peer = await open('legacy', overSocket(harness.socketPath, { cwd: project }));
  const own = await read(peer, 'own.txt');
  expect([own.isError, own.told]).toEqual([false, expect.stringContaining('read')]);
  expect(JSON.stringify(harness.emulator.requests().at(-1)?.body)).toContain(OPEN);
  expect(await tryPaths(peer, project)).toEqual([]);
  expect((await read(peer, `${user}/notes.txt`)).isError).toBe(true);
  await peer.close();
});

verifies('files:roots', 'a client with a token reads nothing outside allowedDirs', async () => {
  const { shared, project } = traps;
  const wire = overHttp(harness.url, clientToken);
  // What it says of its own roots opens nothing.
  const peer = await open('modern', wire, [`file://${project}`, 'file:///']);
  expect((await read(peer, 'own.txt')).isError).toBe(false);
  expect(await tryPaths(peer, shared)).toEqual([]);
  expect((await read(peer, `${project}/own.txt`)).isError).toBe(true);
  await peer.close();
});

verifies(
  'files:roots',
  'no root opens the user’s folder, the kernel’s or the daemon’s',
  async () => {
    const { user, state } = traps;
    const opened: unknown[] = [];
    const asked = harness.emulator.requests().length;
    const targets = [
      `${user}/notes.txt`,
      `${user}/.ssh/id_ed25519`,
      `${state}/.env`,
      '/etc/passwd',
    ];
    for (const root of hostileRoots(traps)) {
      const uri = `file://${root.split('/').map(encodeURIComponent).join('/')}`;
      const ways: readonly (readonly [string, () => Promise<Peer>])[] = [
        ['hello', () => open('legacy', overSocket(harness.socketPath, { cwd: root }))],
        ['roots/list', () => open('legacy', overSocket(harness.socketPath), [uri])],
        ['roots over HTTP', () => open('modern', overHttp(harness.url, OWNER_TOKEN), [uri])],
        ['roots of a client', () => open('modern', overHttp(harness.url, clientToken), [uri])],
      ];
      for (const [way, connect] of ways) {
        rootTries += 1;
        const peer = await connect().catch((thrown: unknown) => thrown);
        // A hello may be refused for what it says; then nothing is open either.
        if (peer instanceof Error) continue;
        for (const target of targets) {
          const found = await read(peer as Peer, target);
          if (!found.isError || found.told.includes(SECRET))
            opened.push([root, way, target, found.told]);
        }
        await (peer as Peer).close();
      }
    }
    expect(opened).toEqual([]);
    expect(harness.emulator.requests()).toHaveLength(asked);
  },
);

verifies('files:roots', 'roots that are no folder of this machine open nothing', async () => {
  const { user, project } = traps;
  const uris = [
    `file://other-host${project}`,
    `file://${user}/project/..`,
    `file://${user}/project/%2e%2e`,
    `file://${user}/project%2F..`,
    `file://${user}%00`,
    `file://${user}?x`,
    `file://${user}#x`,
    `http://127.0.0.1${user}`,
    user,
    'file:',
    'file://',
    'FILE:///',
    `file://${'x'.repeat(5_000)}`,
  ];
  for (const uri of uris) {
    rootTries += 1;
    const peer = await open('legacy', overSocket(harness.socketPath), [uri]);
    const found = await read(peer, `${user}/notes.txt`);
    expect([uri, found.isError, found.told.includes(SECRET)]).toEqual([uri, true, false]);
    await peer.close();
  }
});

test('all of them were tried, and the daemon reads what it may', async () => {
  const peer = await open('legacy', overSocket(harness.socketPath, { cwd: traps.project }));
  expect((await read(peer, 'deep/er/own.txt')).isError).toBe(false);
  await peer.close();
  console.log(`files: ${pathTries} paths, ${rootTries} roots`);
  expect(pathTries).toBeGreaterThanOrEqual(364);
  expect(rootTries).toBeGreaterThanOrEqual(109);
});
