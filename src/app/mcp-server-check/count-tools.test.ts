import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '#core/time/clock.ts';
import { systemClock } from '../system.ts';
import { countTools } from './count-tools.ts';

const OPTIONS = {
  timeoutMs: 30_000,
  clock: systemClock,
  signal: new AbortController().signal,
};

/** A server whose answer to each request is the value of an expression over `method`, `params`. */
function serverThat(answer: string) {
  return script(`require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined) console.log('noise\\n' + JSON.stringify({ jsonrpc: '2.0', id, ...(${answer}) }));
  });`);
}

function script(text: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'exai-server-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const file = join(cwd, 'server.cjs');
  writeFileSync(file, text);
  return { command: process.execPath, args: [file], env: { PATH: '/usr/bin' }, cwd };
}

test('the tools of all pages are counted', async () => {
  const pages = serverThat(
    `{ result: method === 'initialize' ? {} : params.cursor === 'b'
      ? { tools: [{}] } : { tools: [{}, {}], nextCursor: 'b' } }`,
  );
  expect(await countTools(pages, OPTIONS)).toBe(3);
});

test('a server that answers with an error is quoted', async () => {
  const refusing = serverThat(`{ error: { code: -32000, message: 'not today' } }`);
  await expect(countTools(refusing, OPTIONS)).rejects.toMatchObject({
    class: 'bad_response',
    message: 'It answers with an error: not today',
  });
});

test('a server that ends is reported with its code and its first words', async () => {
  const ending = script(`console.error('no home\\nmore'); process.exitCode = 7;`);
  await expect(countTools(ending, OPTIONS)).rejects.toMatchObject({
    class: 'tool_error',
    message: `${process.execPath} failed with code 7: no home`,
  });
});

test.each(['exai', '/nowhere/exai'])('%s that cannot be started is named', async (command) => {
  const missing = { ...script(''), command };
  await expect(countTools(missing, OPTIONS)).rejects.toMatchObject({ class: 'not_configured' });
});

/** Every time limit passes at once. */
const hastyClock: Clock = { ...systemClock, after: (_, then) => systemClock.after(0, then) };

test('a server that neither answers nor ends is ended after the time limit', async () => {
  const stuck = script(`process.stdin.resume(); setInterval(() => {}, 1000);`);
  await expect(countTools(stuck, { ...OPTIONS, clock: hastyClock })).rejects.toMatchObject({
    class: 'timeout',
    message: 'It did not answer within 30 seconds.',
  });
});

test('a cancelled check ends the server', async () => {
  const controller = new AbortController();
  const stuck = script(`process.stdin.resume(); setInterval(() => {}, 1000);`);
  const counting = countTools(stuck, { ...OPTIONS, signal: controller.signal });
  controller.abort();
  await expect(counting).rejects.toMatchObject({ class: 'cancelled' });
});
