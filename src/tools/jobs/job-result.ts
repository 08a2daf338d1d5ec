import * as z from 'zod';
import { CallError } from '#core/call-error.ts';
import type { CallAnswer } from '#core/calls.ts';
import { remainingMs } from '#core/deadline.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Id } from '#core/ids.ts';
import type { Job } from '#core/jobs.ts';
import { oneLine } from '#core/one-line.ts';
import type { Asking } from '#core/question.ts';
import type { Tool, ToolContext } from '#core/tool.ts';
import { JOB_RESULT_HELP } from '../help/jobs.ts';
import { jobFacts, questionRows } from './content.ts';
import type { JobToolDeps } from './deps.ts';
import { withJob } from './find-job.ts';
import { latestJobs } from './latest-jobs.ts';
import { MAX_ID_CHARS, readJobId } from './read-id.ts';
import { answersOf, askFor } from './rounds.ts';
import { doingWords, endOf, runningWords } from './words.ts';

/** Below what the most impatient client grants a call, which is a minute. */
const MAX_WAIT_S = 40;
const USUAL_WAIT_S = 25;
/** Between two words to who waits. */
const BETWEEN_NOTES_MS = 5000;
/** Kept of the time that the call itself has, to be answered in. */
const TO_ANSWER_MS = 1000;
const MAX_PARTIAL_CHARS = 1000;
const MAX_QUESTION_CHARS = 300;
/** How often it makes sense to look. */
const POLL_MS = 5000;

/** The answer of a job, in place of the call that it was; or how far it is. */
export function jobResult(deps: Pick<JobToolDeps, 'jobs' | 'clock' | 'jobsKeptDays'>): Tool {
  return defineTool({
    name: 'job_result',
    title: 'Job result',
    description:
      'The answer of a call that went on as a job. While it runs: how far it is; call again. Without job_id: your jobs.',
    help: JOB_RESULT_HELP,
    input: z.strictObject({
      job_id: z.string().max(MAX_ID_CHARS).optional(),
      wait_seconds: z.int().min(0).max(MAX_WAIT_S).default(USUAL_WAIT_S),
    }),
    effect: 'reads',
    profile: 'lean',
    handOff: 'never',
    async run({ job_id: given, wait_seconds: waitS }, context) {
      if (given === undefined) return latestJobs(deps.jobs, context.caller.principal);
      const id = readJobId(given, 'job_id');
      const nowMs = Date.parse(context.metadata.timestamp_utc);
      const { jobsKeptDays: keptDays } = deps;
      const startedAt = deps.clock.monotonic();
      const job = await withJob({ id, field: 'job_id', nowMs, keptDays }, () =>
        waitFor(deps, id, waitS * 1000, context),
      );
      const passedMs = deps.clock.monotonic() - startedAt;
      return answerOf(job, context, nowMs + passedMs);
    },
  });
}

/** Hands on what was answered, and waits as long as it may, telling how far the job is. */
async function waitFor(
  { jobs, clock }: Pick<JobToolDeps, 'jobs' | 'clock'>,
  id: Id<'job'>,
  forMs: number,
  context: ToolContext,
): Promise<Job> {
  const { caller, answers, deadline, signal } = context;
  const { principal } = caller;
  const patienceMs = Math.min(forMs, remainingMs(deadline, clock) - TO_ANSWER_MS);
  const until = clock.monotonic() + patienceMs;
  let job = await jobs.get(principal, id);
  if (job.asks) {
    const { round } = job.asks;
    const given = answersOf(round, answers);
    if (Object.keys(given).length > 0) {
      await jobs.answer(principal, id, round, given);
      job = await jobs.get(principal, id);
    }
  }
  for (;;) {
    const leftMs = until - clock.monotonic();
    if (!isUnderWay(job) || leftMs <= 0 || signal.aborted) return job;
    tell(job, context);
    job = await jobs.wait(principal, id, Math.min(leftMs, BETWEEN_NOTES_MS), signal);
  }
}

function isUnderWay({ status }: Job): boolean {
  return status === 'queued' || status === 'running';
}

function tell({ progress, tool }: Job, context: ToolContext): void {
  const { done, total } = progress;
  context.progress({
    note: doingWords(progress) || `${tool} is running`,
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
  });
}

function answerOf(job: Job, { askable, reqId }: ToolContext, nowMs: number) {
  const { id, asks, answer, status } = job;
  if (isUnderWay(job)) {
    return stateOf(job, reqId, { status: 'running', detail: runningWords(job, nowMs) });
  }
  if (status === 'cancelled') {
    return stateOf(job, reqId, { status, detail: `Job ${id} was cancelled.` });
  }
  if (asks) return questionsOf(job, asks, askable, reqId);
  if (!answer) {
    throw new CallError('not_found', `The answer of job ${id} was not kept.`, { field: 'job_id' });
  }
  const { envelope } = answer;
  // By its own id, under which a long one is kept, whoever asks for it.
  const facts = { ...jobFacts(job), req_id: envelope.req_id };
  const relays: CallAnswer = { ...answer, envelope: { ...envelope, job: facts } };
  return { text: answer.text, relays };
}

/** The state of the call that it was, in the shape of every answer. */
function stateOf(
  job: Job,
  reqId: string,
  { status, detail }: { readonly status: string; readonly detail: string },
  more: object = {},
) {
  const { tool, progress, finishedAt } = job;
  const { note, text: partial = '' } = progress;
  const end = endOf(partial, MAX_PARTIAL_CHARS);
  const left = end.length < (progress.chars ?? 0) ? 'The end of what' : 'What';
  const text = end === '' ? detail : `${detail}\n\n${left} it had written by then:\n${end}`;
  const relays: CallAnswer = {
    envelope: {
      status,
      tool,
      attempt: 0,
      req_id: reqId,
      detail,
      content: end === '' ? null : end,
      job: {
        ...jobFacts(job),
        ...(isUnderWay(job) && { poll_ms: POLL_MS }),
        ...(note !== undefined && note !== '' && finishedAt === undefined && { note }),
        ...more,
      },
    },
    text,
  };
  return { text, relays };
}

function questionsOf(
  job: Job,
  asks: NonNullable<Job['asks']>,
  askable: ToolContext['askable'],
  reqId: string,
): ReturnType<typeof stateOf> | Asking {
  const questions = Object.values(asks.questions);
  if (questions.every(({ is }) => askable.includes(is))) return askFor(asks);
  const wants = questions.map((question) =>
    'message' in question
      ? `"${oneLine(question.message, MAX_QUESTION_CHARS)}"`
      : KINDS[question.is],
  );
  const detail =
    `${job.tool} (job ${job.id}) waits for an answer that this client cannot be asked for: ${wants.join('; ')}. ` +
    `Call job_result with {"job_id": "${job.id}"} from a client that can be asked (one with MCP elicitation), or stop it with job_cancel.`;
  return stateOf(
    job,
    reqId,
    { status: 'input_required', detail },
    { asks: questionRows(asks.questions) },
  );
}

const KINDS = {
  form: 'a form',
  visit: 'a visit to a page',
  sample: "something of the client's own model",
  roots: 'the folders that the client works in',
} as const;
