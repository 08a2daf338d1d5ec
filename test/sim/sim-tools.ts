import * as z from 'zod';
import type { AskAnswer } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineTool, type ToolDefinition } from '#core/tools/define-tool.schema.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { consultationOf } from './consultation.ts';
import { changesByJob } from './job-tools.ts';
import { roundsOf } from './questions.ts';

const Input = z.strictObject({
  ms: z.number().int().min(0).max(10_000),
  key: z.string().max(20).optional(),
});
type Input = z.infer<typeof Input>;

const Wish = z.strictObject({ wish: z.number().int().nonnegative() });
type Wish = z.infer<typeof Wish>;

/**
 * `heeds`: stops at its signal. `ignores`: goes on. `tells`: progress on the way. `fails`,
 * `throws`: in its own ways. `asks`: needs answers. `consults`: asks models.
 */
type Manner = 'heeds' | 'ignores' | 'tells' | 'fails' | 'throws' | 'asks' | 'consults';

interface SimTool {
  readonly manner: Manner;
  readonly tool: Tool;
}

const TIMEOUT_MS = 2500;

function simTool(
  name: string,
  manner: Manner,
  about: Pick<ToolDefinition<z.ZodObject>, 'effect'> & Partial<ToolDefinition<z.ZodObject>>,
): SimTool {
  const tool = defineTool<z.ZodObject>({
    name,
    title: name,
    description: `Of the simulation: ${name}.`,
    input: manner === 'consults' ? Wish : Input,
    timeoutMs: TIMEOUT_MS,
    profile: 'lean',
    // Each simulation puts its own in the place of this one.
    run: () => Promise.reject(new CallError('internal', 'It belongs to no simulation.')),
    ...about,
  });
  return { manner, tool };
}

const SIM_TOOLS: readonly SimTool[] = [
  simTool('glance', 'heeds', { effect: 'reads', coalesce: false }),
  simTool('look', 'heeds', { effect: 'reads', pool: 'provider' }),
  simTool('talk', 'tells', { effect: 'reads', pool: 'provider', coalesce: false }),
  simTool('write', 'heeds', { effect: 'changes' }),
  simTool('ask_kimi', 'heeds', { effect: 'changes', pool: 'kimi' }),
  simTool('ask_glm', 'tells', { effect: 'changes', pool: 'glm' }),
  simTool('set', 'heeds', { effect: 'changes', pool: 'provider', idempotent: true }),
  simTool('fail', 'fails', { effect: 'changes', pool: 'kimi' }),
  simTool('trip', 'throws', { effect: 'reads', pool: 'glm' }),
  simTool('deaf', 'ignores', { effect: 'changes', pool: 'provider' }),
  simTool('stare', 'ignores', { effect: 'reads', pool: 'provider' }),
  simTool('stuck', 'ignores', { effect: 'reads', pool: 'kimi', timeoutMs: 600, coalesce: false }),
  simTool('inquire', 'asks', { effect: 'changes', pool: 'provider' }),
  simTool('wonder', 'asks', { effect: 'reads' }),
  simTool('chat', 'consults', {
    effect: 'reads',
    pool: 'provider',
    coalesce: false,
    timeoutMs: 5000,
  }),
  simTool('thinkdeep', 'consults', {
    effect: 'changes',
    pool: 'provider',
    category: 'extended_reasoning',
    timeoutMs: 7000,
  }),
  simTool('kimi_chat_with_tools', 'consults', {
    effect: 'reads',
    pool: 'kimi',
    affinity: 'kimi',
    category: 'balanced',
    timeoutMs: 4000,
  }),
];

const namesOf = (tools: readonly SimTool[]) => tools.map(({ tool }) => tool.name);

export const TOOL_NAMES = namesOf(SIM_TOOLS.filter(({ manner }) => manner !== 'consults'));
/** Those that ask models. */
export const CONSULTING = namesOf(SIM_TOOLS.filter(({ manner }) => manner === 'consults'));

const CHANGING = new Set(
  SIM_TOOLS.filter(({ tool }) => !tool.annotations.readOnlyHint).map(({ tool }) => tool.name),
);

export function isChanging(tool: string): boolean {
  return CHANGING.has(tool) || changesByJob(tool);
}

/** What watches the work, and lets its time pass. */
export interface Workshop {
  begin(tool: Tool, context: ToolContext): { readonly mark: string; end(): void };
  /** Resolves after the time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
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
      const working =
        manner === 'consults'
          ? consult(args as Wish, context)
          : work(manner, args as Input, context, workshop);
      return working.finally(() => run.end());
    },
  }));
}

/** A real tool, with its work watched. */
export function watchedTool(tool: Tool, workshop: Workshop): Tool {
  return {
    ...tool,
    run(args, context) {
      const run = workshop.begin(tool, context);
      return tool.run(args, context).finally(() => run.end());
    },
  };
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
  return open ? { inputRequests: open } : { text: 'done' };
}

async function consult({ wish }: Wish, context: ToolContext) {
  const { asks, order } = consultationOf(wish, context.reqId);
  const ask = ({ request, hears }: (typeof asks)[number]) =>
    context.ask(request, hears === 'text' ? { onText: (text) => context.progress({ text }) } : {});
  const answers: AskAnswer[] = [];
  if (order === 'one_by_one') for (const each of asks) answers.push(await ask(each));
  else {
    const ends = await Promise.allSettled(asks.map(ask));
    for (const end of ends) {
      if (end.status === 'rejected') throw CallError.from(end.reason);
      answers.push(end.value);
    }
  }
  return { text: answers.map(({ text }) => text).join('\n') };
}

/** What it has no answers to yet. */
function openRound(args: Input, { tool, answers }: ToolContext) {
  return roundsOf(tool, args).find((round) =>
    Object.keys(round).some((name) => !Object.hasOwn(answers, name)),
  );
}
