import { runToolLoop } from '#agent/loop.ts';
import type { InnerCalls } from '#core/calls/inner-calls.ts';
import type { ToolLoopDeps } from '#tools/shared/tool-loop.ts';
import { createFakeClock } from './fake-clock.ts';

/** What a tool loop needs, where a caller has no tools. */
export const NO_TOOL_LOOP: ToolLoopDeps = {
  runToolLoop,
  rankTools: () => [],
  prepareRanking: async () => undefined,
  clock: createFakeClock(),
  modelDirectory: { resolve: () => ({ is: 'unknown', nearest: [] }) as never },
  toolsOf: () => ({ find: () => undefined, all: () => [] }),
};

/** The inner calls of a tool that makes none. */
export const NO_INNER_CALLS: InnerCalls = {
  find: () => undefined,
  decide: () => ({ verdict: 'deny', reasons: [] }),
  all: () => [],
  run: () => Promise.reject(new Error('this tool was to call no other')),
};
