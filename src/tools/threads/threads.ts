import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Conversation, ListedLast, Turn } from '#core/stores/conversations.ts';
import type { Threads } from '#core/threads.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { parseTimestamp } from '../reporting/time-range.ts';
import {
  formatTurnCount,
  matchContent,
  MatchShape,
  renderMatch,
  renderThread,
  renderTurn,
  threadContent,
  ThreadShape,
  turnContent,
  TurnShape,
} from './content.ts';

const ACTIONS = ['list', 'show', 'search', 'fork', 'rename', 'delete'] as const;
const MAX_TURN = 1_000_000;
/** More than any model reads at once. */
const MAX_TURN_CHARS = 8_000_000;
/** Limit of all turns of a page together. */
const MAX_PAGE_CHARS = 4_000_000;

const input = z.strictObject({
  action: z.enum(ACTIONS),
  id: z.string().optional().describe('Of the conversation.'),
  query: z.string().optional().describe('search: words that a turn has.'),
  title: z.string().optional().describe('rename: the new one.'),
  turn: z.int().min(1).max(MAX_TURN).optional().describe('fork: the last to copy; all by default.'),
  limit: z.int().min(1).max(100).default(20),
  before: z
    .union([z.int().min(1).max(MAX_TURN), z.string().max(100)])
    .optional()
    .describe('list, show: what next said.'),
  max_chars: z
    .int()
    .min(100)
    .max(MAX_TURN_CHARS)
    .default(2000)
    .describe('show: characters of each turn.'),
});
type Input = z.output<typeof input>;

interface ActionContext {
  readonly threads: Threads;
  readonly principal: string;
  readonly args: Input;
  readonly nowMs: number;
}

/** Manages the caller's own conversations; those of others stay invisible. */
export function threads(deps: { readonly threads: Threads }): Tool {
  return defineTool({
    name: 'threads',
    title: 'Threads',
    description: 'Your conversations: list, show, search, fork, rename or delete them.',
    input,
    output: z.strictObject({
      threads: z.array(ThreadShape).optional(),
      thread: ThreadShape.optional(),
      turns: z.array(TurnShape).optional(),
      matches: z.array(MatchShape).optional(),
      deleted: z.string().optional(),
      next: z.union([z.string(), z.number()]).optional().describe('For `before`.'),
    }),
    // One of the actions deletes for good, and annotations cover the tool as a whole.
    effect: 'destroys',
    profile: 'standard',
    run: (args, { caller, metadata }) =>
      RUN[args.action]({
        threads: deps.threads,
        principal: caller.principal,
        args,
        nowMs: Date.parse(metadata.timestamp_utc),
      }),
  });
}

const RUN: Record<Input['action'], (asked: ActionContext) => Promise<ToolResult>> = {
  async list({ threads: own, principal, args: { limit, before }, nowMs }) {
    // One more than shown, to know whether there is a next page.
    const found = await own.list(principal, limit + 1, parseListCursor(before, nowMs));
    const last = found.length > limit ? found[limit - 1] : undefined;
    const rows = found.slice(0, limit).map(threadContent);
    const next = last && formatListCursor(last);
    return {
      text: lines(rows.map(renderThread), next) || none(before),
      content: { threads: rows, ...(next !== undefined && { next }) },
    };
  },

  async show({ threads: own, principal, args }) {
    const { limit, before, max_chars: maxChars } = args;
    const beforeSeq = parseTurnCursor(before);
    const id = needed(args, 'id');
    const { conversation, turns } = await own.show(principal, id, limit, beforeSeq);
    const fitting = newestWithin(turns, maxChars);
    const thread = threadContent(conversation);
    const shown = fitting.map((turn) => turnContent(turn, maxChars));
    const first = fitting[0]?.seq ?? 1;
    const next = first > 1 ? first : undefined;
    return {
      text: lines([renderThread(thread), ...shown.map(renderTurn)], next, '\n\n'),
      content: { thread, turns: shown, ...(next !== undefined && { next }) },
    };
  },

  async search({ threads: own, principal, args }) {
    const matches = (await own.search(principal, needed(args, 'query'), args.limit)).map(
      matchContent,
    );
    return {
      text: matches.map(renderMatch).join('\n') || 'No turn has all of these words.',
      content: { matches },
    };
  },

  async fork({ threads: own, principal, args }) {
    const thread = threadContent(await own.fork(principal, needed(args, 'id'), args.turn));
    const text = `Copied ${formatTurnCount(thread.turns)} to ${thread.id}; pass that as continuation_id to continue.`;
    return { text, content: { thread } };
  },

  async rename({ threads: own, principal, args }) {
    const id = needed(args, 'id');
    await own.rename(principal, id, needed(args, 'title'));
    const thread = threadContent((await own.show(principal, id, 1)).conversation);
    return { text: `${id} is called "${thread.title}" now.`, content: { thread } };
  },

  async delete({ threads: own, principal, args }) {
    const id = needed(args, 'id');
    await own.delete(principal, id);
    return { text: `${id} is deleted.`, content: { deleted: id } };
  },
};

function needed(args: Input, field: 'id' | 'query' | 'title'): string {
  const value = args[field];
  if (value !== undefined && value.trim() !== '') return value;
  const what = { arguments: [field], neededBy: args.action };
  throw codedError('validation', reason('missing_arguments', what), {
    field,
    fix: field === 'id' ? 'The action list tells the ids.' : `Give some words as "${field}".`,
  });
}

/** The last turns that fit into a page, always including the very last. */
function newestWithin(turns: readonly Turn[], maxChars: number): readonly Turn[] {
  let chars = 0;
  const cut = turns.findLastIndex(
    ({ content }) => (chars += Math.min(content.length, maxChars)) > MAX_PAGE_CHARS,
  );
  return turns.slice(Math.min(cut + 1, turns.length - 1));
}

function lines(rows: readonly string[], next: string | number | undefined, gap = '\n'): string {
  return [...rows, ...(next === undefined ? [] : [`More: before ${next}`])].join(gap);
}

function none(before: string | number | undefined): string {
  return before === undefined
    ? 'You have no conversations yet: every answer with a continuation_id begins one.'
    : 'There are no older ones.';
}

const MARK = /^(\d{1,15})\.(conv_[0-9a-z]{1,64})$/;

/** The cursor of the next page. Its id separates conversations that changed at the same moment. */
function formatListCursor({ listOrder, id }: Conversation): string {
  return `${listOrder}.${id}`;
}

/** Parses `before` of a list: a cursor or a timestamp. */
function parseListCursor(
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
  const [, listOrder, id] = MARK.exec(before) ?? [];
  if (listOrder !== undefined && id !== undefined) return { listOrder: Number(listOrder), id };
  return parseTimestamp(before, nowMs, 'before');
}

/** Parses `before` of turns: a turn number. */
function parseTurnCursor(before: string | number | undefined): number | undefined {
  if (before === undefined || typeof before === 'number') return before;
  throw new CallError('validation', '"before" is not the number of a turn.', {
    field: 'before',
    fix: 'Give what "next" of the page before said.',
  });
}
