import { dollars } from '#core/dollars.ts';
import { FAILURE_HEADING, HEADINGS, RULE_MARKS } from '#core/explanation-layout.ts';
import { toMicroUsd } from '#core/money.ts';
import { oneLine } from '#core/one-line.ts';
import type { ExplanationContent } from './explanation.ts';
import { counted, factWords } from './fact-words.ts';

type Plan = NonNullable<ExplanationContent['plan']>;
type Candidate = Plan['candidates'][number];

/** An explanation for people: what it is, how it was decided, who is asked in which order, and what is sent. */
export function explanationWords(content: ExplanationContent): string {
  const { plan } = content;
  return [
    factWords(content),
    plan ? decisionWords(plan, content.tried) : failureWords(content),
    section(
      HEADINGS.rules,
      content.tried.map((trial, _, all) => ruleWords(trial, all)),
    ),
    plan && section(HEADINGS.chain, chainWords(plan, winnerOf(content.tried))),
    section(HEADINGS.leftOut, leftOutWords(content.left_out)),
    section(HEADINGS.notices, [...(content.notices ?? []), ...(plan?.notices ?? [])].map(listed)),
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
  return [`${HEADINGS.class}: ${plan.class}, ${sure}; ${rule}`, ...plan.because.map(listed)].join(
    '\n',
  );
}

function failureWords({ error }: ExplanationContent): string | undefined {
  if (!error) return undefined;
  const { fix } = error;
  const more = typeof fix === 'string' ? [`  fix: ${line(fix)}`] : [];
  return [`${FAILURE_HEADING} (${error.class}): ${line(error.message)}`, ...more].join('\n');
}

type Trial = ExplanationContent['tried'][number];

function winnerOf(tried: readonly Trial[]): Trial | undefined {
  return tried.find(({ verdict }) => verdict === 'wins');
}

function ruleWords({ number, rule, verdict, because, when }: Trial, all: readonly Trial[]): string {
  const width = Math.min(40, Math.max(...all.map((each) => each.rule.length)));
  const place = String(number).padStart(2);
  return `  ${RULE_MARKS[verdict]} ${place} ${line(rule).padEnd(width)}  ${line(because || when)}`;
}

/** The rule says why the first is chosen; once is enough. */
function chainWords({ candidates, rule }: Plan, winner: Trial | undefined): readonly string[] {
  const because = `Chosen by rule ${winner ? `${winner.number}, ` : ''}${line(rule)}.`;
  return candidates.map((candidate, index) => {
    const { reason, remarks = [] } = candidate;
    const isChosen = reason.code === 'chosen_by_rule' && remarks.length === 0;
    return candidateWords(isChosen ? { ...candidate, because } : candidate, index);
  });
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
    ? `${HEADINGS.context}: everything is sent as it is.`
    : [`${HEADINGS.context}:`, ...context.map(listed)].join('\n');
}

function payloadWords({ payload, no_payload: why }: ExplanationContent): string | undefined {
  if (payload) {
    const where = payload.url === undefined ? 'POST' : `POST ${line(payload.url)}`;
    return `${HEADINGS.payload}: ${where}\n${JSON.stringify(payload.body, shortened, 2)}`;
  }
  return why === undefined ? undefined : `${HEADINGS.payload}: none. ${line(why)}`;
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
