import type { AskRequest, AskText } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import { systemPrompt } from '../shared/system-prompt.ts';
import { consensusPrompt, SECOND_ROUND } from './consensus.prompt.ts';
import type { Opinion } from './opinion.ts';
import type { Panelist } from './panel.ts';

/** The question to the whole panel. */
export interface PanelQuestion {
  /** The question with the history of its conversation, without a stance. */
  readonly request: AskRequest;
  readonly files: readonly AskText[];
  readonly locale: string;
}

/** Limits of one request. */
export interface RequestLimits {
  readonly timeoutMs: number;
  /** Absent without a limit. */
  readonly maxCostMicroUsd?: number;
}

/** Enough for reasoning and a verdict; it bounds the cost of an answer. */
const LIMITED_OUTPUT_TOKENS = 16_384;

/** The first request to a panelist, which sees no other answer. */
export function firstRequest(
  { request, files, locale }: PanelQuestion,
  { name, stance, stancePrompt }: Panelist,
  { timeoutMs, maxCostMicroUsd }: RequestLimits,
): AskRequest {
  const base = consensusPrompt(stance, stancePrompt === '' ? 'plain' : 'in_words');
  const given = files.map((file) => ({ ...file, name: attachmentName(file.name) }));
  const material =
    stancePrompt === ''
      ? given
      : [...given, { name: '[stance]', text: stancePrompt, as: 'material' as const }];
  return {
    ...request,
    model: name,
    namedBy: 'panel',
    system: systemPrompt(base, { locale, search: request.search }),
    ...(material.length > 0 && { files: material }),
    // An answer of another model, or an extractive fallback, would count as this panelist's own.
    fallback: 'none',
    lastResort: 'none',
    timeoutMs,
    ...(maxCostMicroUsd !== undefined && {
      maxCostMicroUsd,
      maxOutputTokens: LIMITED_OUTPUT_TOKENS,
    }),
  };
}

/** The second request: the first one, the panelist's own answer, and the answers of the others. */
export function secondRequest(
  question: PanelQuestion,
  panelist: Panelist,
  share: RequestLimits,
  ownAnswer: string,
  others: readonly AnonymousAnswer[],
): AskRequest {
  const first = firstRequest(question, panelist, share);
  return {
    ...first,
    messages: [
      ...first.messages,
      { role: 'assistant', content: ownAnswer },
      { role: 'user', content: SECOND_ROUND },
    ],
    files: [...(first.files ?? []), ...others.map(asMaterial)],
  };
}

function asMaterial(answer: AnonymousAnswer): AskText {
  return {
    name: `[answer of ${answer.panelist.letter}]`,
    text: renderForOthers(answer).text,
    as: 'material',
  };
}

/** An answer as the other panelists see it: under a letter instead of a name. */
interface AnonymousAnswer {
  readonly panelist: Pick<Panelist, 'letter' | 'stance'>;
  readonly opinion: Opinion;
}

interface ShownAnswer {
  readonly text: string;
  /** Characters of the verdict, and list entries, that the others do not see. */
  readonly leftOut: { readonly chars: number; readonly points: number };
}

/** Limits per answer: each is sent to all other panelists. */
const MAX_VERDICT_CHARS = 20_000;
const MAX_POINTS = 12;
const MAX_POINT_CHARS = 1_000;

const PARTS: Readonly<Record<Panelist['stance'], string>> = {
  for: 'It was to speak for it.',
  against: 'It was to speak against it.',
  neutral: 'It was given no side.',
};

/** Renders an answer for the other panelists. A long part is cut, with a note. */
function renderForOthers({ panelist, opinion }: AnonymousAnswer): ShownAnswer {
  const { position, confidence } = opinion;
  const sure = confidence === undefined ? '' : `, confidence ${confidence}`;
  const verdict = beginning(opinion.verdict, MAX_VERDICT_CHARS);
  const reasons = listed('Reasons', opinion.reasons);
  const risks = listed('Risks', opinion.risks);
  return {
    text: [
      PARTS[panelist.stance],
      `Position: ${position}${sure}`,
      `Verdict: ${verdict.text}`,
      ...reasons.lines,
      ...risks.lines,
    ].join('\n'),
    leftOut: { chars: verdict.leftOut, points: reasons.leftOut + risks.leftOut },
  };
}

/** Notices for the caller about answers that the others saw only in part. */
export function shortenedNotices(
  answer: AnonymousAnswer & { panelist: Pick<Panelist, 'label'> },
): readonly Notice[] {
  const { chars, points } = renderForOthers(answer).leftOut;
  if (chars === 0 && points === 0) return [];
  const about = { model: answer.panelist.label, verdictChars: chars, points };
  return [notice('panel_answer_shortened', about)];
}

function beginning(text: string, maxChars: number): { text: string; leftOut: number } {
  if (text.length <= maxChars) return { text, leftOut: 0 };
  const start = text.slice(0, maxChars);
  // A cut surrogate pair is dropped.
  const shown = start.isWellFormed() ? start : start.slice(0, -1);
  const leftOut = text.length - shown.length;
  return { text: `${shown} [… ${leftOut} more characters are not shown]`, leftOut };
}

function listed(
  title: string,
  points: readonly string[],
): { readonly lines: readonly string[]; readonly leftOut: number } {
  if (points.length === 0) return { lines: [], leftOut: 0 };
  const shown = points.slice(0, MAX_POINTS).map((point) => beginning(point, MAX_POINT_CHARS));
  const unseen = points.length - shown.length;
  return {
    lines: [
      `${title}:`,
      ...shown.map(({ text }) => `- ${text}`),
      ...(unseen > 0 ? [`[… ${unseen} more are not shown]`] : []),
    ],
    leftOut: unseen + shown.filter(({ leftOut }) => leftOut > 0).length,
  };
}
