import type { CallResult } from '#core/calls/calls.ts';
import type { Attempt, Envelope, Usage } from '#core/calls/envelope.schema.ts';
import { errorParts, failureResult } from '#core/calls/envelope.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { ForeignResult } from '#core/hub/foreign-result.ts';
import type { AskReport } from '#core/llm/ask.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { toUsd } from '#core/text/money.ts';
import type { Continuation } from '#core/threads.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { ToolResult } from '#core/tools/tool.ts';

export type CallOutcome =
  | { readonly is: 'answer'; readonly answer: ToolResult }
  | ({ readonly is: 'input_required' } & NonNullable<CallResult['inputRequired']>)
  | { readonly is: 'failure'; readonly error: CallError };

export function isInputRequired<T extends object>(
  value: T | InputRequired,
): value is InputRequired {
  return 'inputRequests' in value;
}

/** Converts the outcome of a call to its result, in one structure for every transport. */
export function toCallResult(
  outcome: CallOutcome,
  tool: string,
  reqId: string,
  reports: readonly AskReport[],
): CallResult {
  if (outcome.is === 'failure') return toFailureResult(outcome.error, tool, reqId, reports);
  if (outcome.is === 'input_required') return toInputRequiredResult(outcome, tool, reqId);
  const {
    text,
    detail,
    notices,
    blocks,
    continuation,
    failure,
    foreign,
    forwardedResult: forwarded,
  } = outcome.answer;
  if (forwarded) return { ...forwarded, envelope: { ...forwarded.envelope, req_id: reqId } };
  if (foreign) return toForeignResult(foreign, text, failure, { tool, req_id: reqId });
  const { status = isDegraded(reports) ? 'degraded' : 'success' } = outcome.answer;
  // With blocks only, there is no content.
  const { content = blocks && text === '' ? null : text } = outcome.answer;
  const { provider, model, attempt = 0, usage, route } = summarizeAsks(reports);
  const envelope: Envelope = {
    status,
    tool,
    attempt,
    req_id: reqId,
    provider,
    model,
    usage,
    route,
    detail,
    content,
    continuation: continuation && toContinuationField(continuation),
  };
  if (failure) Object.assign(envelope, { error_class: failure.class, error: errorParts(failure) });
  if (notices && notices.length > 0) envelope.notice_data = [...notices];
  return blocks ? { envelope, text, blocks } : { envelope, text };
}

/**
 * The result of an upstream's tool. The envelope leaves out the content, which is in the result
 * itself and may be large.
 */
function toForeignResult(
  foreign: ForeignResult,
  text: string,
  failure: CallError | undefined,
  about: Pick<Envelope, 'tool' | 'req_id'>,
): CallResult {
  const envelope: Envelope = {
    status: failure ? 'error' : 'success',
    ...(failure && { error_class: failure.class, error: errorParts(failure) }),
    ...about,
    attempt: 0,
    content: null,
  };
  return { envelope, text, foreign, ...(failure && { error: failure }) };
}

function toContinuationField({ id, remainingTurns, note }: Continuation) {
  return { id, remaining_turns: remainingTurns, note };
}

/** A failure with the route and the partial answer, if a model was asked. */
function toFailureResult(
  error: CallError,
  tool: string,
  reqId: string,
  reports: readonly AskReport[],
): CallResult {
  const answer = failureResult(error, tool, reqId);
  if (reports.length === 0) return answer;
  const content = partialOf(reports) ?? null;
  return { ...answer, envelope: { ...answer.envelope, ...summarizeAsks(reports), content } };
}

function toInputRequiredResult(
  { questions, state, abandon }: Extract<CallOutcome, { is: 'input_required' }>,
  tool: string,
  reqId: string,
): CallResult {
  const text = `${tool} needs input before it can continue.`;
  return {
    envelope: {
      status: 'input_required',
      tool,
      attempt: 0,
      req_id: reqId,
      detail: text,
      content: null,
    },
    text,
    inputRequired: { questions, state, ...(abandon && { abandon }) },
  };
}

type AskSummary = Partial<
  Pick<Envelope, 'provider' | 'model' | 'attempt' | 'usage' | 'route' | 'detail'>
>;

/** Summarises the model requests of a call as envelope fields; empty if there were none. */
function summarizeAsks(reports: readonly AskReport[]): AskSummary {
  const [first] = reports;
  if (!first) return {};
  const planned = reports.find(({ rule }) => rule !== undefined) ?? first;
  const isOne = reports.length === 1;
  const answered = answererOf(reports);
  const attempts: Attempt[] = isOne
    ? [...first.attempts]
    : reports.flatMap((each) => each.attempts);
  const reasons = distinct(
    isOne ? first.reasons : reports.flatMap((each) => each.reasons),
    (each) => asSentence(baseRenderer.reason(each)),
  );
  const notices = distinct(
    isOne ? first.notices : reports.flatMap((each) => each.notices),
    (each) => baseRenderer.notice(each),
  );
  const route: Envelope['route'] = { because: reasons.texts, reasons: reasons.data, attempts };
  if (planned.class) route.class = planned.class;
  if (planned.rule !== undefined) route.rule = planned.rule;
  const calls = reports.flatMap(({ innerCall }) => (innerCall ? [innerCall] : []));
  if (calls.length > 0) route.calls = calls;
  if (notices.data.length > 0) {
    route.notices = notices.texts;
    route.notice_data = notices.data;
  }
  const seams = seamsOf(reports);
  if (seams.length > 0) route.seams = seams;
  const facts: AskSummary = { attempt: attempts.length, route };
  if (answered) {
    facts.provider = answered.provider;
    facts.model = answered.model;
  }
  const usage = usageOf(reports);
  if (usage) facts.usage = usage;
  return facts;
}

/** The model that answered; undefined if several did. `attempts` has them all. */
function answererOf(
  reports: readonly AskReport[],
): { readonly provider: string; readonly model: string } | undefined {
  let only: { readonly provider: string; readonly model: string } | undefined;
  for (const { provider, model } of reports) {
    if (provider === undefined || model === undefined) continue;
    if (only && (only.provider !== provider || only.model !== model)) return undefined;
    only = { provider, model };
  }
  return only;
}

function seamsOf(reports: readonly AskReport[]) {
  return reports.flatMap((report) =>
    (report.seams ?? NO_SEAMS).map(({ at, provider, model }) => ({ at, provider, model })),
  );
}

const NO_SEAMS: NonNullable<AskReport['seams']> = [];

/**
 * Messages as texts and as data, in the same order. Equal data counts once; the text never decides.
 */
function distinct<T extends { readonly code: string }>(
  messages: readonly T[],
  render: (message: T) => string,
): { readonly texts: string[]; readonly data: T[] } {
  const data = haveOwnCodes(messages) ? [...messages] : withoutRepeats(messages);
  return { texts: data.map(render), data };
}

/** Whether no two have the same code, as in most calls: then they differ without a look at more. */
function haveOwnCodes(messages: readonly { readonly code: string }[]): boolean {
  return messages.every(
    ({ code }, index) => messages.findIndex((other) => other.code === code) === index,
  );
}

function withoutRepeats<T>(messages: readonly T[]): T[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

function isDegraded(reports: readonly AskReport[]): boolean {
  return reports.some(({ quality }) => quality === 'degraded');
}

/** The received part of an interrupted answer. */
function partialOf(reports: readonly AskReport[]): string | undefined {
  return reports.findLast(({ partial }) => partial !== undefined)?.partial;
}

function usageOf(reports: readonly AskReport[]): Usage | undefined {
  if (reports.every(({ usage }) => !usage)) return undefined;
  const sum: Usage = {
    input: 0,
    output: 0,
    cached: 0,
    reasoning: 0,
    cost_usd: 0,
    estimated: false,
  };
  let costMicroUsd = 0;
  for (const report of reports) {
    costMicroUsd += report.costMicroUsd;
    if (!report.costKnown) {
      sum.unpriced = true;
      sum.estimated = true;
    }
    const { usage } = report;
    if (!usage) continue;
    sum.input += usage.input;
    sum.output += usage.output;
    sum.cached += usage.cached;
    sum.reasoning += usage.reasoning;
    sum.estimated ||= usage.estimated;
  }
  sum.cost_usd = toUsd(costMicroUsd);
  return sum;
}
