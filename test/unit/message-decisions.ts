import * as z from 'zod';
import { addressOf, fixOf } from '#app/providers/address-hint.ts';
import { checkKeys as examineKeys } from '#app/doctor/key-checks.ts';
import { system } from '#app/system.ts';
import type { CheckContext } from '#app/doctor/check.ts';
import { toCallResult } from '#calls/call-result.ts';
import { formatCallFailure, callFailureResult, readCallResult } from '#cli/call-result.ts';
import { isJobRunning, printJobResult, reportDetachedJob } from '#cli/jobs/job-result.ts';
import { chatRenderer } from '#cli/messages/chat-sentences.ts';
import { askRenderer, cliRenderer, jobRenderer } from '#cli/messages/cli-sentences.ts';
import { hasNothingQuoted, formatExtractiveFooter } from '#cli/ask/answer-footer.ts';
import { reportError } from '#cli/messages/failure.ts';
import {
  isHomeTaken,
  isStartRefusal,
  isStopped,
  readStartOutcome,
  startFailureLine,
} from '#client/start-failure.ts';
import { loadConfig } from '#config/load/load.ts';
import { argumentError } from '#core/errors/argument-error.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { CallResult } from '#core/calls/calls.ts';
import { failureEnvelope } from '#core/calls/envelope.ts';
import { ERROR_CLASSES } from '#core/errors/error-class.ts';
import type { AskReport } from '#core/llm/ask.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer, toSent } from '#core/messages/render.ts';
import { makePlan } from '#manager/route/plan.ts';
import { anthropicErrorResponse } from '#transport/anthropic/errors.ts';
import { openAiErrorResponse } from '#transport/openai/errors.ts';
import { withEnvelope } from '../read-envelope.ts';
import { ROUTING_TABLE } from '../cases/routing-table.ts';
import { sketchFacts, sketchRoutingState, type RoutingSketch } from '../cases/routing-sketch.ts';

const NOTHING_IO = {
  stdout: { write: () => undefined },
  stderr: { write: () => undefined },
  env: {},
  progress: 'none',
} as const;

/**
 * Everything that is decided where messages are: exit codes, statuses, codes and choices, without a
 * single text.
 */
export async function messageDecisions(): Promise<unknown> {
  return {
    exits: ERROR_CLASSES.map(exitsOf),
    http: ERROR_CLASSES.map(statusesOf),
    jobs: ['queued', 'running', 'cancelled', 'input_required', 'done', 'failed'].map(jobDecisions),
    quotations: quotationDecisions(),
    starts: startDecisions(),
    arguments: argumentDecisions(),
    addresses: addressDecisions(),
    routes: routeDecisions(),
    refusals: refusalDecisions(),
    keys: await keyDecisions(),
  };
}

function errorOf(errorClass: (typeof ERROR_CLASSES)[number]): CallError {
  const why = reason('invalid_argument', { argument: 'max_cost_usd', problem: 'must be less' });
  return codedError(errorClass, why, {
    field: 'max_cost_usd',
    fixes: [fix('list_jobs'), fix('retry'), fix('add_key', { provider: 'glm' })],
  });
}

function exitsOf(errorClass: (typeof ERROR_CLASSES)[number]) {
  const error = errorOf(errorClass);
  const envelope = failureEnvelope(error, { tool: 'chat', req_id: 'req_1' });
  const result = readCallResult({ content: [], ...withEnvelope(envelope), isError: true });
  for (const renderer of [askRenderer, cliRenderer, jobRenderer, chatRenderer]) {
    formatCallFailure(result, renderer);
  }
  const { class: read, field, fixes } = result.error ?? error;
  const thrown = errorClass === 'internal' ? 1 : callFailureResult(error, 'chat').exit;
  const told = CallError.fromJSON(
    JSON.parse(JSON.stringify(error)) as ReturnType<CallError['toJSON']>,
  );
  return [
    errorClass,
    result.exit,
    thrown,
    reportError(error, NOTHING_IO, 'text'),
    reportError(error, NOTHING_IO, 'json'),
    error.policy.rpcCode,
    read,
    field,
    fixes.map(({ kind }) => kind),
    told.reason?.code,
  ];
}

function statusesOf(errorClass: (typeof ERROR_CLASSES)[number]) {
  const error = errorOf(errorClass);
  const openai = openAiErrorResponse(error, 'req_1');
  const anthropic = anthropicErrorResponse(error, 'req_1');
  const { error: first } = JSON.parse(openai.body) as { error: Record<string, unknown> };
  const { error: second } = JSON.parse(anthropic.body) as { error: Record<string, unknown> };
  return [
    errorClass,
    openai.status,
    openai.headers,
    [first['type'], first['code'], first['param'], first['class']],
    anthropic.status,
    anthropic.headers,
    second['type'],
  ];
}

function jobDecisions(status: string) {
  const envelope = { status: 'running', job: { id: 'job_1', status, tool: 'chat' }, content: null };
  const result = { text: 'x', envelope, exit: 0 };
  return [
    status,
    isJobRunning(envelope),
    printJobResult(NOTHING_IO, result, 'text'),
    reportDetachedJob(NOTHING_IO, result, { format: 'text', what: 'answer' }),
    reportDetachedJob(NOTHING_IO, result, { format: 'text', what: 'job' }),
  ];
}

function quotationDecisions() {
  const lacksKey = makePlan(sketchFacts(), sketchRoutingState({ keys: [] }));
  const planned = lacksKey.is === 'no_candidate' ? [] : lacksKey.plan.notices;
  const nothing = notice('nothing_to_quote', {});
  const resting = notice('quoted_instead', {
    error: { class: 'breaker_open', message: 'x', fixes: [fix('retry')] },
  });
  return [planned, [...planned, nothing], [resting], [nothing], []].map((notices) => {
    const { envelope } = quotationResult(notices);
    const { line, notices: rest } = formatExtractiveFooter(envelope, cliRenderer);
    // This sentence is the command line's own, and stands in no table.
    return [hasNothingQuoted(envelope), line.startsWith('No model is set up'), rest.length];
  });
}

/** The result of a call that was answered by quotations, as a client receives it. */
function quotationResult(notices: readonly Notice[]): CallResult {
  const report: AskReport = {
    reasons: [],
    attempts: [],
    notices,
    costMicroUsd: 0,
    costKnown: true,
    quality: 'degraded',
  };
  const answer = { text: 'x' };
  const result = toCallResult({ is: 'answer', answer }, 'chat', 'req_1', [report]);
  return JSON.parse(JSON.stringify(result)) as CallResult;
}

function startDecisions() {
  const inUse = codedError('conflict', reason('home_in_use', { home: '/h' }));
  const taken = new CallError('conflict', 'The port is taken.');
  const interrupted = new CallError('interrupted', 'Stopped.');
  return [inUse, taken, interrupted, errorOf('validation')].map((error) => {
    const why = readStartOutcome(error.policy.exit, startFailureLine(error), '/log');
    return [why.class, isHomeTaken(why), isStopped(why), isStartRefusal(why), why.policy.exit];
  });
}

function argumentDecisions() {
  const schema = z.strictObject({
    prompt: z.string(),
    step: z.int(),
    deep: z.strictObject({}).optional(),
  });
  const wrong = [
    {},
    { prompt: 'x' },
    { promt: 'x', step: 1 },
    { prompt: 'x', step: 'y' },
    { prompt: 'x', step: 1, deep: { a: 1 } },
  ];
  return wrong.map((args) => {
    const { error } = schema.safeParse(args);
    if (!error) return undefined;
    const {
      class: errorClass,
      field,
      reason: why,
      fixes,
    } = argumentError('chat', error, args, schema);
    return [errorClass, field, why?.code, fixes.map(({ kind }) => kind)];
  });
}

function addressDecisions() {
  const asked = addressOf('glm', 'https://elsewhere.test/v4');
  const certificate = new CallError('network', 'x', {
    fixes: [fix('set_setting', { setting: 'network.caFile' })],
  });
  const plain = new CallError('network', 'x', { fixes: [fix('retry')] });
  // Which of the two is told is decided by the setting that a fix names.
  return [certificate, plain].map((cause) => {
    const error = new CallError('network', 'y', { cause, fixes: [fix('retry')] });
    return fixOf(error, asked) === baseRenderer.fixes(certificate.fixes);
  });
}

function routeDecisions() {
  return ROUTING_TABLE.map(({ facts, routing }) => {
    const planned = makePlan(sketchFacts(facts), sketchRoutingState(routing));
    if (planned.is === 'no_candidate') return errorFacts(planned.error);
    const { plan } = planned;
    return [
      plan.rule,
      plan.class,
      plan.candidates.map(({ model, search, thinking }) => [model, search, thinking?.mode]),
      plan.notices.map(({ code }) => code),
    ];
  });
}

/** Worlds in which a model that was named, or any, cannot be asked. */
function refusalDecisions() {
  const sketches: readonly RoutingSketch[] = [
    { keys: [] },
    { open: ['kimi', 'glm'] },
    { denied: ['kimi', 'glm'] },
    { budgetLeftMicroUsd: 0, whenSpent: 'refuse' },
    { budgetLeftMicroUsd: 0 },
  ];
  const facts = [
    {},
    { model: 'kimi-k3', fallback: 'none' as const },
    { model: 'no-such-model' },
    { maxCostMicroUsd: 1, fallback: 'none' as const },
  ];
  return sketches.flatMap((sketch) =>
    facts.map((each) => {
      const planned = makePlan(
        sketchFacts(each),
        sketchRoutingState({ ...sketch, extractiveFallback: 'never' }),
      );
      return planned.is === 'no_candidate' ? errorFacts(planned.error) : planned.plan.rule;
    }),
  );
}

function errorFacts({ class: errorClass, field, reason: why, fixes }: CallError) {
  return [errorClass, field, why?.code, fixes.map(({ kind }) => kind)];
}

async function keyDecisions() {
  const env = { EXAI_HOME: '/nowhere/exai', KIMI_API_KEY: 'sk-0123456789abcdef0123456789abcdef' };
  const loaded = loadConfig({ env });
  const states = ['stored', 'missing'] as const;
  return Promise.all(
    states.map(async (state) => {
      const params = { variable: 'KIMI_API_KEY', state, command: 'exai stop' };
      const notices = () => Promise.resolve([toSent(notice('setting_differs', params))]);
      const none = () => Promise.resolve([]);
      const context = { loaded, notices, system, keyTests: none, changed: none };
      const checks = await examineKeys(context as unknown as CheckContext);
      return checks.map(({ id, status, fix: next }) => [id, status, next]);
    }),
  );
}
