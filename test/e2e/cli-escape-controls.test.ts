import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { BIN, createHome, finished } from './exai.ts';

const OVERRIDE = '\u202Egnihton\u202C \u2066x\u2069';
const ANSWER = `fine ${OVERRIDE} \u009B2J\u007F end`;
/** ESC is excluded: the program's colours use it. */
const RAW = /[\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/;

/** A daemon whose vendor is the emulator, with a scripted answer. */
async function emulated() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const env = {
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
  await home.serve([], { env });
  return home;
}

/** The output to a terminal, stdout and stderr together. */
async function shownAt(root: string, args: readonly string[]): Promise<string> {
  const command = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      EXAI_HOME: root,
      EXAI_AUTOSTART: 'off',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  const { stdout } = await finished(child);
  return stdout;
}

verifies(
  'security:terminal-text',
  'a terminal shows what a model wrote to deceive it, in every command that prints it',
  async () => {
    const { root, exai, path } = await emulated();
    const asked = await exai(['ask', `Say exactly: ${ANSWER}`, '--json']);
    const { continuation } = JSON.parse(asked.stdout) as { continuation: { id: string } };
    const { id } = continuation;
    const commands = [
      ['ask', `Say exactly: ${ANSWER}`],
      ['call', 'chat', '--args', JSON.stringify({ prompt: `Say exactly: ${ANSWER}` })],
      ['threads', 'show', id],
      ['threads', 'export', id],
      ['call', `no_such_${OVERRIDE}`],
      [`no_such_${OVERRIDE}`],
    ];
    for (const args of commands) {
      const shown = await shownAt(root, args);
      expect(shown).toContain(String.raw`\u{202e}gnihton`);
      expect(shown).not.toMatch(RAW);
    }
    const documents = [
      ['ask', `Say exactly: ${ANSWER}`, '--json'],
      ['call', 'chat', '--json', '--args', JSON.stringify({ prompt: `Say exactly: ${ANSWER}` })],
      ['threads', 'show', id, '--json'],
      ['threads', 'export', id, '--json'],
      ['call', `no_such_${OVERRIDE}`, '--json'],
    ];
    for (const args of documents) {
      const [shown, { stdout }] = [await shownAt(root, args), await exai(args)];
      for (const text of [shown, stdout]) {
        expect(text).toContain(String.raw`\u202egnihton`);
        expect(text).not.toMatch(RAW);
      }
      expect(JSON.stringify(JSON.parse(stdout))).toContain('\u202Egnihton');
    }
    const saved = path('saved.json');
    await exai(['threads', 'export', id, '--json', '-o', saved]);
    expect(readFileSync(saved, 'utf8')).not.toMatch(RAW);
  },
);

test('a pipe gets the same escapes as a terminal, and with --raw the answer unchanged', async () => {
  const { exai } = await emulated();
  const { stdout } = await exai(['ask', `Say exactly: a ${OVERRIDE} b`]);
  expect(stdout).toBe(String.raw`a \u{202e}gnihton\u{202c} \u{2066}x\u{2069} b` + '\n');
  const raw = await exai(['ask', '--raw', `Say exactly: a ${OVERRIDE} b`]);
  expect(raw.stdout).toBe(`a ${OVERRIDE} b\n`);
});

test('stored lines of a log are escaped, too', async () => {
  const { exai, path } = createHome();
  mkdirSync(path('logs'));
  writeFileSync(path('logs', 'daemon.jsonl'), `${JSON.stringify({ event: ANSWER })}\n`);
  const { stdout } = await exai(['logs', '--json']);
  expect(stdout).not.toMatch(RAW);
  expect(JSON.parse(stdout)).toEqual({ event: ANSWER });
});
