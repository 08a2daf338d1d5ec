import { CallError } from '#core/errors/call-error.ts';
import type { CallResult } from '#core/calls/calls.ts';
import { sleep } from '#core/time/clock.ts';
import { createIds, type Id } from '#core/ids.ts';
import type { Job, JobEvent, JobProgress, Jobs } from '#core/calls/jobs.ts';
import type { InputResponses, InputRequestKind, InputRequests } from '#core/tools/input-request.ts';
import type { Results } from '#core/calls/results.ts';
import type { JobSummary } from '#core/stores/jobs.ts';
import type { Progress } from '#core/calls/call.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';

type Kept = Job & { readonly principal: string };

const OPEN = new Set(['queued', 'running', 'input_required']);
const DAY_MS = 86_400_000;

/** Jobs and long results in memory, with a manual clock; the test decides what happens to a job. */
export function createJobBench() {
  const clock = createFakeClock();
  let counter = 0;
  const newId = createIds(clock, (count) => new Uint8Array(count).fill(counter++));
  const kept = new Map<string, Kept>();
  const texts = new Map<string, { readonly principal: string; readonly text: string }>();
  const listeners = new Set<(news: JobEvent) => void>();
  const given: { readonly round: number; readonly answers: InputResponses }[] = [];
  /** Requested length of each wait. */
  const waits: number[] = [];

  function find(principal: string, id: string): Kept {
    const job = kept.get(id);
    if (job?.principal === principal) return job;
    throw new CallError('not_found', 'There is no such job.');
  }

  function change(id: string, next: Partial<Job>): void {
    const job = kept.get(id);
    if (!job) return;
    kept.set(id, { ...job, updatedAt: clock.now(), ...next });
    const { principal } = job;
    for (const listener of listeners) listener({ id: job.id, principal, what: 'status' });
  }

  const jobs: Jobs = {
    get: async (principal, id) => find(principal, id),
    async wait(principal, id, forMs, signal) {
      const isWorking = () => ['queued', 'running'].includes(find(principal, id).status);
      waits.push(forMs);
      if (!isWorking()) return find(principal, id);
      let stop: () => void = () => undefined;
      const changed = new Promise<void>((resolve) => {
        stop = jobs.onChange(() => isWorking() || resolve());
      });
      await Promise.race([changed, sleep(clock, forMs, signal)]);
      stop();
      return find(principal, id);
    },
    async list(principal, limit, { before, open } = {}) {
      return [...kept.values()]
        .filter((job) => job.principal === principal && (!open || OPEN.has(job.status)))
        .filter(({ id }) => before === undefined || id < before)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map(toSummary);
    },
    async cancel(principal, id) {
      if (!OPEN.has(find(principal, id).status)) return 'already_over';
      change(id, { status: 'cancelled', pendingInput: undefined, finishedAt: clock.now() });
      return 'cancelled';
    },
    async answer(principal, id, round, answers) {
      const { pendingInput: asks } = find(principal, id);
      given.push({ round, answers });
      if (asks?.round !== round) return;
      const open = Object.entries(asks.questions).filter(([name]) => !Object.hasOwn(answers, name));
      if (open.length === 0) change(id, { status: 'running', pendingInput: undefined });
      else change(id, { pendingInput: { round, questions: Object.fromEntries(open) } });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  const results: Results = {
    fit: (answer) => answer,
    async read(principal, id, offset, maxChars = 1000) {
      const found = texts.get(id);
      if (found?.principal !== principal) {
        throw new CallError('not_found', 'There is no such result, or it is no longer kept.');
      }
      const { text } = found;
      if (offset > text.length) {
        throw new CallError('validation', `The result has ${text.length} characters.`);
      }
      const from = isWithin(text, offset) ? offset - 1 : offset;
      const to = Math.min(text.length, from + maxChars);
      return {
        id: id as Id<'res'>,
        principal,
        tool: 'chat',
        reqId: 'req_1',
        chars: text.length,
        createdAt: clock.now(),
        offset: from,
        text: text.slice(from, isWithin(text, to) ? to - 1 : to),
      };
    },
    async list(principal, limit) {
      return [...texts]
        .filter(([, found]) => found.principal === principal)
        .slice(0, limit)
        .map(([id, { text }]) => ({
          id: id as Id<'res'>,
          principal,
          tool: 'chat',
          reqId: 'req_1',
          chars: text.length,
          createdAt: clock.now(),
        }));
    },
  };

  return {
    clock,
    jobs,
    results,
    newId,
    given,
    waits,
    deps: { jobs, results, clock, retentionDays: 30 },
    /** A running job. */
    begin(more: Partial<Kept> = {}): Id<'job'> {
      const id = newId('job');
      kept.set(id, {
        id,
        principal: 'ann',
        reqId: 'req_1',
        tool: 'consensus',
        status: 'running',
        progress: {},
        runs: 1,
        createdAt: clock.now(),
        updatedAt: clock.now(),
        finishedAt: undefined,
        retentionMs: 30 * DAY_MS,
        pendingInput: undefined,
        answer: undefined,
        ...more,
      });
      return id;
    },
    progress: (id: string, progress: JobProgress) => change(id, { progress }),
    ask: (id: string, round: number, questions: InputRequests) =>
      change(id, { status: 'input_required', pendingInput: { round, questions } }),
    end(id: string, answer: CallResult): void {
      const status = answer.error ? 'failed' : 'done';
      change(id, { status, answer, finishedAt: clock.now() });
    },
    forget: (id: string) => kept.delete(id),
    keep(text: string, principal = 'ann'): Id<'res'> {
      const id = newId('res');
      texts.set(id, { principal, text });
      return id;
    },
    context: (more: Partial<ContextWishes> = {}) => contextOf(clock, more),
  };
}

export type JobBench = ReturnType<typeof createJobBench>;

interface ContextWishes {
  readonly principal: string;
  readonly answers: InputResponses;
  readonly clientCapabilities: readonly InputRequestKind[];
  readonly signal: AbortSignal;
  readonly leftMs: number;
  readonly steps: Progress[];
}

function contextOf(clock: JobBench['clock'], wishes: Partial<ContextWishes>): ToolContext {
  const {
    principal = 'ann',
    answers = {},
    clientCapabilities = [],
    leftMs = 90_000,
    steps,
  } = wishes;
  const { signal = new AbortController().signal } = wishes;
  return {
    reqId: 'req_2',
    caller: { principal, scopes: ['*'], roots: [] },
    metadata: { timestamp_utc: new Date(clock.now()).toISOString() },
    deadline: { at: clock.monotonic() + leftMs },
    answers,
    clientCapabilities,
    signal,
    progress: (step: Progress) => void steps?.push(step),
  } as unknown as ToolContext;
}

/** Runs a tool like the registry, after validating its arguments. */
export function runWith(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  // Input requests are in `inputRequests`, which tests check explicitly.
  return tool.run(tool.parse(args), context) as Promise<ToolResult>;
}

function toSummary(job: Kept): JobSummary {
  const { id, principal, tool, status, title = '', progress, answer, runs } = job;
  const { createdAt, updatedAt, finishedAt } = job;
  return {
    id,
    principal,
    tool,
    status,
    title,
    note: progress.note ?? '',
    error: answer?.error?.toJSON() ?? null,
    runs,
    createdAt,
    updatedAt,
    finishedAt: finishedAt ?? null,
  };
}

function isWithin(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}
