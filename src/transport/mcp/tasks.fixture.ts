import type { CallRequest } from '#core/calls/calls.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { createTestJobs, type TestJobs } from './jobs.fixture.ts';
import type { McpDeps } from './mcp-session.ts';
import { createBackgroundPolicy } from './background-policy.ts';
import { createTestSession, MODERN_META, request, type TestSession } from './session.fixture.ts';

export const TIMES = { inlineWaitMs: 45_000, withProgressMs: 280_000, taskWaitMs: 5000 };
export const HANDOFF_POLICY = createBackgroundPolicy(TIMES);

/** In `_meta` of a client that follows tasks. */
export const TASKS_META = {
  ...MODERN_META,
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

export interface TaskSession extends TestSession {
  readonly jobs: TestJobs;
  /** Sends it as a client that follows tasks, and gives what comes back first. */
  readonly ask: (id: number, method: string, params?: object) => Promise<unknown>;
  readonly handOffOf: (index: number) => CallRequest['background'];
}

export function createTaskSession(
  options: Parameters<typeof createTestSession>[0] & {
    deps?: Partial<McpDeps>;
    jobs?: TestJobs;
  } = {},
): TaskSession {
  const clock: FakeClock = createFakeClock();
  const jobs = options.jobs ?? createTestJobs(clock);
  const deps = { clock, jobs, handoffPolicy: HANDOFF_POLICY, ...options.deps };
  const session = createTestSession({ ...options, deps });
  const { say, channel, calls } = session;
  return {
    ...session,
    clock,
    jobs,
    async ask(id, method, params = {}) {
      say(request(id, method, { ...params, _meta: TASKS_META }));
      const [first] = await channel.next(1);
      return first;
    },
    handOffOf: (index) => calls.started[index]?.request.background,
  };
}
