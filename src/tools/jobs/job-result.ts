import * as z from 'zod';
import type { CallResult } from '#core/calls/calls.ts';
import type { Job, JobInputRequests, Jobs } from '#core/calls/jobs.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import { oneLine } from '#core/text/text.ts';
import { remainingMs } from '#core/time/deadline.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { InputRequired, InputResponses } from '#core/tools/input-request.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { jobContent, jobFacts, questionRows, type JobContent } from './job-content.ts';
import { MAX_ID_CHARS, readJobId, withJob, type JobToolDeps } from './job-lookup.ts';
import { describeProgress, lastChars, NO_JOBS, renderJobRow, renderRunning } from './render.ts';
import { jobsFor } from './jobs-of-agent.ts';

/** Help text of job_result for `search_tools`. */
const JOB_RESULT_HELP = `A long call continues as a background job: its result then has status running and job.id. Jobs survive client timeouts and restarts.

What comes back:
- the job has ended: the result of the call, with its own tool, status, provider, usage and continuation; job says when it started and ended. A failed call returns its failure; interrupted means that the daemon was stopped while it ran.
- status running: not finished after wait_seconds (0 to 40, default: 25); call again. content is the latest partial text.
- status input_required: it requires input that this client cannot provide; detail says what.
- status cancelled: the job was cancelled.

Without job_id: your open jobs and the last five finished ones, one line each.

A job that requires input requests it through this call, if the client supports it. A result can be read any number of times while it is stored.`;

/** Below the shortest known client timeout, one minute. */
const MAX_WAIT_S = 40;
const USUAL_WAIT_S = 25;
/** Interval of progress notifications. */
const BETWEEN_NOTES_MS = 5000;
/** Time reserved for sending the answer. */
const TO_ANSWER_MS = 1000;
const MAX_PARTIAL_CHARS = 1000;
const MAX_QUESTION_CHARS = 300;
/** Suggested polling interval. */
const POLL_MS = 5000;

/** Returns the result of a job as the original call would have, or its progress. */
export function jobResult(deps: Pick<JobToolDeps, 'jobs' | 'clock' | 'retentionDays'>): Tool {
  return defineTool({
    name: 'job_result',
    title: 'Job result',
    description:
      'Get the result of a background job. While it runs: its progress; call again. Without job_id: lists your jobs.',
    help: JOB_RESULT_HELP,
    input: z.strictObject({
      job_id: z.string().max(MAX_ID_CHARS).optional(),
      wait_seconds: z.int().min(0).max(MAX_WAIT_S).default(USUAL_WAIT_S),
    }),
    effect: 'reads',
    profile: 'lean',
    background: 'never',
    async run({ job_id: given, wait_seconds: waitS }, context) {
      const jobs = jobsFor(context, deps.jobs);
      if (given === undefined) return latestJobs(jobs, context.caller.principal);
      const id = readJobId(given, 'job_id');
      const nowMs = Date.parse(context.metadata.timestamp_utc);
      const { retentionDays: keptDays } = deps;
      const startedAt = deps.clock.monotonic();
      const job = await withJob({ id, field: 'job_id', nowMs, keptDays }, () =>
        waitFor({ ...deps, jobs }, id, waitS * 1000, context),
      );
      const passedMs = deps.clock.monotonic() - startedAt;
      return answerOf(job, context, nowMs + passedMs);
    },
  });
}

/** Passes on the user's answers, then waits for the job and reports its progress. */
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
  if (job.pendingInput) {
    const { round } = job.pendingInput;
    const given = answersOfRound(round, answers);
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
    note: describeProgress(progress) || `${tool} is running`,
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
  });
}

function answerOf(job: Job, { clientCapabilities, reqId }: ToolContext, nowMs: number) {
  const { id, pendingInput, answer, status } = job;
  if (isUnderWay(job)) {
    return stateOf(job, reqId, { status: 'running', detail: renderRunning(job, nowMs) });
  }
  if (status === 'cancelled') {
    return stateOf(job, reqId, { status, detail: `Job ${id} was cancelled.` });
  }
  if (pendingInput) return questionsOf(job, pendingInput, clientCapabilities, reqId);
  if (!answer) {
    throw new CallError('not_found', `The answer of job ${id} was not kept.`, { field: 'job_id' });
  }
  const { envelope } = answer;
  // The id of the original call, under which a long result is stored.
  const facts = { ...jobFacts(job), req_id: envelope.req_id };
  const forwardedResult: CallResult = { ...answer, envelope: { ...envelope, job: facts } };
  return { text: answer.text, forwardedResult };
}

/** The state of a job in the shape of the original call's answer. */
function stateOf(
  job: Job,
  reqId: string,
  { status, detail }: { readonly status: string; readonly detail: string },
  more: object = {},
) {
  const { tool, progress, finishedAt } = job;
  const { note, text: partial = '' } = progress;
  const end = lastChars(partial, MAX_PARTIAL_CHARS);
  const left = end.length < (progress.chars ?? 0) ? 'The end of what' : 'What';
  const text = end === '' ? detail : `${detail}\n\n${left} it had written by then:\n${end}`;
  const forwardedResult: CallResult = {
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
  return { text, forwardedResult };
}

function questionsOf(
  job: Job,
  pendingInput: NonNullable<Job['pendingInput']>,
  clientCapabilities: ToolContext['clientCapabilities'],
  reqId: string,
): ReturnType<typeof stateOf> | InputRequired {
  const questions = Object.values(pendingInput.questions);
  if (questions.every(({ is }) => clientCapabilities.includes(is)))
    return requestInput(pendingInput);
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
    { asks: questionRows(pendingInput.questions) },
  );
}

const KINDS = {
  form: 'a form',
  visit: 'a visit to a page',
  sample: "something of the client's own model",
  roots: 'the folders that the client works in',
} as const;

/**
 * The input requests of a job, prefixed by their round, because the answers of all rounds come back
 * together.
 */
function requestInput({ round, questions }: JobInputRequests): InputRequired {
  const named = Object.entries(questions).map(
    ([name, question]) => [`${prefix(round)}${name}`, question] as const,
  );
  return { inputRequests: Object.fromEntries(named) };
}

/** The answers of one round, without the prefix. */
function answersOfRound(round: number, answers: InputResponses): InputResponses {
  const own = prefix(round);
  const entries = Object.entries(answers).flatMap(([name, answer]) =>
    name.startsWith(own) ? [[name.slice(own.length), answer] as const] : [],
  );
  return Object.fromEntries(entries);
}

function prefix(round: number): string {
  return `${round}:`;
}

const MAX_OPEN = 10;
const LATEST = 5;

/** Lists the open jobs and the latest ones, newest first, for a caller without a job id. */
async function latestJobs(
  jobs: Pick<Jobs, 'list'>,
  principal: string,
): Promise<{ readonly text: string; readonly content: { readonly jobs: readonly JobContent[] } }> {
  const [open, latest] = await Promise.all([
    // One more than shown, to know whether there are more.
    jobs.list(principal, MAX_OPEN + 1, { open: true }),
    jobs.list(principal, LATEST),
  ]);
  // By id, because an open job is often among the latest as well; the last read wins.
  const found = new Map([...open.slice(0, MAX_OPEN), ...latest].map((job) => [job.id, job]));
  const rows = [...found.values()]
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(jobContent);
  const [first] = rows;
  if (!first) return { text: NO_JOBS, content: { jobs: [] } };
  const more = open.length > MAX_OPEN ? ' More are under way: exai://jobs lists them.' : '';
  const next = `For the answer of one call job_result with its id, as in {"job_id": "${first.id}"}.`;
  return {
    text: [...rows.map(renderJobRow), `${next}${more}`].join('\n'),
    content: { jobs: rows },
  };
}
