import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import type { Progress } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import type { InputResponses, InputRequired, InputRequestKind } from '#core/tools/input-request.ts';
import type { Threads } from '#core/threads.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import type { ReadableWorkspace } from '#core/workspace.ts';
import { intakeOver } from '../../../test/intake-over.ts';
import { defineWorkflow } from './define-workflow.ts';
import type { WorkflowDefinition } from './definition.ts';

export const REPORT: AskReport = {
  reasons: [],
  attempts: [],
  notices: [],
  usage: { input: 10, output: 5, cached: 0, reasoning: 0, estimated: false },
  costMicroUsd: 0,
  costKnown: true,
  quality: 'full',
};

export function answerOf(text: string, more: Partial<AskAnswer> = {}): AskAnswer {
  return {
    text,
    reasoning: '',
    reasoningDetails: [],
    toolCalls: [],
    citations: [],
    finish: 'stop',
    provider: 'kimi',
    model: 'kimi-k3',
    seams: [],
    report: REPORT,
    ...more,
  };
}

export const VERDICT = {
  summary: 'The cache is never emptied.',
  findings: [
    { severity: 'high', description: 'Grows', file: 'src/cache.ts', line: 4, fix: 'Cap it.' },
  ],
  next_steps: ['Cap the cache.'],
};

/** Files by path, or by name in the folder of the default caller; everything else is unreadable. */
export function workspaceOf(
  files: Readonly<Record<string, string>> = {},
  changes: ReadableWorkspace['changes'] = () =>
    Promise.reject(new CallError('validation', 'There is no repository here.', { field: 'path' })),
): ReadableWorkspace {
  return {
    async read(paths, field) {
      const texts = paths.map((name) => {
        const key = Object.hasOwn(files, name) ? name : name.replace(/^\/project\//, '');
        const text = Object.hasOwn(files, key) ? files[key] : undefined;
        if (text !== undefined) return { name, text };
        throw new CallError('validation', `There is no "${name}".`, { field });
      });
      return { texts, notices: [] };
    },
    changes,
  };
}

type Expert = (request: AskRequest, listener: AskListener) => AskAnswer | Promise<AskAnswer>;

export interface Bench {
  readonly call: (args: Record<string, unknown>, by?: Partial<CallBy>) => Promise<StepOutcome>;
  /** Without checking the result. */
  readonly run: (
    args: Record<string, unknown>,
    by?: Partial<CallBy>,
  ) => Promise<ToolResult | InputRequired>;
  readonly asked: AskRequest[];
  readonly progress: Progress[];
  readonly tool: ReturnType<typeof defineWorkflow>;
}

interface CallBy {
  readonly expert: Expert;
  readonly principal: string;
  readonly roots: readonly string[];
  readonly clientCapabilities: readonly InputRequestKind[];
  readonly answers: InputResponses;
  readonly signal: AbortSignal;
  readonly via: ToolContext['via'];
}

/** An answer to a step, prepared for assertions. */
export interface StepOutcome {
  readonly status: string | undefined;
  readonly content: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly detail: string | undefined;
  readonly failure: CallError | undefined;
  readonly id: Id<'conv'>;
}

/** A workflow tool with a fake expert. */
export function benchOf(
  definition: WorkflowDefinition,
  threads: Threads,
  workspace: ReadableWorkspace = workspaceOf(),
): Bench {
  const asked: AskRequest[] = [];
  const progress: Progress[] = [];
  const tool = defineWorkflow(definition, {
    threads,
    workspace,
    fileIntake: intakeOver(workspace),
    locale: '',
  });

  function run(args: Record<string, unknown>, by: Partial<CallBy> = {}) {
    const { principal = 'local', roots = ['/project'], clientCapabilities = [], answers = {} } = by;
    const { expert = () => answerOf(JSON.stringify(VERDICT)) } = by;
    const { signal = new AbortController().signal } = by;
    const context = {
      caller: { principal, roots, scopes: [] },
      clientCapabilities,
      answers,
      via: by.via,
      signal,
      deadline: { at: 1_000_000 },
      progress: (step: Progress) => void progress.push(step),
      async ask(request: AskRequest, listener: AskListener = {}) {
        asked.push(request);
        return expert(request, listener);
      },
    } as unknown as ToolContext;
    return tool.run(tool.parse(args), context);
  }

  return {
    asked,
    progress,
    tool,
    run,
    async call(args, by) {
      const given = await run(args, by);
      if ('inputRequests' in given) throw new Error('It asks a question.');
      const { status, content, text, detail, failure, continuation } = given;
      if (!continuation) throw new Error('It cannot be gone on with.');
      const told = content as Record<string, unknown>;
      return { status, content: told, text, detail, failure, id: continuation.id };
    },
  };
}

export function stepArgs(number: number, more: Record<string, unknown> = {}) {
  return {
    step: `Look at part ${number}`,
    step_number: number,
    total_steps: 3,
    next_step_required: true,
    findings: `Found ${number}`,
    ...more,
  };
}
