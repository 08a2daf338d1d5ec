import type { Attempt, Envelope } from '#core/calls/envelope.schema.ts';
import type { Renderer } from '#core/messages/coded-message.ts';
import { isFix } from '#core/messages/fixes.ts';
import { isReason, reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asClause } from '#core/messages/sentence.ts';
import { isExtractive } from '#core/providers/extractive.ts';
import { providerHelp } from '#core/providers/provider-help.ts';
import { formatUsd } from '#core/text/format.ts';
import { toMicroUsd } from '#core/text/money.ts';
import { formatInteger, truncateAtWord } from '../format/text.ts';
import { chatRenderer } from '../messages/chat-sentences.ts';
import { cliRenderer } from '../messages/cli-sentences.ts';
import { renderNoticeText, renderNoticeTexts, routeNotices } from '../messages/notice-texts.ts';

const OUTCOME_PHRASES: Partial<Record<Attempt['outcome'], string>> = {
  provider_error: 'failed',
  timeout: 'took too long',
  interrupted: 'broke off',
  network: 'could not be reached or closed the connection',
  overloaded: 'was overloaded',
  rate_limit: 'asked to slow down',
  auth: 'did not accept the key',
  quota: 'had no allowance left',
  billing: 'required payment',
  not_found: 'does not exist any more',
  context_length: 'had too small a window',
  too_large: 'had too small a window',
  content_filter: 'refused the content',
  empty_response: 'said nothing',
  bad_response: 'answered something unusable',
  breaker_open: 'was unavailable',
  not_configured: 'lacks a setting or a model',
};

/** What a model did instead of answering, as a verb phrase after its name. */
export function describeOutcome(outcome: Attempt['outcome']): string {
  return OUTCOME_PHRASES[outcome] ?? `failed with ${outcome}`;
}

const MAX_REASON_CHARS = 160;

type AnswerFacts = Partial<Pick<Envelope, 'status' | 'provider' | 'model' | 'route' | 'usage'>>;
type Usage = NonNullable<AnswerFacts['usage']>;

/**
 * The footer of an answer: the model, the reason for the choice, the attempts, tokens and cost, as
 * far as known.
 */
export function formatAnswerFooter(facts: AnswerFacts): string {
  const { status, route, usage } = facts;
  const attempts = route?.attempts ?? [];
  return [
    ...(status === 'error'
      ? [formatFailedAttempts(attempts)]
      : [formatModelAndReason(facts), formatAttemptCount(attempts)]),
    ...(usage ? [formatTokens(usage), formatCost(usage)] : []),
  ]
    .filter((each) => each !== '')
    .join('; ');
}

/**
 * `free` only where the vendor reported usage and all prices are known. An estimate of zero says
 * nothing.
 */
function formatCost({ cost_usd: usd, estimated }: Usage): string {
  if (usd === 0) return estimated ? '' : 'free';
  return `${estimated ? 'about ' : ''}${formatUsd(toMicroUsd(usd))}`;
}

function formatTokens({ input, output, estimated }: Usage): string {
  return `${estimated ? 'about ' : ''}${formatInteger(input)} tokens in, ${formatInteger(output)} out`;
}

function formatModelAndReason(facts: AnswerFacts): string {
  const { provider, model } = facts;
  const of = provider === undefined ? '' : ` (${provider})`;
  return [model === undefined ? '' : `${model}${of}`, describeReason(facts)]
    .filter((each) => each !== '')
    .join(': ');
}

/** Why this model: the failures before it, or the reason of the route. */
function describeReason({ route }: AnswerFacts): string {
  const { because = [], reasons = [], attempts = [] } = route ?? {};
  const failed = attempts.filter(({ outcome }) => outcome !== 'ok');
  if (failed.length > 0) return describeEarlierFailures(attempts.at(-1), failed);
  // The first choice may have been skipped without being asked.
  const why = reasons.find(({ code }) => code === 'passed_over') ?? reasons[0];
  // A daemon of another version may send unknown codes, and 0.1 stored its jobs with sentences
  // only.
  if (!isReason(why)) return truncateAtWord(asClause(because[0] ?? ''), MAX_REASON_CHARS);
  const whole = baseRenderer.reason(why);
  const isLong = whole.length > MAX_REASON_CHARS;
  return truncateAtWord(isLong ? baseRenderer.reason(shortenReason(why)) : whole, MAX_REASON_CHARS);
}

/**
 * `glm-4.7-flash was chosen but took too long, then glm-5.3 was overloaded`: each model once,
 * with its last failure.
 */
function describeEarlierFailures(
  answered: Attempt | undefined,
  failed: readonly Attempt[],
): string {
  const phrases = new Map(failed.map(({ model, outcome }) => [model, describeOutcome(outcome)]));
  const [first, ...others] = phrases;
  if (!first) return '';
  const [model, phrase] = first;
  const begin =
    model === answered?.model ? `at first it ${phrase}` : `${model} was chosen but ${phrase}`;
  return [begin, ...others.map(([each, does]) => `${each} ${does}`)].join(', then ');
}

/** The reason without the models that the rule preferred but could not use. */
function shortenReason(why: Reason): Reason {
  if (why.code !== 'chosen_by_rule') return why;
  const { reason: chose } = why.params;
  if (chose.code !== 'rule_chose') return why;
  const short = reason('rule_chose', { ...chose.params, passedOver: [] });
  return reason('chosen_by_rule', { ...why.params, reason: short });
}

/** A single successful attempt is not mentioned. */
/** Several requests that all succeeded are those of a panel, each to another model. */
function formatAttemptCount(attempts: readonly Attempt[]): string {
  if (attempts.length <= 1) return '';
  const isPanel = attempts.every(({ outcome }) => outcome === 'ok');
  return `${attempts.length} ${isPanel ? 'requests to models' : 'attempts'}`;
}

/** For a failure: each model that was asked, with its outcome. */
function formatFailedAttempts(attempts: readonly Attempt[]): string {
  if (attempts.length === 0) return '';
  const each = attempts.map(({ model, outcome }) => `${model} ${outcome}`).join(', ');
  return `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}: ${each}`;
}

type QuotationFacts = Partial<Pick<Envelope, 'status' | 'route' | 'usage' | 'notice_data'>>;

interface QuotationFooter {
  /** Why no model answered, what is shown instead, and what to do. */
  readonly line: string;
  /** Further notices. */
  readonly notices: readonly string[];
}

/** Code of the notice that says why no model was asked. */
const QUOTED_INSTEAD = 'quoted_instead';
/** Code of the extractive fallback's notice that there was nothing to quote. */
const NOTHING_TO_QUOTE = 'nothing_to_quote';

/** Whether no model answered and nothing was quoted. Scripts must not take that for an answer. */
export function hasNothingQuoted({ status, route }: QuotationFacts): boolean {
  const notices = route?.notice_data ?? [];
  return status === 'degraded' && notices.some(({ code }) => code === NOTHING_TO_QUOTE);
}

/** The footer of an answer that consists of quotations, because no model answered. */
export function formatExtractiveFooter(facts: QuotationFacts, renderer: Renderer): QuotationFooter {
  const { route, usage } = facts;
  const notices = routeNotices(facts);
  const instead = notices.find(({ data }) => data?.code === QUOTED_INSTEAD);
  const others = notices.filter(
    ({ data }) => data?.code !== QUOTED_INSTEAD && data?.code !== NOTHING_TO_QUOTE,
  );
  const rest = renderNoticeTexts(others, renderer);
  // The answer itself says that there is nothing to quote.
  const so = hasNothingQuoted(facts) ? '' : ', so what was given is quoted';
  const attempts = route?.attempts ?? [];
  const failed = describeAllFailures(attempts);
  if (failed !== '') {
    const cost = usage && usage.cost_usd > 0 ? `; ${formatCost(usage)}` : '';
    return {
      line: `No model answered (${failed})${so}: ${helpFor(attempts)}${cost}`,
      notices: rest,
    };
  }
  const provider = instead && providerWithoutKey(instead.data?.params);
  if (provider !== undefined) {
    return { line: `No model is set up${so}: exai keys add ${provider}`, notices: rest };
  }
  const line = instead ? renderNoticeText(instead, renderer) : `No model was asked${so}.`;
  return { line, notices: rest };
}

/** The command that helps with all failures; where they differ, the one that tells them apart. */
function helpFor(attempts: readonly Attempt[]): string {
  const helps = attempts.flatMap(({ provider, outcome }) =>
    isExtractive(provider) || outcome === 'ok' ? [] : [providerHelp(provider, outcome)],
  );
  const [first = 'exai doctor'] = helps;
  return helps.every((help) => help === first) ? first : 'exai doctor';
}

/** Whether no model answered because no provider has a key. */
export function isKeyMissing(facts: Partial<Envelope>): boolean {
  if (facts.status === 'error') return facts.error_class === 'not_configured';
  if (facts.status !== 'degraded') return false;
  const instead = routeNotices(facts).find(({ data }) => data?.code === QUOTED_INSTEAD);
  return instead !== undefined && providerWithoutKey(instead.data?.params) !== undefined;
}

/** The provider whose key would help, if a missing key is the only problem. */
function providerWithoutKey(params: unknown): string | undefined {
  const { error } = (params ?? {}) as { readonly error?: unknown };
  const { class: errorClass, fixes } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (errorClass !== 'not_configured' || !Array.isArray(fixes)) return undefined;
  const addKey = fixes.filter(isFix).find(({ kind }) => kind === 'add_key');
  if (addKey?.kind !== 'add_key') return undefined;
  // Of another version it may be anything.
  const { provider } = addKey.params as { readonly provider?: unknown };
  return typeof provider === 'string' && /^[\w-]{1,40}$/.test(provider) ? provider : 'glm';
}

const MAX_NAMES = 3;

/**
 * `glm-5.3, kimi-k3: took too long; glm-4.5-flash: was overloaded`: each model with its last
 * failure.
 */
function describeAllFailures(attempts: readonly Attempt[]): string {
  const last = new Map<string, string>();
  for (const { provider, model, outcome } of attempts) {
    if (!isExtractive(provider) && outcome !== 'ok') last.set(model, describeOutcome(outcome));
  }
  return [...new Set(last.values())]
    .map((phrase) => {
      const models = [...last.keys()].filter((model) => last.get(model) === phrase);
      const more = models.length > MAX_NAMES ? ` and ${models.length - MAX_NAMES} more` : '';
      return `${models.slice(0, MAX_NAMES).join(', ')}${more}: ${phrase}`;
    })
    .join('; ');
}

/** The footer for the envelope of any tool; empty where no model was asked. */
export function formatEnvelopeFooter(envelope: unknown): string {
  const facts = envelope as Partial<Envelope>;
  // Other servers' results are not envelopes: they have no request id, and their fields can be
  // anything.
  if (typeof facts.req_id !== 'string') return '';
  return facts.status === 'degraded'
    ? formatExtractiveFooter(facts, cliRenderer).line
    : formatAnswerFooter(facts);
}

/** From this number on, the remaining turns are mentioned. */
const FEW_LEFT = 3;

/** The lines below an answer in a chat: notices, remaining turns, and the footer. */
export function formatChatNotes(envelope: Partial<Envelope>): readonly string[] {
  const { status, continuation } = envelope;
  const { line, notices } =
    status === 'degraded'
      ? formatExtractiveFooter(envelope, chatRenderer)
      : {
          line: formatAnswerFooter(withoutReasons(envelope)),
          notices: renderNoticeTexts(routeNotices(envelope), chatRenderer),
        };
  const left = continuation?.remaining_turns ?? Number.POSITIVE_INFINITY;
  return [...notices, ...describeTurnsLeft(left), line].filter((each) => each !== '');
}

/** Routing reasons are long and shown by /explain; only failures are mentioned unasked. */
function withoutReasons(envelope: Partial<Envelope>): Partial<Envelope> {
  const { route } = envelope;
  return route ? { ...envelope, route: { ...route, because: [], reasons: [] } } : envelope;
}

function describeTurnsLeft(left: number): readonly string[] {
  if (left > FEW_LEFT) return [];
  if (left === 0) return ['This conversation is full; /new begins another.'];
  const count = left === 1 ? 'One more message fits' : `${left} more messages fit`;
  return [`${count} into this conversation; /new begins another.`];
}
