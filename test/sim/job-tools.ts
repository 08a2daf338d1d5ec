import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { defineTool, type ToolDefinition } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { roundsOf } from './questions.ts';
import type { Workshop } from './sim-tools.ts';

const Input = z.strictObject({
  ms: z.number().int().min(0).max(60_000),
  steps: z.number().int().min(1).max(10),
  key: z.string().max(20).optional(),
});
type Input = z.infer<typeof Input>;

/**
 * `deaf`: goes on whatever its signal says. `fails`: at the end. `asks`: at the end, until it knows
 * all.
 */
type Manner = 'heeds' | 'deaf' | 'fails' | 'asks';

/** Less than most of them take: a job has a time of its own. */
const TIMEOUT_MS = 5000;

function jobTool(
  name: string,
  manner: Manner,
  about: Pick<ToolDefinition<typeof Input>, 'effect'> & Partial<ToolDefinition<typeof Input>>,
): { readonly manner: Manner; readonly tool: Tool } {
  const tool = defineTool({
    name,
    title: name,
    description: `Of the simulation: ${name}.`,
    input: Input,
    timeoutMs: TIMEOUT_MS,
    profile: 'lean',
    coalesce: false,
    // Each simulation puts its own in the place of this one.
    run: () => Promise.reject(new CallError('internal', 'It belongs to no simulation.')),
    ...about,
  });
  return { manner, tool };
}

const JOB_TOOLS = [
  jobTool('haul', 'heeds', { effect: 'changes', pool: 'provider', resumable: true }),
  jobTool('dig', 'heeds', { effect: 'changes', pool: 'provider' }),
  jobTool('sift', 'heeds', {
    effect: 'reads',
    background: 'auto',
    resumable: true,
    coalesce: true,
  }),
  jobTool('deal', 'asks', { effect: 'changes', background: 'immediate', resumable: true }),
  jobTool('barter', 'asks', { effect: 'changes', pool: 'provider' }),
  jobTool('grind', 'deaf', { effect: 'changes', pool: 'kimi' }),
  jobTool('flop', 'fails', { effect: 'reads', pool: 'glm', resumable: true }),
];

export const JOB_TOOL_NAMES = JOB_TOOLS.map(({ tool }) => tool.name);

export function isJobTool(name: string): boolean {
  return JOB_TOOL_NAMES.includes(name);
}

const CHANGING = new Set(
  JOB_TOOLS.flatMap(({ tool }) => (tool.annotations.readOnlyHint ? [] : [tool.name])),
);

export function changesByJob(tool: string): boolean {
  return CHANGING.has(tool);
}

export function jobTools(workshop: Workshop): Tool[] {
  return JOB_TOOLS.map(({ tool, manner }) => ({
    ...tool,
    run(args: Readonly<Record<string, unknown>>, context: ToolContext) {
      const run = workshop.begin(tool, context);
      return work(manner, args as Input, context, { workshop, mark: run.mark }).finally(() =>
        run.end(),
      );
    },
  }));
}

async function work(
  manner: Manner,
  args: Input,
  context: ToolContext,
  { workshop, mark }: { readonly workshop: Workshop; readonly mark: string },
) {
  const { signal } = context;
  const { ms, steps } = args;
  const { step: from = 0 } = (context.resumedFrom ?? {}) as { readonly step?: number };
  for (let step = from + 1; step <= steps; step++) {
    await workshop.sleep(ms / steps, manner === 'deaf' ? undefined : signal);
    if (signal.aborted && manner !== 'deaf') throw CallError.from(signal.reason);
    context.checkpoint({ step });
    context.progress({ note: `step ${step}`, done: step, total: steps, text: `${step} ` });
  }
  if (manner === 'fails') throw new CallError('tool_error', 'It did not work out.');
  const open = manner === 'asks' ? openRound(args, context) : undefined;
  return open ? { inputRequests: open } : { text: `done for ${mark}` };
}

/** What it has no answers to yet. */
function openRound(args: Input, { tool, answers }: ToolContext) {
  return roundsOf(tool, args).find((round) =>
    Object.keys(round).some((name) => !Object.hasOwn(answers, name)),
  );
}
