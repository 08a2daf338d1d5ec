import {
  DETAIL_INDENT,
  FAILURE_HEADING,
  HEADINGS,
  RULE_MARKS,
} from '#core/diagnostics/explanation-layout.ts';
import type { RouteExplanation, RuleTrial } from '#core/llm/route.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { formatUsd } from '#core/text/format.ts';
import { toMicroUsd } from '#core/text/money.ts';
import { oneLine } from '#core/text/text.ts';
import type { ExplanationContent } from './explanation.ts';

type Plan = NonNullable<ExplanationContent['plan']>;
type Candidate = Plan['candidates'][number];

/** Renders an explanation as text: facts, decision, candidates in order, and the payload. */
export function renderExplanation(content: ExplanationContent): string {
  const { plan } = content;
  return [
    renderFacts(content),
    plan ? renderDecision(plan, content.tried) : renderFailure(content),
    section(
      HEADINGS.rules,
      content.tried.map((trial, _, all) => renderRule(trial, all)),
    ),
    plan && section(HEADINGS.chain, renderChain(plan, winnerOf(content.tried))),
    section(HEADINGS.leftOut, renderExcluded(content.left_out)),
    section(HEADINGS.notices, [...(content.notices ?? []), ...(plan?.notices ?? [])].map(listed)),
    plan && renderContext(content.context),
    renderPayload(content),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function renderDecision(plan: Plan, tried: ExplanationContent['tried']): string {
  const winner = winnerOf(tried);
  const rule = winner ? `rule ${winner.number}, ${line(plan.rule)}` : `rule ${line(plan.rule)}`;
  const sure = `${Math.round(plan.confidence * 100)} % sure`;
  return [`${HEADINGS.class}: ${plan.class}, ${sure}; ${rule}`, ...plan.because.map(listed)].join(
    '\n',
  );
}

function renderFailure({ error }: ExplanationContent): string | undefined {
  if (!error) return undefined;
  const { fix } = error;
  const more = typeof fix === 'string' ? [`  fix: ${line(fix)}`] : [];
  return [`${FAILURE_HEADING} (${error.class}): ${line(error.message)}`, ...more].join('\n');
}

type Trial = ExplanationContent['tried'][number];

function winnerOf(tried: readonly Trial[]): Trial | undefined {
  return tried.find(({ verdict }) => verdict === 'wins');
}

function renderRule(
  { number, rule, verdict, because, when }: Trial,
  all: readonly Trial[],
): string {
  const width = Math.min(40, Math.max(...all.map((each) => each.rule.length)));
  const place = String(number).padStart(2);
  return `  ${RULE_MARKS[verdict]} ${place} ${line(rule).padEnd(width)}  ${line(because || when)}`;
}

/** The chain. The reason of the first candidate repeats the rule, so it is shortened. */
function renderChain({ candidates, rule }: Plan, winner: Trial | undefined): readonly string[] {
  const because = `Chosen by rule ${winner ? `${winner.number}, ` : ''}${line(rule)}.`;
  return candidates.map((candidate, index) => {
    const { reason, remarks = [] } = candidate;
    const isChosen = reason.code === 'chosen_by_rule' && remarks.length === 0;
    return renderCandidate(isChosen ? { ...candidate, because } : candidate, index);
  });
}

function renderCandidate(candidate: Candidate, index: number): string {
  const { provider, model, because, thinking, search, max_cost_usd: cost } = candidate;
  const effort = thinking?.effort === undefined ? '' : ` (${thinking.effort})`;
  const details = candidate.last_resort
    ? ['no model: it quotes what was given']
    : [
        ...(thinking ? [`thinking ${thinking.mode}${effort}`] : []),
        ...(search === 'provider' ? ['searches the web'] : []),
        `room for ${formatCount(candidate.room_tokens, 'token')}`,
        formatCost(cost),
      ];
  return [
    `  ${index + 1}. ${named(provider, model)}: ${line(because)}`,
    `${DETAIL_INDENT}${details.join(', ')}`,
  ].join('\n');
}

/** Model name of a custom server without a configured model. */
const NO_NAME = 'default';

/** One line per reason for the excluded models of a provider. */
function renderExcluded(leftOut: ExplanationContent['left_out']): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { provider, model, because } of leftOut) {
    const isNameless = provider === 'custom' && model === NO_NAME;
    const key = `${isNameless ? '' : ` (${provider})`}: ${line(because)}`;
    const name = isNameless ? 'your own server' : line(model);
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups].map(([why, models]) => `  ${models.join(', ')}${why}`);
}

function formatCost(usd: number | undefined): string {
  if (usd === undefined) return 'price unknown';
  return usd === 0 ? 'free' : `at most ${formatUsd(toMicroUsd(usd))}`;
}

function renderContext(context: readonly string[]): string {
  return context.length === 0
    ? `${HEADINGS.context}: everything is sent as it is.`
    : [`${HEADINGS.context}:`, ...context.map(listed)].join('\n');
}

function renderPayload({ payload, no_payload: why }: ExplanationContent): string | undefined {
  if (payload) {
    const where = payload.url === undefined ? 'POST' : `POST ${line(payload.url)}`;
    return `${HEADINGS.payload}: ${where}\n${JSON.stringify(payload.body, shortened, 2)}`;
  }
  return why === undefined ? undefined : `${HEADINGS.payload}: none. ${line(why)}`;
}

const MAX_STRING_CHARS = 4_000;

/** Shortens long strings and images of the payload; the content has them in full. */
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= MAX_STRING_CHARS) return value;
  const head = value.slice(0, MAX_STRING_CHARS).toWellFormed();
  return `${head}… (${formatCount(value.length, 'character')} in all)`;
}

function section(title: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [`${title}:`, ...lines].join('\n');
}

const listed = (text: string): string => `  - ${line(text)}`;
const named = (provider: string, model: string): string => `${line(model)} (${provider})`;

const MAX_LINE_CHARS = 1_000;
const line = (text: string): string => oneLine(text, MAX_LINE_CHARS);

type Facts = ExplanationContent['facts'];

const MAX_WORD_CHARS = 120;

/** Renders the facts of a request on one line, and the caller's options on another. */
function renderFacts({ facts, panel }: Pick<ExplanationContent, 'facts' | 'panel'>): string {
  // For a panel, the model and the missing fallback are not choices of the caller.
  const options = optionsOf(panel ? withoutModel(facts) : facts);
  return [
    `${HEADINGS.request}: ${word(facts.tool)} (${facts.category.replaceAll('_', ' ')}), ${traits(facts).join(', ')}`,
    ...(panel ? [renderPanel(panel)] : []),
    ...(options.length === 0 ? [] : [`${HEADINGS.wishes}: ${options.join(', ')}`]),
  ].join('\n');
}

function withoutModel(facts: Facts): Facts {
  return { ...facts, model: undefined, fallback: 'chain' };
}

function renderPanel(panel: readonly string[]): string {
  const [first = ''] = panel;
  return `${HEADINGS.panel}: ${panel.map(word).join(', ')}; each is asked the same, alone, and none takes the place of another. What follows is for ${word(first)}.`;
}

function traits(facts: Facts): readonly string[] {
  const { files, images, videos, tools, fresh, step, affinity, locked_model: locked } = facts;
  const cjk = Math.round(facts.cjk_share * 100);
  const kinds = [
    ...(files.documents > 0 ? [formatCount(files.documents, 'document')] : []),
    ...(files.scans > 0 ? [formatCount(files.scans, 'scan')] : []),
  ];
  const fileKinds = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  return [
    `about ${formatCount(facts.tokens, 'token')}`,
    ...(files.count > 0 ? [`${describeFiles(files)}${fileKinds}`] : []),
    ...(images > 0 ? [formatCount(images, 'picture')] : []),
    ...(videos > 0 ? [formatCount(videos, 'video')] : []),
    ...(tools > 0 ? [formatCount(tools, 'tool')] : []),
    ...(facts.has_code ? ['with code'] : []),
    ...(cjk > 0 ? [`${cjk} % Chinese, Japanese or Korean`] : []),
    ...(facts.locale === '' ? [] : [`locale ${word(facts.locale)}`]),
    ...(step ? [describeStep(step)] : []),
    ...(fresh
      ? [`"${word(fresh.words)}" ${fresh.strength === 'strong' ? 'asks' : 'may ask'} for news`]
      : []),
    ...(affinity === undefined ? [] : [`suits ${affinity}`]),
    ...(locked === undefined ? [] : [`its thread is on ${word(locked)}`]),
  ];
}

function describeFiles({ count, tokens, unread = 0 }: Facts['files']): string {
  const all = formatCount(count, 'file');
  if (unread >= count) return `${all} not read for this`;
  const rest = unread > 0 ? `, ${unread} of them not read for this` : '';
  return `${all} of ${formatCount(tokens, 'token')}${rest}`;
}

function describeStep({ number, more, depth }: NonNullable<Facts['step']>): string {
  const which = number === undefined ? 'a step' : `step ${number}`;
  const next = { yes: 'more to come', no: 'the last', unknown: 'perhaps the last' }[more];
  return `${which} (${next}${depth === undefined ? '' : `, ${depth}`})`;
}

function optionsOf(facts: Facts): readonly string[] {
  const { model, search, thinking, prefer, fallback, format, max_cost_usd: cost } = facts;
  const limit = facts.max_output_tokens;
  return [
    ...(model === undefined ? [] : [`the model ${word(model)}`]),
    ...(search === 'on' ? ['a web search'] : search === 'off' ? ['no web search'] : []),
    ...(thinking === undefined ? [] : [`thinking ${thinking}`]),
    ...(prefer === undefined ? [] : [`${prefer} first`]),
    ...(format === 'text' ? [] : [format === 'json' ? 'JSON' : 'JSON of a schema']),
    ...(limit === undefined ? [] : [`at most ${formatCount(limit, 'token')} of answer`]),
    ...(cost === undefined ? [] : [`at most ${formatUsd(toMicroUsd(cost))}`]),
    ...(fallback === 'none' ? ['no fallback'] : []),
  ];
}

function formatCount(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}

const word = (text: string): string => oneLine(text, MAX_WORD_CHARS);

type Told = Pick<RouteExplanation, 'tried' | 'plan' | 'leftOut'>;

/**
 * Removes repetitions from an explanation for a page that lists rules and excluded models
 * separately.
 */
export function dedupeExplanation<T extends Told>(explanation: T): T {
  const { tried, plan, leftOut } = explanation;
  const listed = new Set(leftOut.map(({ provider, model }) => `${provider}/${model}`));
  const shorten = (each: Reason) => withoutModels(each, listed);
  return {
    ...explanation,
    tried: tried.map((trial) => ({ ...trial, ...shownTrial(trial, plan, shorten) })),
    ...(plan && {
      plan: {
        ...plan,
        reasons: plan.reasons.filter(({ code }) => code !== 'rule_found_no_model').map(shorten),
        candidates: plan.candidates.map((each) => ({ ...each, reason: shorten(each.reason) })),
      },
    }),
  };
}

/** Without a plan no rule has won: only the named model could have answered. */
function shownTrial(
  { verdict, reason: why }: RuleTrial,
  plan: RouteExplanation['plan'],
  shorten: (reason: Reason) => Reason,
): Pick<RuleTrial, 'verdict' | 'reason'> {
  if (verdict !== 'wins') return { verdict, reason: why };
  if (plan) return { verdict, reason: shorten(why) };
  return { verdict: 'does_not_apply', reason: reason('other_model_forbidden') };
}

/** A reason without its list of models, if the page lists all of them anyway. */
function withoutModels(each: Reason, listed: ReadonlySet<string>): Reason {
  if (each.code === 'chosen_by_rule') {
    const why = withoutModels(each.params.reason, listed);
    return reason('chosen_by_rule', { ...each.params, reason: why });
  }
  if (each.code === 'rule_chose') {
    const areListed = each.params.passedOver.every(({ models }) =>
      models.every(({ provider, model }) => listed.has(`${provider}/${model}`)),
    );
    return areListed ? reason('rule_chose', { ...each.params, passedOver: [] }) : each;
  }
  // The models of this reason are among the excluded ones.
  return 'models' in each.params
    ? ({ ...each, params: { ...each.params, models: [] } } as Reason)
    : each;
}
