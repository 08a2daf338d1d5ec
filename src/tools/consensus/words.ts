import { oneLine } from '#core/one-line.ts';
import { sourceList } from '../asking/sources.ts';
import { isShown, statusOf, type Outcome } from './content.ts';
import type { Opinion } from './opinion.ts';
import { hasChanged, lastAnswer, type Heard } from './reply.ts';
import type { Camp, Tally } from './tally.ts';

const MAX_WHY_CHARS = 300;

/** All of it for people: who stands where, then what each says. */
export function consensusWords(outcome: Outcome): string {
  const { heard, tally, quorum, rounds } = outcome;
  return [
    headline(outcome),
    table(heard, rounds),
    tallyWords(tally, quorum.answered),
    ...heard.flatMap((each) => verdictWords(each, rounds)),
    missingWords(heard),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headline(outcome: Outcome): string {
  const { heard, quorum, rounds } = outcome;
  const { answered, needed } = quorum;
  const inRounds = rounds === 1 ? 'in one round' : 'in two rounds';
  const count = `${answered} of ${heard.length} models answered ${inRounds}; ${needed} had to`;
  return statusOf(outcome) === 'consensus_incomplete'
    ? `No consensus can be told: ${count}.`
    : `Asked apart from each other, ${count}.`;
}

function table(heard: readonly Heard[], rounds: number): string {
  const rows = heard.map((each) => {
    const { voice } = each;
    const answer = lastAnswer(each);
    const standing = answer ? standingWords(answer.opinion) : ['–', '–'];
    return `| ${[nameOf(each, rounds), voice.stance, ...standing, roundWords(each)].map(cell).join(' | ')} |`;
  });
  return ['| model | stance | position | confidence | |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** With the letter by which the others speak of it. */
function nameOf(heard: Heard, rounds: number): string {
  const { model, letter } = heard.voice;
  return isShown(heard, rounds) ? `${model} [${letter}]` : model;
}

function standingWords({ position, confidence }: Opinion): [string, string] {
  return [position, confidence === undefined ? '–' : percent(confidence)];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** What else is to be known of somebody. */
function roundWords(heard: Heard): string {
  const { first, second } = heard;
  if (first.is === 'failed') return `no answer: ${first.error.class}`;
  if (second?.is === 'failed') return `no second answer: ${second.error.class}`;
  const changed = hasChanged(heard);
  if (changed === undefined) return '';
  if (!changed) return 'stayed';
  const [position, confidence] = standingWords(first.opinion);
  return `changed from ${position}, ${confidence}`;
}

/** In a table a bar is the end of a cell. */
function cell(text: string): string {
  return oneLine(text, MAX_WHY_CHARS).replaceAll('|', '/');
}

const HOLDS: Readonly<Record<Camp['position'], string>> = {
  agree: 'in favour',
  disagree: 'against',
  mixed: 'in part',
  unclear: 'undecided',
};

function tallyWords({ agreements, disagreements }: Tally, answered: number): string {
  if (disagreements.length > 0) return `They disagree. ${disagreements.map(campWords).join(' ')}`;
  const [camp] = agreements;
  if (!camp) return '';
  const isAll = camp.models.length === answered;
  return `${isAll ? 'They agree.' : 'Nobody contradicts.'} ${campWords(camp)}`;
}

function campWords({ position, models }: Camp): string {
  const held = HOLDS[position];
  return `${held.slice(0, 1).toUpperCase()}${held.slice(1)}: ${models.join(', ')}.`;
}

function verdictWords(heard: Heard, rounds: number): readonly string[] {
  const answer = lastAnswer(heard);
  if (!answer) return [];
  const { voice, second } = heard;
  const { verdict, reasons, risks, change } = answer.opinion;
  const stance = voice.stance === 'neutral' ? '' : `, asked to speak ${voice.stance} it`;
  return [
    `## ${nameOf(heard, rounds)}${stance}`,
    `${verdict}${sourceList(answer.answer.citations)}`,
    ...listed('Reasons', reasons),
    ...listed('Risks', risks),
    ...(second?.is === 'answered' && change !== undefined ? [`Second round: ${change}`] : []),
  ];
}

function listed(title: string, points: readonly string[]): readonly string[] {
  if (points.length === 0) return [];
  return [[`${title}:`, ...points.map((point) => `- ${point}`)].join('\n')];
}

function missingWords(heard: readonly Heard[]): string {
  const lines = heard.flatMap(({ voice, first, second }) => {
    const reply = first.is === 'failed' ? first : second;
    if (reply?.is !== 'failed') return [];
    const which = reply === first ? '' : ' (second answer)';
    return [`- ${voice.label}${which}: ${oneLine(reply.error.message, MAX_WHY_CHARS)}`];
  });
  return lines.length === 0 ? '' : ['Missing:', ...lines].join('\n');
}
