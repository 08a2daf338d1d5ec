import { expect } from 'vitest';
import { useEmulator } from '../client.fixture.ts';
import { kimi, type Answered } from '../emulator.fixture.ts';
import type { Emulator } from '../start.ts';
import { createKimi } from './kimi.ts';

const START_MS = 1_790_000_000_000;

export interface KimiHarness {
  readonly emulator: Emulator;
  nowMs: number;
  readonly switches: () => Record<string, unknown>;
  /** With a key of one's own, or the usual one. */
  readonly as: (key?: string) => ReturnType<typeof kimi>;
  readonly ask: (body: object, headers?: Record<string, string>) => Promise<Answered>;
  /** The message of the 400, or the status of anything else. */
  readonly outcome: (body: object) => Promise<unknown>;
}

/** The emulated Kimi for the tests of a file, as new before each of them. */
export function useKimi(): KimiHarness {
  const client = useEmulator(() => [createKimi()], {}, START_MS);
  const harness: KimiHarness = {
    get emulator() {
      return client.emulator;
    },
    get nowMs() {
      return client.now;
    },
    set nowMs(ms) {
      client.now = ms;
    },
    switches: () => client.emulator.switches['kimi'] ?? {},
    as: (key) => kimi(client.emulator, key),
    ask: (body, headers) =>
      harness
        .as()
        .post(
          '/chat/completions',
          { model: 'kimi-k2.6', messages: [{ role: 'user', content: 'Hello' }], ...body },
          headers,
        ),
    async outcome(body) {
      const { status, json } = await harness.ask(body);
      if (status !== 400) return status;
      expect(json.error.type).toBe('invalid_request_error');
      expect(Object.keys(json.error)).toEqual(['message', 'type']);
      return json.error.message;
    },
  };
  return harness;
}
