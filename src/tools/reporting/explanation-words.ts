import { dollars } from '#core/dollars.ts';
import { toMicroUsd } from '#core/money.ts';
import { oneLine } from '#core/one-line.ts';
import type { ExplanationContent } from './explanation.ts';
import { counted, factWords } from './fact-words.ts';
import { toldOnce } from './told-once.ts';

type Plan = NonNullable<ExplanationContent['plan']>;
type Candidate = Plan['candidates'][number];

/** An explanation for people: what it is, how it was decided, who is asked in which order, and what is sent. */
export function explanationWords(whole: ExplanationContent): string {
  const content = toldOnce(whole);
  const { plan } = content;
  return [
    factWords(content),
    plan ? decisionWords(plan, content.tried) : failureWords(content),
    section(
      'Rules',
      rulesShown(content).map((trial, _, all) => ruleWords(trial, all)),
    ),
    plan && section('Chain', chainWords(plan, winnerOf(content.tried))),
    section('Left out', leftOutWords(content.left_out)),
    section('Notices', [...(content.notices ?? []), ...(plan?.notices ?? [])].map(listed)),
    plan && contextWords(content.context),
    payloadWords(content),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function decisionWords(plan: Plan, tried: ExplanationContent['tried']): string {
  const winner = winnerOf(tried);
  const rule = winner ? `rule ${winner.number}, ${line(plan.rule)}` : `rule ${line(plan.rule)}`;
  const sure = `${Math.round(plan.confidence * 100)} % sure`;
  return [`Class: ${plan.class}, ${sure}; ${rule}`, ...plan.because.map(listed)].join('\n');
}

function failureWords({ error }: ExplanationContent): string | undefined {
  if (!error) return undefined;
  const { fix } = error;
  const more = typeof fix === 'string' ? [`  fix: ${line(fix)}`] : [];
  return [`Nobody can be asked (${error.class}): ${line(error.message)}`, ...more].join('\n');
}

type Trial = ExplanationContent['tried'][number];

function winnerOf(tried: readonly Trial[]): Trial | undefined {
  return tried.find(({ verdict }) => verdict === 'wins');
}

/** Where nobody is asked no rule has won, even if one found somebody: only whom the caller named might have answered. */
function rulesShown({ tried, plan }: ExplanationContent): readonly Trial[] {
  if (plan) return tried;
  const because = 'it found somebody else, and no other may answer';
  return tried.map((trial) =>
    trial.verdict === 'wins' ? { ...trial, verdict: 'does_not_apply', because } : trial,
  );
}

const MARKS = { wins: '>', does_not_apply: ' ', nobody_left: 'x' } as const;

function ruleWords({ number, rule, verdict, because, when }: Trial, all: readonly Trial[]): string {
  const width = Math.min(40, Math.max(...all.map((each) => each.rule.length)));
  const place = String(number).padStart(2);
  return `  ${MARKS[verdict]} ${place} ${line(rule).padEnd(width)}  ${line(because || when)}`;
}

/** Who leads was said to lead by the rule, in the same words; once is enough. */
function chainWords(
  { candidates, because: [first], rule }: Plan,
  winner: Trial | undefined,
): readonly string[] {
  const because = `Chosen by rule ${winner ? `${winner.number}, ` : ''}${line(rule)}.`;
  return candidates.map((candidate, index) =>
    candidateWords(candidate.because === first ? { ...candidate, because } : candidate, index),
  );
}

function candidateWords(candidate: Candidate, index: number): string {
  const { provider, model, because, thinking, search, max_cost_usd: cost } = candidate;
  const effort = thinking?.effort === undefined ? '' : ` (${thinking.effort})`;
  const details = candidate.last_resort
    ? ['no model: it quotes what was given']
    : [
        ...(thinking ? [`thinking ${thinking.mode}${effort}`] : []),
        ...(search === 'provider' ? ['searches the web'] : []),
        `room for ${counted(candidate.room_tokens, 'token')}`,
        costWords(cost),
      ];
  return [
    `  ${index + 1}. ${named(provider, model)}: ${line(because)}`,
    `     ${details.join(', ')}`,
  ].join('\n');
}

/** The model of one's own server while nobody has said which. */
const NO_NAME = 'default';

/** One line for all models of a provider that are out for the same reason. */
function leftOutWords(leftOut: ExplanationContent['left_out']): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { provider, model, because } of leftOut) {
    const isNameless = provider === 'custom' && model === NO_NAME;
    const key = `${isNameless ? '' : ` of ${provider}`}: ${line(because)}`;
    const name = isNameless ? 'your own server' : line(model);
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups].map(([why, models]) => `  ${models.join(', ')}${why}`);
}

function costWords(usd: number | undefined): string {
  if (usd === undefined) return 'price unknown';
  return usd === 0 ? 'free' : `at most ${dollars(toMicroUsd(usd))}`;
}

function contextWords(context: readonly string[]): string {
  return context.length === 0
    ? 'Context: everything is sent as it is.'
    : ['Context:', ...context.map(listed)].join('\n');
}

function payloadWords({ payload, no_payload: why }: ExplanationContent): string | undefined {
  if (payload) {
    const where = payload.url === undefined ? 'POST' : `POST ${line(payload.url)}`;
    return `Payload: ${where}\n${JSON.stringify(payload.body, shortened, 2)}`;
  }
  return why === undefined ? undefined : `Payload: none. ${line(why)}`;
}

const MAX_STRING_CHARS = 4_000;

/** A book in the middle of it, or a picture, would hide the rest; the content of the answer has it whole. */
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= MAX_STRING_CHARS) return value;
  const head = value.slice(0, MAX_STRING_CHARS).toWellFormed();
  return `${head}… (${counted(value.length, 'character')} in all)`;
}

function section(title: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [`${title}:`, ...lines].join('\n');
}

const listed = (text: string): string => `  - ${line(text)}`;
const named = (provider: string, model: string): string => `${line(model)} of ${provider}`;

const MAX_LINE_CHARS = 1_000;
const line = (text: string): string => oneLine(text, MAX_LINE_CHARS);
