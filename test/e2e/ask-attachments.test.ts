import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/start.ts';
import { verifies } from '../verifies.ts';
import { createHome, type RunOptions } from './exai.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A folder that contains the home of the user is not open; the tests' own home would be in it. */
const AWAY = { HOME: '/var/empty' };

/** A folder in the one that `exai` is started in, which is open to it. */
function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'exai-attached-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'lamp.ts'), 'export const lamp = "cobalt";\n');
  writeFileSync(join(folder, 'notes.txt'), 'The lamp is cobalt.\n');
  writeFileSync(join(folder, 'picture.bin'), PNG);
  writeFileSync(join(folder, 'report.txt'), '%PDF-1.7\n');
  writeFileSync(join(folder, 'noise.bin'), Buffer.from([0, 1, 2, 0xff, 0xfe, 0]));
  writeFileSync(join(folder, 'large.txt'), 'x'.repeat(24_000_001));
  return basename(folder);
}

async function emulated() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const home = createHome();
  const vendor = {
    GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
    GLM_API_KEY: 'emulated.secret0002',
  };
  await home.serve([], { env: { ...vendor, ...AWAY } });
  const exai = (args: readonly string[], options: RunOptions = {}) =>
    home.exai(args, { ...options, env: AWAY });
  return { exai, emulator };
}

verifies('ask:attach', 'files, patterns and pictures reach the model', async () => {
  const { exai, emulator } = await emulated();
  const folder = openFolder();
  const files = ['--file', `${folder}/**/*.ts`, '--file', `${folder}/notes.txt`];
  const asked = await exai(['ask', ...files, 'Say', 'exactly:', 'read'], { input: 'piped words' });
  expect([asked.code, asked.stdout]).toEqual([0, 'read\n']);
  const sent = JSON.stringify(emulator.requests());
  for (const text of ['cobalt', 'lamp.ts', 'notes.txt', 'piped words'])
    expect(sent).toContain(text);

  const seen = await exai(['ask', '--image', `${folder}/picture.bin`, 'Say exactly: seen']);
  expect([seen.code, seen.stdout]).toEqual([0, 'seen\n']);
  expect(seen.stderr).toContain('Rule 6');
  expect(JSON.stringify(emulator.requests())).toContain(PNG.toString('base64'));
});

verifies('ask:attach', 'what cannot be attached is refused before a model is asked', async () => {
  const { exai, emulator } = await emulated();
  const folder = openFolder();
  const refusals: [string[], number, string][] = [
    [['--file', `${folder}/missing.txt`], 6, 'There is no'],
    [['--file', `${folder}/*.rs`], 6, 'No file matches'],
    [['--file', `${folder}/noise.bin`], 3, 'cannot be read'],
    [['--file', `${folder}/large.txt`], 8, 'over the limit of 24 MB'],
    [['--image', `${folder}/notes.txt`], 3, 'is not a picture'],
    [['--image', `${folder}/report.txt`], 3, 'is a document (PDF)'],
    [['--image', `${folder}/missing.png`], 6, 'missing.png'],
    [['--file', '-'], 2, 'nothing is piped in'],
  ];
  for (const [args, code, words] of refusals) {
    const refused = await exai(['ask', ...args, 'q']);
    expect([args, refused.code, refused.stdout]).toEqual([args, code, '']);
    expect(refused.stderr.toLowerCase()).toContain(words.toLowerCase());
  }
  expect(emulator.requests()).toEqual([]);
});
