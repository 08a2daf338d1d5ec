import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { BIN, createHome, finished } from './exai.ts';

const KEY = 'emulated.secret0002';

async function withEmulator() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  return { emulator, env: { GLM_API_URL: `${emulator.url}/glm/api/paas/v4` } };
}

verifies('keys:add-tests', 'a stored key is tested, and its host is named', async () => {
  const { emulator, env } = await withEmulator();
  const { exai } = createHome();
  const add = (more: Record<string, string> = {}, ...args: string[]) =>
    exai(['keys', 'add', 'glm', ...args], { input: `${KEY}\n`, env: { ...env, ...more } });
  const accepted = await add();
  expect(accepted.code).toBe(0);
  expect(accepted.stdout).toContain(`Tested: ${new URL(emulator.url).host} accepts the key`);

  emulator.fault({ id: 'F16', vendor: 'glm', times: 0 });
  const refused = await add();
  expect(refused.code).toBe(4);
  expect(refused.stdout).toMatch(/Stored the key of glm[^]*\nRefused at 127\.0\.0\.1:\d+: /);
  const json = await add({}, '--json');
  expect(json.code).toBe(refused.code);
  expect(JSON.parse(json.stdout)).toMatchObject({ stored: 'glm', test: { is: 'refused' } });
  emulator.clearFaults();

  // A host that cannot be reached says nothing about the key.
  const unreachable = await add({ GLM_API_URL: 'http://127.0.0.1:9/v4' });
  expect(unreachable.code).toBe(0);
  expect(unreachable.stdout).toContain('Not tested at 127.0.0.1:9: ');
  expect(accepted.stdout + refused.stdout + json.stdout).not.toContain('secret0002');
});

verifies(
  'keys:add-asks',
  'a refused key from a pipe replaces another key only with --yes',
  async () => {
    const { emulator, env } = await withEmulator();
    const { exai, path } = createHome();
    const add = (key: string, ...args: string[]) =>
      exai(['keys', 'add', 'glm', ...args], { input: `${key}\n`, env });
    const stored = () => readFileSync(path('.env'), 'utf8');
    await add(KEY);
    emulator.fault({ id: 'F16', vendor: 'glm', times: 0 });
    const refused = await add('emulated.secret0077');
    expect(refused.code).toBe(4);
    expect(refused.stdout).toMatch(/^Refused at [^]*\nThe stored key of glm is not replaced\./);
    expect(refused.stdout).not.toContain('Stored');
    const json = await add('emulated.secret0077', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ stored: null, test: { is: 'refused' } });
    expect(stored()).toContain(KEY);
    await add('emulated.secret0077', '--yes');
    expect(stored()).toContain('emulated.secret0077');
    emulator.clearFaults();
    await add('emulated.secret0088');
    expect(stored()).toContain('emulated.secret0088');
  },
);

verifies('keys:add-tests', 'an account without a balance is named as such', async () => {
  const { emulator, env } = await withEmulator();
  const { exai } = createHome();
  emulator.fault({ id: 'F2', vendor: 'glm', times: 0 });
  const { stdout } = await exai(['keys', 'add', 'glm'], { input: `${KEY}\n`, env });
  const { host } = new URL(emulator.url);
  expect(stdout).toContain(
    `Accepted at ${host}, but the account has no balance. Top it up, then: exai keys test glm\n`,
  );
  expect(stdout).not.toContain('Refused');
  expect(stdout).not.toContain('api.z.ai');
});

verifies('keys:add-tests', 'the stored key is tested, not one of the environment', async () => {
  const { emulator, env } = await withEmulator();
  const { exai } = createHome();
  const input = `${KEY}\n`;
  const { stdout } = await exai(['keys', 'add', 'glm'], {
    input,
    env: { ...env, GLM_API_KEY: 'another.secret0009' },
  });
  expect(stdout).toContain('Tested: ');
  expect(stdout).toContain('Note: GLM_API_KEY in your environment beats it.');
  const sent = JSON.stringify(emulator.requests());
  expect(sent).not.toContain('secret0009');
});

verifies('keys:add-asks', 'on a terminal a key is replaced only after a yes', async () => {
  const { env } = await withEmulator();
  const { root, path } = createHome();
  writeFileSync(path('.env'), 'GLM_API_KEY=first.key-0123456789abcdef\n', { mode: 0o600 });
  const stored = () => readFileSync(path('.env'), 'utf8');
  const declined = await typeAt(root, env, [['Replace it? [y/N] ', 'n\r']]);
  expect(declined).toContain('GLM (Z.ai) has the key ****cdef from ');
  expect(declined).toContain('nothing was stored');
  expect(stored()).toContain('first.key');

  const replaced = await typeAt(root, env, [
    ['Replace it? [y/N] ', 'y\r'],
    ['(not shown): ', `${KEY}\r`],
  ]);
  expect(replaced).toContain('Stored the key of glm');
  expect(stored()).toContain(KEY);
  expect(stored()).not.toContain('first.key');
});

/** Types each answer at a terminal once its prompt is shown; returns everything shown. */
async function typeAt(
  root: string,
  env: Record<string, string>,
  answers: readonly (readonly [prompt: string, typed: string])[],
): Promise<string> {
  const command = `'${process.execPath}' '${BIN}' keys add glm`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      EXAI_HOME: root,
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  const left = [...answers];
  let shown = '';
  child.stdout.on('data', (chunk: string) => {
    shown += chunk;
    const [next] = left;
    if (next && shown.includes(next[0])) {
      left.shift();
      child.stdin.write(next[1]);
    }
  });
  await finished(child);
  return shown;
}
