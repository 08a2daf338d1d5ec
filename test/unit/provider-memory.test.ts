import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import type { Load, MemoryTaken } from '../cases/provider-memory-load.ts';
import { verifies } from '../verifies.ts';

const PROGRAM = fileURLToPath(new URL('../cases/provider-memory-load.ts', import.meta.url));
const MB = 1024 * 1024;
const RUNS = 4;
/** What is thrown away at once has little room, so that what is kept is measured. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=2'];
/** Of a small payload three times its size is less than the heap takes for breathing. */
const FLOOR_BYTES = 30 * MB;

describe('memory that a provider takes, in a process of its own', () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator();
  });
  afterAll(() => emulator.close());

  async function take(vendor: string, load: Load): Promise<MemoryTaken> {
    const args = [...FLAGS, '--import', 'tsx', PROGRAM, vendor, load, emulator.url];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    emulator.reset();
    return JSON.parse(stdout) as MemoryTaken;
  }

  /** The least of a few runs: when the collector happens to run is no need of the load's. */
  async function takeLeast(vendor: string, load: Load): Promise<MemoryTaken> {
    const runs: MemoryTaken[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const taken = await take(vendor, load);
      if (taken.grownBytes < FLOOR_BYTES) return taken;
      runs.push(taken);
    }
    const [least] = runs.toSorted((a, b) => a.grownBytes - b.grownBytes);
    if (!least) throw new Error('nothing ran');
    return least;
  }

  for (const vendor of ['kimi', 'glm'])
    describe(`${vendor}`, () => {
      verifies(
        'provider:memory',
        'a prompt of 256,000 tokens takes less than three times its size, or 30 MB',
        async () => {
          const { done, payloadBytes, grownBytes } = await takeLeast(vendor, 'prompt');
          expect(done).toBe(3);
          expect(payloadBytes).toBeGreaterThan(1.5 * MB);
          expect(grownBytes).toBeLessThan(Math.max(3 * payloadBytes, FLOOR_BYTES));
        },
      );

      verifies(
        'provider:memory',
        'an upload of 100 MB is never held: it takes less than half its size',
        async () => {
          const { done, payloadBytes, grownBytes } = await take(vendor, 'upload');
          expect([done, payloadBytes]).toEqual([100 * MB, 100 * MB]);
          expect(grownBytes).toBeLessThan(payloadBytes / 2);
        },
      );

      verifies(
        'provider:memory',
        'a stream of 50,000 pieces takes less than three times its size',
        async () => {
          const { done, payloadBytes, grownBytes } = await take(vendor, 'stream');
          expect(done).toBe(50_000);
          expect(grownBytes).toBeLessThan(3 * payloadBytes);
        },
      );
    });
});
