import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { ANY_PORT, callStatus, daemonPid, homeForShims, starts, SUCCESS } from './shim-home.ts';
import { startShim, type RpcAnswer } from './shim-client.ts';

verifies('shim:start', 'ten shims started at once start one daemon', async ({ onTestFinished }) => {
  const { root } = homeForShims(onTestFinished);
  const shims = Array.from({ length: 10 }, () => startShim(root, { env: ANY_PORT }));
  const answers = await Promise.all(shims.map((shim) => shim.initialize()));
  for (const { result } of answers) expect(result?.['serverInfo']).toMatchObject({});
  const listed = await Promise.all(shims.map((shim) => shim.request('tools/list')));
  for (const { result } of listed) expect(result?.['tools']).not.toEqual([]);
  expect(starts(root)).toBe(1);
  expect(await Promise.all(shims.map((shim) => shim.end()))).toEqual(Array(10).fill(0));
});

verifies(
  'shim:reconnect',
  'a daemon killed under load behind twenty shims is replaced, and every call is answered once',
  async ({ onTestFinished }) => {
    const { root, exai } = homeForShims(onTestFinished);
    const shims = Array.from({ length: 20 }, () => startShim(root, { env: ANY_PORT }));
    await Promise.all(shims.map((shim) => shim.initialize()));
    const first = daemonPid(root);
    let answered = 0;
    const load = shims.map(async (shim) => {
      const answers: RpcAnswer[] = [];
      for (let i = 0; i < 60; i++) {
        answers.push(await shim.request('tools/call', callStatus));
        answered += 1;
        if (answered === 300) process.kill(first, 'SIGKILL');
      }
      return answers;
    });
    const answers = (await Promise.all(load)).flat();
    expect(answers).toHaveLength(1200);
    const failures = answers.filter(({ error }) => error !== undefined);
    for (const { error } of failures) expect(error?.data).toMatchObject({ retryable: true });
    const back = await Promise.all(shims.map((shim) => shim.request('tools/call', callStatus)));
    for (const { result } of back) expect(result).toMatchObject(SUCCESS);
    expect(daemonPid(root)).not.toBe(first);
    expect(starts(root)).toBe(2);
    for (const { lines } of shims) {
      const ids = lines.flatMap((line) => (JSON.parse(line) as { id?: number }).id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
    }
    expect(await Promise.all(shims.map((shim) => shim.end()))).toEqual(Array(20).fill(0));
    const verified = await exai(['audit', 'verify', '--json']);
    expect(verified.code).toBe(0);
  },
  120_000,
);
