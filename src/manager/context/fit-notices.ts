import { notice, type Notice } from '#core/messages/notices.ts';
import type { Tense } from '#core/messages/routing-notices.ts';
import { oneLine } from '#core/one-line.ts';
import type { Shrink } from './fit-plan.ts';
import type { Kept } from './history.ts';
import type { MeasuredParts } from './measure.ts';
import type { Room } from './room.ts';

const MAX_NAME_CHARS = 120;
const MAX_NAMES = 5;

export function duplicateNames({ files }: MeasuredParts): readonly Notice[] {
  const { replaced } = files;
  if (replaced.length === 0) return [];
  const names = replaced.slice(0, MAX_NAMES).map((name) => oneLine(name, MAX_NAME_CHARS));
  return [notice('duplicate_file_names', { names, more: replaced.length - names.length })];
}

export function messagesLeftOut(
  { leftOut, isGapped }: Kept,
  overTokens: number,
  { model, contextTokens }: Room,
  tense: Tense,
): readonly Notice[] {
  if (leftOut === 0) return [];
  return [
    notice('messages_left_out', {
      messages: leftOut,
      which: isGapped ? 'earlier' : 'oldest',
      overTokens,
      window: model === undefined ? { tokens: contextTokens } : { model },
      tense,
    }),
  ];
}

export function textSummarised(shrink: Shrink, summaryTokens: number, tense: Tense): Notice {
  const { what, tokens } = shrink;
  const name = oneLine(shrink.name, MAX_NAME_CHARS);
  return notice('text_summarised', { what, name, tokens, summaryTokens, tense });
}
