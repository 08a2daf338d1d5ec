import { oneLine } from '#core/text/text.ts';
import { formatCitations } from '../shared/citations.ts';
import {
  consensusStatus,
  hasChanged,
  isShownToOthers,
  lastAnswer,
  type PositionGroup,
  type ConsensusOutcome,
  type PanelistResult,
  type PositionTally,
} from './result.ts';
import type { Opinion } from './opinion.ts';

const MAX_WHY_CHARS = 300;

/** Renders a consensus as text: a table of positions, then each verdict. */
export function renderConsensus(outcome: ConsensusOutcome): string {
  const { results, tally, quorum, rounds } = outcome;
  return [
    headline(outcome),
    table(results, rounds),
    renderTally(tally, quorum.answered),
    ...results.flatMap((each) => renderVerdict(each, rounds)),
    renderMissing(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headline(outcome: ConsensusOutcome): string {
  const { results, quorum, rounds } = outcome;
  const { answered, needed } = quorum;
  const inRounds = rounds === 1 ? 'in one round' : 'in two rounds';
  const count = `${answered} of ${results.length} models answered ${inRounds}; ${needed} had to`;
  return consensusStatus(outcome) === 'consensus_incomplete'
    ? `Not enough answers for a consensus: ${count}.`
    : `Asked apart from each other, ${count}.`;
}

function table(results: readonly PanelistResult[], rounds: number): string {
  const rows = results.map((each) => {
    const { panelist } = each;
    const answer = lastAnswer(each);
    const standing = answer ? formatPosition(answer.opinion) : ['–', '–'];
    return `| ${[nameOf(each, rounds), panelist.stance, ...standing, describeRounds(each)].map(cell).join(' | ')} |`;
  });
  return ['| model | stance | position | confidence | |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** The model with the letter under which the others know it. */
function nameOf(result: PanelistResult, rounds: number): string {
  const { model, letter } = result.panelist;
  return isShownToOthers(result, rounds) ? `${model} [${letter}]` : model;
}

function formatPosition({ position, confidence }: Opinion): [string, string] {
  return [position, confidence === undefined ? '–' : percent(confidence)];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The last column: failure or changed opinion. */
function describeRounds(result: PanelistResult): string {
  const { first, second } = result;
  if (first.is === 'failed') return `no answer: ${first.error.class}`;
  if (second?.is === 'failed') return `no second answer: ${second.error.class}`;
  const changed = hasChanged(result);
  if (changed === undefined) return '';
  if (!changed) return 'stayed';
  const [position, confidence] = formatPosition(first.opinion);
  return `changed from ${position}, ${confidence}`;
}

/** A bar would end the table cell. */
function cell(text: string): string {
  return oneLine(text, MAX_WHY_CHARS).replaceAll('|', '/');
}

const HOLDS: Readonly<Record<PositionGroup['position'], string>> = {
  agree: 'in favour',
  disagree: 'against',
  mixed: 'in part',
  unclear: 'undecided',
};

function renderTally({ agreements, disagreements }: PositionTally, answered: number): string {
  if (disagreements.length > 0) return `They disagree. ${disagreements.map(renderCamp).join(' ')}`;
  const [camp] = agreements;
  if (!camp) return '';
  const isAll = camp.models.length === answered;
  return `${isAll ? 'They agree.' : 'No model contradicts.'} ${renderCamp(camp)}`;
}

function renderCamp({ position, models }: PositionGroup): string {
  const held = HOLDS[position];
  return `${held.slice(0, 1).toUpperCase()}${held.slice(1)}: ${models.join(', ')}.`;
}

function renderVerdict(result: PanelistResult, rounds: number): readonly string[] {
  const answer = lastAnswer(result);
  if (!answer) return [];
  const { panelist, second } = result;
  const { verdict, reasons, risks, change } = answer.opinion;
  const stance = panelist.stance === 'neutral' ? '' : `, asked to speak ${panelist.stance} it`;
  return [
    `## ${nameOf(result, rounds)}${stance}`,
    `${verdict}${formatCitations(answer.answer.citations)}`,
    ...listed('Reasons', reasons),
    ...listed('Risks', risks),
    ...(second?.is === 'answered' && change !== undefined ? [`Second round: ${change}`] : []),
  ];
}

function listed(title: string, points: readonly string[]): readonly string[] {
  if (points.length === 0) return [];
  return [[`${title}:`, ...points.map((point) => `- ${point}`)].join('\n')];
}

function renderMissing(results: readonly PanelistResult[]): string {
  const lines = results.flatMap(({ panelist, first, second }) => {
    const reply = first.is === 'failed' ? first : second;
    if (reply?.is !== 'failed') return [];
    const which = reply === first ? '' : ' (second answer)';
    return [`- ${panelist.label}${which}: ${oneLine(reply.error.message, MAX_WHY_CHARS)}`];
  });
  return lines.length === 0 ? '' : ['Missing:', ...lines].join('\n');
}
