/** The daemon that a shim finds or starts: whose child it is, and with whose rights it is used. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { withEnvelope } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { startShim } from './shim-client.ts';

/** Any free port, so that tests run beside each other and beside a daemon of the machine. */
const ANY_PORT = { EXAI_PORT: '0' };
const callStatus = { name: 'status', arguments: {} };

/** A home whose daemon, whoever started it, ends with the test. */
function homeForShims() {
  const home = createHome();
  onTestFinished(async () => {
    await home.exai(['stop']);
  });
  return home;
}

function daemonRecord(root: string): { pid: number; url: string } {
  const text = readFileSync(join(root, 'daemon.json'), 'utf8');
  return JSON.parse(text) as { pid: number; url: string };
}

function parentOf(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout);
}

verifies(
  'access:tokens',
  'a client’s token stays a client’s: in the environment of a shim, and of a daemon that it starts',
  async () => {
    const { root, exai } = homeForShims();
    const added = await exai(['access', 'add', 'limited', '--scope', 'version'], { env: ANY_PORT });
    const env = { ...ANY_PORT, EXAI_TOKEN: added.stdout.trim() };
    for (const state of ['running', 'stopped']) {
      if (state === 'stopped') await exai(['stop']);
      const shim = startShim(root, { env });
      await shim.initialize();
      const { result } = await shim.request('tools/list');
      expect(result?.['tools']).toMatchObject([{ name: 'call_tool' }, { name: 'search_tools' }]);
      const refused = await shim.request('tools/call', callStatus);
      expect(refused.result).toMatchObject({ ...withEnvelope({ error_class: 'permission' }) });
    }
    const { url } = daemonRecord(root);
    const headers = { authorization: `Bearer ${env.EXAI_TOKEN}` };
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(401);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    expect((await exai(['call', 'status'], { env })).code).toBe(5);
    await exai(['access', 'remove', 'limited']);
    expect((await exai(['call', 'version'], { env })).code).not.toBe(0);
  },
);

verifies(
  'access:tokens',
  'a daemon that a client’s shim starts keeps the token that its owner wrote down',
  async () => {
    const { root, exai } = homeForShims();
    const owners = 'the-owner-wrote-this-down';
    writeFileSync(join(root, '.env'), `EXAI_TOKEN=${owners}\n`, { mode: 0o600 });
    const added = await exai(['access', 'add', 'limited', '--scope', 'version'], { env: ANY_PORT });
    await exai(['stop']);
    const shim = startShim(root, { env: { ...ANY_PORT, EXAI_TOKEN: added.stdout.trim() } });
    await shim.initialize();
    const { url } = daemonRecord(root);
    const asked = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(`${url}/metrics`, { headers })).status;
    };
    expect([await asked(), await asked(owners), await asked(added.stdout.trim())]).toEqual([
      401, 200, 401,
    ]);
  },
);

verifies(
  'shim:daemon-outlives',
  'a daemon descends from none of those that needed it, and outlives a client that ends all it started',
  async () => {
    const { root } = homeForShims();
    const shim = startShim(root, { env: ANY_PORT });
    await shim.initialize();
    const ancestors: number[] = [];
    for (let { pid } = daemonRecord(root); pid > 1; pid = parentOf(pid)) ancestors.push(pid);
    expect(ancestors).not.toContain(shim.child.pid);
    shim.child.kill('SIGKILL');
    const next = startShim(root, { env: ANY_PORT });
    await next.initialize();
    expect(daemonRecord(root).pid).toBe(ancestors[0]);
  },
);
