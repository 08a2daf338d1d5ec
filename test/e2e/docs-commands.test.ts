import { expect } from 'vitest';
import { listPages } from '../../scripts/docs/list-pages.ts';
import { runBlocks } from '../../scripts/docs/run-blocks.ts';
import { verifies } from '../verifies.ts';

/** Enough that a parser which finds no blocks, or few, fails. */
const LEAST_BLOCKS = 10;
const TIMEOUT_MS = 900_000;

verifies(
  'docs:commands',
  'every runnable command block ends with exit code 0, against the emulator',
  async () => {
    const { ran, problems } = await runBlocks(listPages());
    expect(problems).toEqual([]);
    expect(ran).toBeGreaterThanOrEqual(LEAST_BLOCKS);
  },
  TIMEOUT_MS,
);
