import { dollars } from '#core/dollars.ts';
import type { Attempt, Envelope } from '#core/envelope.schema.ts';
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
  const { because = [], attempts = [] } = route ?? {};
  const failed = attempts.filter(({ outcome }) => outcome !== 'ok');
  if (failed.length > 0) return failuresBefore(attempts.at(-1), failed);
  const reason = (passedOver(because) ?? because[0] ?? '').replace(/\.$/, '');
  const short = reason.length > MAX_REASON_CHARS ? withoutRemark(reason) : reason;
  return wholeWords(short, MAX_REASON_CHARS);
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

/** Without what stands in brackets at its end, which may hold others. */
function withoutRemark(sentence: string): string {
  if (!sentence.endsWith(')')) return sentence;
  let depth = 0;
  for (let at = sentence.length - 1; at > 0; at -= 1) {
    if (sentence[at] === ')') depth += 1;
    else if (sentence[at] === '(') depth -= 1;
    if (depth === 0) return sentence.slice(0, at).trimEnd();
  }
  return sentence;
}

/** Whoever was chosen may have been passed over without being asked; what is said behind the class tells why. */
function passedOver(because: readonly string[]): string | undefined {
  const at = because.findIndex((sentence) => /^Class [a-z_]+ \(/.test(sentence));
  return at === -1 ? undefined : because[at + 1];
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
