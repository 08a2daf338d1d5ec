import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';

const SEEDS = 100_000;
const PROCESSES = 2;

test('a hundred thousand simulations keep every invariant', async () => {
  const share = SEEDS / PROCESSES;
  // After those of the suite, which are run often enough.
  const parts = Array.from({ length: PROCESSES }, (_, part) =>
    simulate(1001 + part * share, share),
  );
  const said = await Promise.all(parts);
  for (const { text } of said) console.log(text);
  expect(said.map(({ code, text }) => (code === 0 ? '' : text))).toEqual(parts.map(() => ''));
});

function simulate(from: number, seeds: number): Promise<{ code: number | null; text: string }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'scripts/sim.ts', '--seeds', String(seeds), '--from', String(from)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}
