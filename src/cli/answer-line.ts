import { dollars } from '#core/dollars.ts';
import type { Attempt, Envelope } from '#core/envelope.schema.ts';
import { isReason, reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { toMicroUsd } from '#core/money.ts';
import { failureDeed } from './failure-deed.ts';
import { wholeWords } from './whole-words.ts';

const MAX_REASON_CHARS = 160;

type Told = Partial<Pick<Envelope, 'status' | 'provider' | 'model' | 'route' | 'usage'>>;
type Usage = NonNullable<Told['usage']>;

/** Who answered, why, after which attempts, and what it took; as much of it as is known. */
export function answerLine(told: Told): string {
  const { status, route, usage } = told;
  const attempts = route?.attempts ?? [];
  return [
    ...(status === 'error' ? [failedWords(attempts)] : [whoAndWhy(told), countWords(attempts)]),
    ...(usage ? [tokenWords(usage), costWords(usage)] : []),
  ]
    .filter((each) => each !== '')
    .join('; ');
}

/** `free` only where a vendor counted and every price is known; where neither is sure, nothing is said of no money. */
export function costWords({ cost_usd: usd, estimated }: Usage): string {
  if (usd === 0) return estimated ? '' : 'free';
  return `${estimated ? 'about ' : ''}${dollars(toMicroUsd(usd))}`;
}

function tokenWords({ input, output, estimated }: Usage): string {
  return `${estimated ? 'about ' : ''}${number(input)} tokens in, ${number(output)} out`;
}

function whoAndWhy(told: Told): string {
  const { provider, model } = told;
  const of = provider === undefined ? '' : ` (${provider})`;
  return [model === undefined ? '' : `${model}${of}`, reasonOf(told)]
    .filter((each) => each !== '')
    .join(': ');
}

/** Why this one: what went before its answer, or else why it was chosen. */
function reasonOf({ route }: Told): string {
  const { because = [], reasons = [], attempts = [] } = route ?? {};
  const failed = attempts.filter(({ outcome }) => outcome !== 'ok');
  if (failed.length > 0) return failuresBefore(attempts.at(-1), failed);
  // Whoever was chosen may have been passed over without being asked.
  const why = reasons.find(({ code }) => code === 'passed_over') ?? reasons[0];
  // A daemon of another version may have codes that this one does not know.
  if (!isReason(why)) return wholeWords(because[0] ?? '', MAX_REASON_CHARS);
  const whole = baseRenderer.reason(why);
  const isLong = whole.length > MAX_REASON_CHARS;
  return wholeWords(isLong ? baseRenderer.reason(shortened(why)) : whole, MAX_REASON_CHARS);
}

/** `glm-4.7-flash was to answer but took too long, then glm-5.3 was overloaded`: each model once, as it failed last. */
function failuresBefore(answered: Attempt | undefined, failed: readonly Attempt[]): string {
  const deeds = new Map(failed.map(({ model, outcome }) => [model, failureDeed(outcome)]));
  const [first, ...others] = deeds;
  if (!first) return '';
  const [model, deed] = first;
  const begin =
    model === answered?.model ? `at first it ${deed}` : `${model} was to answer but ${deed}`;
  return [begin, ...others.map(([each, does]) => `${each} ${does}`)].join(', then ');
}

/** Without the models that the rule would rather have had. */
function shortened(why: Reason): Reason {
  if (why.code !== 'chosen_by_rule') return why;
  const { reason: chose } = why.params;
  if (chose.code !== 'rule_chose') return why;
  const short = reason('rule_chose', { ...chose.params, passedOver: [] });
  return reason('chosen_by_rule', { ...why.params, reason: short });
}

/** One attempt that went well is nothing to speak of. */
function countWords(attempts: readonly Attempt[]): string {
  return attempts.length <= 1 ? '' : `${attempts.length} attempts`;
}

/** Of a failure, whom it was asked of and how each ended. */
function failedWords(attempts: readonly Attempt[]): string {
  if (attempts.length === 0) return '';
  const each = attempts.map(({ model, outcome }) => `${model} ${outcome}`).join(', ');
  return `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}: ${each}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
