import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { WORKERS_URL } from './test/bundle-workers.ts';

// Processes, not threads: tests start workers, send signals and change directories. Three, also where there are two cores:
// half of the time of e2e tests is spent waiting for processes and for limits to run out.
const shared = { pool: 'forks' as const, maxWorkers: 3 };

const SOAK_MS = 1_800_000;

const UNIT = ['src/**/*.test.ts', 'emulator/**/*.test.ts', 'test/unit/**/*.test.ts'];

/** They change the process or measure it: its folder, signals, output, umask, warnings, memory, open sockets. */
const ALONE = [
  'emulator/main.test.ts',
  'src/config/load/load.test.ts',
  'src/net/many-sends.test.ts',
  'src/transport/http/read-body.test.ts',
  'src/transport/unix/unix-server.test.ts',
  'src/transport/ws/memory.test.ts',
  'test/unit/ask-faults-*.test.ts',
  'test/unit/gateway-faults-{anthropic,openai}.test.ts',
  'test/unit/providers.test.ts',
];

/** They run for a minute or more. */
const LONG = /\/test\/e2e\/(?:conformance|docs-commands|mcp-matrix|recipes)\.test\.ts$/;
const FIRST = ['e2e', 'unit-alone'];

/**
 * First what waits most and what runs longest, then the others by project, as a process goes on only with the next file of its own. Of the
 * unit tests those that set up a whole world, so that at the end all workers have something short to do.
 */
class WholeWorldsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      if (LONG.test(moduleId)) return -1;
      const place = FIRST.indexOf(project.name);
      return place === -1 ? FIRST.length + (moduleId.includes('/test/') ? 0 : 1) : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  // For src/core/worker-entry.ts.
  define: { EXAI_BUNDLED_WORKERS: JSON.stringify(WORKERS_URL) },
  test: {
    globalSetup: ['test/postgres.ts', 'test/bundle-workers.ts'],
    sequence: { sequencer: WholeWorldsFirst },
    // Generous: a timeout catches a test that hangs, it never measures how fast the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Shorter than a test's own, so that what was waited for is named. `vi.waitFor` does not read this: test/unit refuses it.
    expect: { poll: { timeout: 90_000, interval: 10 } },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit',
          include: UNIT,
          exclude: [...configDefaults.exclude, ...ALONE],
          // A process for each file costs more time than most of them take.
          isolate: false,
          setupFiles: ['test/property-seed.ts', 'test/leaves-nothing.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit-alone',
          include: ALONE,
          setupFiles: ['test/property-seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/attacks/**/*.test.ts'],
          // What they test is in processes of its own.
          isolate: false,
          setupFiles: ['test/leaves-nothing.ts'],
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
            'src/config/load/{dotenv,show}.test.ts',
            'src/core/errors/call-error.test.ts',
            'src/core/json-schema/**/*.test.ts',
            'src/core/json-text/*.test.ts',
            'src/core/json/model-json.test.ts',
            'src/telemetry/redaction/redact.test.ts',
            'src/models/*.test.ts',
            'src/providers/kimi/contract.test.ts',
            'src/providers/kimi/schema/*.test.ts',
            'src/providers/openai-compatible/**/*.test.ts',
            'emulator/*/hostile.test.ts',
            'src/resilience/continuation/*.test.ts',
            'test/unit/ask-faults-*.test.ts',
            'test/unit/{door,file-tools}-faults.test.ts',
            'test/unit/gateway-continuations.test.ts',
            'test/unit/gateway-faults-{anthropic,openai}.test.ts',
            'test/unit/{messages,sim}.test.ts',
          ],
          env: { EXAI_TEST_THOROUGH: '1' },
          setupFiles: ['test/soak/many-runs.ts'],
          testTimeout: SOAK_MS,
        },
      },
    ],
  },
});
