import type { ChatMessage } from '#core/llm/chat.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { splitHeadTail } from './cut-text.ts';
import {
  keepNewest,
  lastExchangeTokens,
  pinnedTurns,
  type RetainedHistory,
  type HistoryTurn,
} from './history.ts';
import type { MeasuredParts } from './measure.ts';
import { formatCount } from './prompt-room.ts';
import { MAX_SUMMARISED_TOKENS } from './head-tail.ts';

/** One text that is replaced by a summary. */
export interface Shrink {
  readonly what: 'file' | 'question' | 'result';
  /** Index of the file or message. */
  readonly index: number;
  /** Index of the content part, in a message of several. */
  readonly part?: number;
  readonly name: string;
  /** The summarised text: a whole file, or the middle of a message. */
  readonly text: string;
  readonly tokens: number;
  /**
   * Maximum size of the replacement: a summary, or with more room head and tail with a summary of
   * the middle.
   */
  readonly maxTokens: number;
  /** Text before and after the summary; empty for a file. */
  readonly before: string;
  readonly after: string;
  /** Tokens saved, before the summary itself is added. */
  readonly freedTokens: number;
}

export type FitPlan =
  | { readonly is: 'whole' }
  | {
      readonly is: 'cut';
      readonly pinned: readonly HistoryTurn[];
      readonly shrinks: readonly Shrink[];
      /** The turns kept if every summary has its maximum size. */
      readonly kept: RetainedHistory;
      readonly overTokens: number;
    }
  | { readonly is: 'impossible' };

/** A shorter text is not worth a model call. */
const WORTH_TOKENS = 400;
/** The size of a summary relative to its text, within bounds; spare room makes it longer. */
const SHORTER_BY = 8;
const MIN_SUMMARY_TOKENS = 100;
const ENOUGH_SUMMARY_TOKENS = 8_000;
/** Maximum number of summarised texts per request, as each takes several model calls. */
const MAX_SHRINKS = 32;
/** Characters kept unchanged at both ends of a message. */
const END_CHARS = 2_000;
/** Share of the room for the history before summaries get spare room. */
const HISTORY_SHARE = 0.25;

/** Plans what has to be dropped or summarised so that a request fits. Pure: calls no model. */
export function planFit(measured: MeasuredParts, roomTokens: number): FitPlan {
  const { request, history } = measured;
  if (measured.tokens <= roomTokens && history.uncounted === 0) return { is: 'whole' };
  const { messages } = request;
  const pinned = pinnedTurns(messages, history);
  const pinnedTokens = pinned.reduce((sum, turn) => sum + turn.tokens, 0);
  const baseTokens = measured.tokens - history.tokens + pinnedTokens;
  const overTokens = Math.max(0, measured.tokens - roomTokens);
  const cut = (shrinks: readonly Shrink[], tokens: number): FitPlan => ({
    is: 'cut',
    pinned,
    shrinks,
    kept: keepNewest(messages, history, pinned, roomTokens - tokens),
    overTokens,
  });
  if (baseTokens <= roomTokens) return cut([], baseTokens);

  const exchangeTokens = lastExchangeTokens(messages, history, pinned);
  const reserves = exchangeTokens <= roomTokens * HISTORY_SHARE ? [exchangeTokens, 0] : [0];
  const texts = [
    filesAndResults(measured, pinned, roomTokens),
    questions(measured, pinned, roomTokens),
  ];
  // The question is shortened last, after the previous exchange is dropped.
  for (const choice of [texts.slice(0, 1), texts]) {
    for (const reserve of reserves) {
      const chosen = chooseShrinks(choice, baseTokens - roomTokens + reserve);
      if (!chosen) continue;
      const free = roomTokens - baseTokens + savedTokens(chosen);
      const kept = keepNewest(
        messages,
        history,
        pinned,
        Math.min(free, roomTokens * HISTORY_SHARE),
      );
      const shrinks = lengthen(chosen, free - (kept.tokens - pinnedTokens));
      return cut(shrinks, baseTokens - savedTokens(shrinks));
    }
  }
  return { is: 'impossible' };
}

function savedTokens(shrinks: readonly Shrink[]): number {
  return shrinks.reduce((sum, { freedTokens, maxTokens }) => sum + freedTokens - maxTokens, 0);
}

/**
 * The longest texts, as many as needed; undefined if even the shortest summaries of all do not save
 * enough.
 */
function chooseShrinks(
  groups: readonly (readonly Shrink[])[],
  needTokens: number,
): readonly Shrink[] | undefined {
  const chosen: Shrink[] = [];
  let saved = 0;
  for (const shrink of groups.flat()) {
    if (saved >= needTokens || chosen.length === MAX_SHRINKS) break;
    chosen.push(shrink);
    saved += shrink.freedTokens - shrink.maxTokens;
  }
  if (saved >= needTokens) return chosen;
  const summaries = chosen.reduce((sum, { maxTokens }) => sum + maxTokens, 0);
  const share = (summaries - (needTokens - saved)) / summaries;
  const shorter = chosen.map((shrink) => ({
    ...shrink,
    maxTokens: Math.floor(shrink.maxTokens * share),
  }));
  const isEnough = shorter.every(({ maxTokens }) => maxTokens >= MIN_SUMMARY_TOKENS);
  return shorter.length > 0 && isEnough ? shorter : undefined;
}

/** Distributes spare room to the summaries in proportion to what they lack. */
function lengthen(shrinks: readonly Shrink[], freeTokens: number): readonly Shrink[] {
  const lacking = savedTokens(shrinks);
  if (freeTokens <= 0 || lacking <= 0) return shrinks;
  const share = Math.min(1, freeTokens / lacking);
  return shrinks.map((shrink) => {
    const lacks = shrink.freedTokens - shrink.maxTokens;
    return { ...shrink, maxTokens: shrink.maxTokens + Math.floor(Math.max(0, lacks) * share) };
  });
}

function filesAndResults(
  measured: MeasuredParts,
  pinned: readonly HistoryTurn[],
  roomTokens: number,
): readonly Shrink[] {
  const found: Shrink[] = [];
  for (const [index, { name, text, tokens }] of measured.files.list.entries()) {
    const whole = { before: '', after: '', freedTokens: tokens };
    addShrink(found, { what: 'file', index, name, text, tokens, ...whole }, roomTokens);
  }
  for (const [index, message] of pinnedMessages(measured, pinned)) {
    if (message.role !== 'tool') continue;
    const target = { what: 'result', index, name: message.name ?? 'a tool' } as const;
    addMiddle(found, target, message.content, roomTokens);
  }
  return found.toSorted((a, b) => b.tokens - a.tokens);
}

/** User messages are summarised only if they take more than half of the room. */
function questions(
  measured: MeasuredParts,
  pinned: readonly HistoryTurn[],
  roomTokens: number,
): readonly Shrink[] {
  const found: Shrink[] = [];
  const add = (text: string, place: Pick<Shrink, 'index' | 'part'>) => {
    if (estimateTokens(text) * 2 <= roomTokens) return;
    addMiddle(found, { what: 'question', name: 'the message', ...place }, text, roomTokens);
  };
  for (const [index, { role, content }] of pinnedMessages(measured, pinned)) {
    if (role !== 'user') continue;
    if (typeof content === 'string') add(content, { index });
    else {
      for (const [part, each] of content.entries()) {
        if (each.type === 'text') add(each.text, { index, part });
      }
    }
  }
  return found;
}

function* pinnedMessages(
  { request }: MeasuredParts,
  pinned: readonly HistoryTurn[],
): Generator<[number, ChatMessage]> {
  for (const { from, to } of pinned) {
    for (let at = from; at < to; at++) {
      const message = request.messages[at];
      if (message) yield [at, message];
    }
  }
}

function addMiddle(
  found: Shrink[],
  target: Pick<Shrink, 'what' | 'index' | 'part' | 'name'>,
  text: string,
  roomTokens: number,
): void {
  if (text.length <= END_CHARS * 2) return;
  const { headEnd, tailStart } = splitHeadTail(text, END_CHARS);
  const middle = text.slice(headEnd, tailStart);
  const tokens = estimateTokens(middle);
  const before = `${text.slice(0, headEnd)}\n\n[The next ${formatCount(tokens)} tokens are too long and are summarised here:]\n`;
  const after = `\n[The summary ends here; the rest is word for word.]\n\n${text.slice(tailStart)}`;
  const freedTokens = estimateTokens(text) - estimateTokens(before) - estimateTokens(after);
  addShrink(found, { ...target, text: middle, tokens, before, after, freedTokens }, roomTokens);
}

function addShrink(found: Shrink[], shrink: Omit<Shrink, 'maxTokens'>, roomTokens: number): void {
  const { tokens, freedTokens } = shrink;
  if (freedTokens < WORTH_TOKENS || tokens - roomTokens > MAX_SUMMARISED_TOKENS) return;
  const wanted = Math.ceil(tokens / SHORTER_BY);
  const maxTokens = Math.min(ENOUGH_SUMMARY_TOKENS, Math.max(MIN_SUMMARY_TOKENS, wanted));
  found.push({ ...shrink, maxTokens });
}
