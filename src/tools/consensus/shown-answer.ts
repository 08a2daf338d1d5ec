import { notice, type Notice } from '#core/messages/notices.ts';
import type { Opinion } from './opinion.ts';
import type { Voice } from './voice.ts';

/** An answer as the others see it: under a letter. */
export interface Unnamed {
  readonly voice: Pick<Voice, 'letter' | 'stance'>;
  readonly opinion: Opinion;
}

export interface ShownAnswer {
  readonly text: string;
  /** Characters of the verdict that the others do not see, and points of its lists. */
  readonly leftOut: { readonly chars: number; readonly points: number };
}

/** Everybody is shown everybody else's: what one of them may take is taken once for each of the others. */
const MAX_VERDICT_CHARS = 20_000;
const MAX_POINTS = 12;
const MAX_POINT_CHARS = 1_000;

const PARTS: Readonly<Record<Voice['stance'], string>> = {
  for: 'It was to speak for it.',
  against: 'It was to speak against it.',
  neutral: 'It was given no side.',
};

/** What is too long is shown by its beginning, and says so to whoever reads it. */
export function shownAnswer({ voice, opinion }: Unnamed): ShownAnswer {
  const { position, confidence } = opinion;
  const sure = confidence === undefined ? '' : `, confidence ${confidence}`;
  const verdict = beginning(opinion.verdict, MAX_VERDICT_CHARS);
  const reasons = listed('Reasons', opinion.reasons);
  const risks = listed('Risks', opinion.risks);
  return {
    text: [
      PARTS[voice.stance],
      `Position: ${position}${sure}`,
      `Verdict: ${verdict.text}`,
      ...reasons.lines,
      ...risks.lines,
    ].join('\n'),
    leftOut: { chars: verdict.leftOut, points: reasons.leftOut + risks.leftOut },
  };
}

/** For the caller, who has all of it; nothing where the others saw all of it, too. */
export function shownInPart(answer: Unnamed & { voice: Pick<Voice, 'label'> }): readonly Notice[] {
  const { chars, points } = shownAnswer(answer).leftOut;
  if (chars === 0 && points === 0) return [];
  const about = { model: answer.voice.label, verdictChars: chars, points };
  return [notice('panel_answer_shortened', about)];
}

function beginning(text: string, maxChars: number): { text: string; leftOut: number } {
  if (text.length <= maxChars) return { text, leftOut: 0 };
  const start = text.slice(0, maxChars);
  // Half a character is none.
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
