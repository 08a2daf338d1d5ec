import * as z from 'zod';
import type { Manager } from '#core/llm/ask.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallResult, CallRequest, Calls, RunningCall } from '#core/calls/calls.ts';
import { defineTool, type ToolDefinition } from '#core/tools/define-tool.schema.ts';
import { createIds } from '#core/ids.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { CallRecord, CallStore } from '#core/stores/calls.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { createLimiter, type Limiter } from '#resilience/limiter.ts';
import { createFakeClock, type FakeClock } from '../../test/fake-clock.ts';
import { createListLog, type ListLog } from '../../test/list-log.ts';
import { createAccess, type Access } from './access.ts';
import type { AgentSettings } from './agents/agent-rows.ts';
import { createCalls } from './create-calls.ts';
import { createContentRegistry, type ContentRegistry } from './content-registry.ts';
import { capacityOf, type CallLimits } from './call-limits.ts';
import { createRegistry, type Registry, type RegistryOptions } from './registry.ts';
import { createMetadata } from './request-metadata.ts';
import { createStateSeal } from './request-state.ts';
import { REFUSING_MANAGER } from '../../test/refusing-manager.ts';

const Input = z.strictObject({
  topic: z.string().optional(),
  depth: z.number().int().min(1).optional(),
  options: z.strictObject({ verbose: z.boolean() }).optional(),
});

/** One time that a tool was run, ended by the test. */
export interface Run {
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  answer(answer?: ToolResult | InputRequired): void;
  fail(thrown: unknown): void;
}

export interface ProbeTool {
  readonly tool: Tool;
  readonly runs: Run[];
  /** The nth run. */
  run(index?: number): Run;
}

/** A tool that does nothing until the test says so. */
export function probeTool(
  about: Partial<Omit<ToolDefinition<typeof Input>, 'input' | 'run'>> = {},
): ProbeTool {
  const runs: Run[] = [];
  const tool = defineTool({
    name: 'probe',
    title: 'Probe',
    description: 'Of the tests.',
    effect: 'reads',
    ...about,
    input: Input,
    run: (args, context) =>
      new Promise<ToolResult | InputRequired>((resolve, fail) => {
        runs.push({ args, context, answer: (answer = { text: 'done' }) => resolve(answer), fail });
      }),
  });
  return {
    tool,
    runs,
    run(index = 0) {
      const run = runs[index];
      if (!run) throw new Error(`it ran ${runs.length} times`);
      return run;
    },
  };
}

/** Rows in memory; `record` ends when the test lets it, where it wants that. */
export interface MemoryStore extends CallStore {
  readonly noted: CallRecord[];
  readonly recorded: CallRecord[];
  /** Records that wait for the test. */
  readonly commits: { done(): void; failed(error: CallError): void }[];
}

export function createMemoryStore(manner: 'at-once' | 'when-told' = 'at-once'): MemoryStore {
  const noted: CallRecord[] = [];
  const recorded: CallRecord[] = [];
  const commits: MemoryStore['commits'] = [];
  return {
    noted,
    recorded,
    commits,
    recordLazily(row) {
      noted.push(row);
      return undefined;
    },
    record(row) {
      recorded.push(row);
      if (manner === 'at-once') return Promise.resolve();
      return new Promise((done, failed) => void commits.push({ done, failed }));
    },
    list: async () => [...noted, ...recorded],
    attempts: async () => [],
    costs: async () => ({ attempts: [], usage: [] }),
    recordUsage: async () => undefined,
  };
}

export const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };

export interface TestCalls {
  readonly calls: Calls;
  readonly registry: Registry;
  readonly content: ContentRegistry;
  readonly access: Access;
  readonly limiter: Limiter;
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly log: ListLog;
  readonly start: (tool: string, args?: unknown, more?: Partial<CallRequest>) => RunningCall;
  readonly answer: (...call: Parameters<TestCalls['start']>) => Promise<CallResult>;
}

export interface TestCallsOptions {
  readonly limits?: Partial<CallLimits>;
  readonly maxWaiting?: number;
  readonly store?: MemoryStore;
  readonly registry?: Partial<RegistryOptions>;
  readonly pageSize?: number;
  /** The rows of agents in the settings. */
  readonly agents?: AgentSettings;
  readonly manager?: Pick<Manager, 'ask'>;
  readonly storeFailure?: () => CallError | undefined;
  readonly clock?: FakeClock;
}

/** Calls as the daemon has them, on a clock that stands still. */
export function createTestCalls(tools: readonly Tool[], options: TestCallsOptions = {}): TestCalls {
  const { limits, maxWaiting = 10, store = createMemoryStore(), pageSize = 1000 } = options;
  const { clock = createFakeClock() } = options;
  const log = createListLog();
  const registry = createRegistry({
    profile: 'full',
    enabled: [],
    disabled: [],
    ...options.registry,
  });
  registry.put('builtin', tools);
  const all = { global: 24, kimi: 6, glm: 4, session: 8, ...limits };
  const limiter = createLimiter({ capacity: (pool) => capacityOf(pool, all), maxWaiting });
  const content = createContentRegistry();
  const { agents = {} } = options;
  const access = createAccess({ registry, agents: () => agents });
  const calls = createCalls({
    registry,
    content,
    access,
    seal: createStateSeal(new Uint8Array(32), clock),
    pageSize,
    limiter,
    capacity: all.global,
    retryAfterMs: 1500,
    isCredentialValid: () => true,
    metadata: createMetadata({ timezone: 'Australia/Melbourne', location: '' }, clock),
    store,
    ...(options.storeFailure && { storeFailure: options.storeFailure }),
    manager: options.manager ?? REFUSING_MANAGER,
    clock,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
    log,
    metrics: {
      counter: () => ({ add() {} }),
      histogram: () => ({ observe() {} }),
      gauge() {},
    },
    tracer: {
      span: async (_name, _options, work) =>
        work({ traceId: '0'.repeat(32), traceparent: undefined, set() {} }),
    },
  });
  const start: TestCalls['start'] = (tool, args = {}, more = {}) =>
    calls.start({ tool, args, caller: OWNER, transport: 'ws', session: 's1', ...more });
  const answer: TestCalls['answer'] = (...given) => start(...given).answer;
  return { calls, registry, content, access, limiter, clock, store, log, start, answer };
}

/** What was set off has run to its end. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** `open` until the answer is there. */
export async function stateOf({ answer }: RunningCall): Promise<'open' | CallResult> {
  let state: 'open' | CallResult = 'open';
  void answer.then((given) => (state = given));
  await settled();
  return state;
}
