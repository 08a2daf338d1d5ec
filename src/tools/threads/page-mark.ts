import { CallError } from '#core/call-error.ts';
import type { Conversation, ListedLast } from '#core/stores/conversations.ts';
import { momentMs } from '../reporting/moment.ts';

const MARK = /^(\d{1,15})\.(conv_[0-9a-z]{1,64})$/;

/** Where the next page of a list begins: two that changed at the same moment are told apart by their ids. */
export function pageMark({ updatedAt, id }: Conversation): string {
  return `${updatedAt}.${id}`;
}

/** What `before` of a list means: the mark of the page before, or a moment. */
export function listedBefore(
  before: string | number | undefined,
  nowMs: number,
): number | ListedLast | undefined {
  if (before === undefined) return undefined;
  if (typeof before === 'number') {
    throw new CallError('validation', '"before" is a number, which only turns have.', {
      field: 'before',
      fix: 'Give what "next" of the page before said, or a moment such as 2026-01-31 or 7d.',
    });
  }
  const [, updatedAt, id] = MARK.exec(before) ?? [];
  if (updatedAt !== undefined && id !== undefined) return { updatedAt: Number(updatedAt), id };
  return momentMs(before, nowMs, 'before');
}

/** What `before` of the turns means: the number of one. */
export function turnBefore(before: string | number | undefined): number | undefined {
  if (before === undefined || typeof before === 'number') return before;
  throw new CallError('validation', '"before" is not the number of a turn.', {
    field: 'before',
    fix: 'Give what "next" of the page before said.',
  });
}
