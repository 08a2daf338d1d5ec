import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oddPaths, outsidePaths } from '../attacks/files/paths.ts';
import { prepareTraps, SECRET, type Traps } from '../attacks/files/prepare.ts';
import { openAttackHarness, type AttackHarness } from '../attacks/attack-harness.ts';
import { createPeer } from '../e2e/matrix/peer.ts';
import { overSocket } from '../e2e/matrix/socket-peer.ts';

const STEP = {
  step: 'Look',
  step_number: 1,
  total_steps: 1,
  next_step_required: false,
  findings: 'none',
};
const MODELS = [{ model: 'kimi-k2.6' }, { model: 'glm-4.6' }];
/** Tools other than chat, and the argument by which each reads files. */
const READERS: readonly (readonly [tool: string, (path: string) => object])[] = [
  ['consensus', (path) => ({ ...STEP, models: MODELS, relevant_files: [path] })],
  ['precommit', (path) => ({ ...STEP, path })],
  ...['analyze', 'codereview', 'debug', 'refactor', 'secaudit', 'testgen', 'thinkdeep'].map(
    (tool) => [tool, (path: string) => ({ ...STEP, relevant_files: [path] })] as const,
  ),
];
const LEAST_TRIES = 1_638;

let traps: Traps;
let harness: AttackHarness;
beforeAll(async () => {
  traps = await prepareTraps();
  harness = await openAttackHarness({
    env: { HOME: traps.user, EXAI_HOME: traps.state },
    config: { allowedDirs: [traps.shared] },
  });
});
afterAll(async () => {
  await harness?.close();
  traps?.close();
  rmSync(traps?.top ?? '', { recursive: true, force: true });
});

test('no tool that takes files reads or tells of anything outside the roots', async () => {
  const { project } = traps;
  const paths = [
    ...outsidePaths(project, traps).flatMap(({ path, missing }) => [path, missing]),
    ...oddPaths(project),
  ];
  const peer = await createPeer('legacy', overSocket(harness.socketPath, { cwd: project }));
  const leaks: unknown[] = [];
  let tries = 0;
  const call = async (tool: string, args: object) => {
    const answer = await peer.request('tools/call', { name: tool, arguments: args });
    return JSON.stringify(answer.result ?? answer.error);
  };
  for (const [tool, args] of READERS) {
    expect(await call(tool, args('/etc/passwd'))).toContain('is not in the folders');
    for (const path of paths) {
      tries += 1;
      const told = await call(tool, args(path));
      if (told.includes(SECRET)) leaks.push([tool, path, told]);
    }
  }
  await peer.vanish();
  const sent = JSON.stringify(harness.emulator.requests().map(({ body }) => body));
  expect(sent).not.toContain(SECRET);
  expect(leaks).toEqual([]);
  console.log(`files: ${tries} tries`);
  expect(tries).toBeGreaterThanOrEqual(LEAST_TRIES);
});
