import { defineConfig } from 'vitest/config';

// Processes, not threads: tests start workers, send signals and change directories. Two, also where there are two cores:
// much of the time is spent waiting for processes that tests start.
const shared = { pool: 'forks' as const, maxWorkers: 2 };

const SOAK_MS = 1_800_000;

export default defineConfig({
  test: {
    globalSetup: ['test/postgres.ts'],
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'emulator/**/*.test.ts', 'test/unit/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'soak',
          include: ['test/soak/**/*.test.ts'],
          testTimeout: SOAK_MS,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'fuzz',
          include: [
            'src/config/{dotenv,json-parse,show}.test.ts',
            'src/core/call-error.test.ts',
            'src/telemetry/redact.test.ts',
            'src/models/*.test.ts',
            'src/providers/kimi/contract.test.ts',
            'src/providers/kimi/schema/*.test.ts',
            'src/providers/wire/*.test.ts',
            'emulator/*/hostile.test.ts',
          ],
          setupFiles: ['test/soak/many-runs.ts'],
          testTimeout: SOAK_MS,
        },
      },
    ],
  },
});
