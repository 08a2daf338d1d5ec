import * as z from 'zod';
import { CallError } from '#core/call-error.ts';
import { defineTool, type ToolDefinition } from '#core/define-tool.schema.ts';
import type { Tool, ToolContext } from '#core/tool.ts';
import { roundsOf } from './questions.ts';

const Input = z.strictObject({
  ms: z.number().int().min(0).max(10_000),
  key: z.string().max(20).optional(),
});
type Input = z.infer<typeof Input>;

/** `heeds`: stops at its signal. `ignores`: goes on. `tells`: progress on the way. `fails`, `throws`: in its own ways. `asks`: needs answers. */
type Manner = 'heeds' | 'ignores' | 'tells' | 'fails' | 'throws' | 'asks';

interface SimTool {
  readonly manner: Manner;
  readonly tool: Tool;
}

const TIMEOUT_MS = 2500;

function simTool(
  name: string,
  manner: Manner,
  about: Pick<ToolDefinition<typeof Input>, 'effect'> & Partial<ToolDefinition<typeof Input>>,
): SimTool {
  const tool = defineTool({
    name,
    title: name,
    description: `Of the simulation: ${name}.`,
    input: Input,
    timeoutMs: TIMEOUT_MS,
    profile: 'lean',
    // Each world puts its own in the place of this one.
    run: () => Promise.reject(new CallError('internal', 'It belongs to no world.')),
    ...about,
  });
  return { manner, tool };
}

const SIM_TOOLS: readonly SimTool[] = [
  simTool('glance', 'heeds', { effect: 'reads', coalesce: false }),
  simTool('look', 'heeds', { effect: 'reads', lane: 'provider' }),
  simTool('talk', 'tells', { effect: 'reads', lane: 'provider', coalesce: false }),
  simTool('write', 'heeds', { effect: 'changes' }),
  simTool('ask_kimi', 'heeds', { effect: 'changes', lane: 'kimi' }),
  simTool('ask_glm', 'tells', { effect: 'changes', lane: 'glm' }),
  simTool('set', 'heeds', { effect: 'changes', lane: 'provider', idempotent: true }),
  simTool('fail', 'fails', { effect: 'changes', lane: 'kimi' }),
  simTool('trip', 'throws', { effect: 'reads', lane: 'glm' }),
  simTool('deaf', 'ignores', { effect: 'changes', lane: 'provider' }),
  simTool('stare', 'ignores', { effect: 'reads', lane: 'provider' }),
  simTool('stuck', 'ignores', { effect: 'reads', lane: 'kimi', timeoutMs: 600, coalesce: false }),
  simTool('inquire', 'asks', { effect: 'changes', lane: 'provider' }),
  simTool('wonder', 'asks', { effect: 'reads' }),
];

export const TOOL_NAMES: readonly string[] = SIM_TOOLS.map(({ tool }) => tool.name);

const CHANGING = new Set(
  SIM_TOOLS.filter(({ tool }) => !tool.annotations.readOnlyHint).map(({ tool }) => tool.name),
);

export function isChanging(tool: string): boolean {
  return CHANGING.has(tool);
}

/** What watches the work, and lets its time pass. */
export interface Workshop {
  begin(tool: Tool, context: ToolContext): { end(): void };
  /** Resolves after the time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function simTools(workshop: Workshop): Tool[] {
  return SIM_TOOLS.map(({ tool, manner }) => ({
    ...tool,
    run(args: Readonly<Record<string, unknown>>, context: ToolContext) {
      const run = workshop.begin(tool, context);
      if (manner === 'throws') {
        run.end();
        throw new TypeError('a bug of the tool');
      }
      return work(manner, args as Input, context, workshop).finally(() => run.end());
    },
  }));
}

async function work(manner: Manner, args: Input, context: ToolContext, workshop: Workshop) {
  const { ms } = args;
  if (manner === 'ignores') {
    await workshop.sleep(ms);
    return { text: 'done all the same' };
  }
  const { signal } = context;
  const steps = manner === 'tells' ? 3 : 1;
  for (let step = 1; step <= steps; step++) {
    await workshop.sleep(ms / steps, signal);
    if (signal.aborted) throw CallError.from(signal.reason);
    if (manner === 'tells') context.progress({ note: 'on it', done: step, total: steps });
  }
  if (manner === 'fails') throw new CallError('tool_error', 'It did not work out.');
  const open = manner === 'asks' && openRound(args, context);
  return open ? { asks: open } : { text: 'done' };
}

/** What it has no answers to yet. */
function openRound(args: Input, { tool, answers }: ToolContext) {
  return roundsOf(tool, args).find((round) =>
    Object.keys(round).some((name) => !Object.hasOwn(answers, name)),
  );
}
