import type { ChatMessage } from '#core/llm/chat.ts';
import { estimateChat } from '#models/estimate-chat.ts';

/**
 * Messages that are kept or dropped together: one message, or tool calls with all of their results.
 */
export interface HistoryTurn {
  /** Message indexes; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

export interface PromptHistory {
  /** Newest first; the first is the question. */
  readonly turns: readonly HistoryTurn[];
  readonly tokens: number;
  /** Number of messages that are older than any context window holds. */
  readonly uncounted: number;
}

export interface RetainedHistory {
  /** Oldest first. */
  readonly turns: readonly HistoryTurn[];
  readonly tokens: number;
  /** Number of dropped messages. */
  readonly leftOut: number;
  /** Whether a message older than a dropped one is kept. */
  readonly isGapped: boolean;
}

const NOTHING_SAID = estimateChat([]);
/** The maximum size of a turn, which bounds the search for the call of a result. */
const MAX_TURN_MESSAGES = 1_024;
/** Other messages allowed between a call and its result. */
const MAX_BETWEEN = 16;

export function messageTokens(messages: readonly ChatMessage[]): number {
  return estimateChat(messages) - NOTHING_SAID;
}

/**
 * Splits messages into turns from the end, so that the cost does not depend on the length of the
 * conversation.
 */
export function splitHistory(
  messages: readonly ChatMessage[],
  first: number,
  maxTokens: number,
): PromptHistory {
  const turns: HistoryTurn[] = [];
  let tokens = 0;
  let to = messages.length;
  while (to > first && tokens < maxTokens) {
    const from = turnStart(messages, first, to);
    const turn = { from, to, tokens: messageTokens(messages.slice(from, to)) };
    turns.push(turn);
    tokens += turn.tokens;
    to = from;
  }
  return { turns, tokens, uncounted: to - first };
}

function turnStart(messages: readonly ChatMessage[], first: number, to: number): number {
  const last = to - 1;
  if (messages[last]?.role !== 'tool') return last;
  const wanted = new Set<string>();
  const lowest = Math.max(first, to - MAX_TURN_MESSAGES);
  let results = last;
  let between = 0;
  for (let at = last; at >= lowest && between <= MAX_BETWEEN; at--) {
    const message = messages[at];
    if (message?.role === 'tool') {
      wanted.add(message.toolCallId);
      if (between === 0) results = at;
      continue;
    }
    between += 1;
    for (const { id } of callsOf(message)) wanted.delete(id);
    if (wanted.size === 0) return at;
  }
  // A result without a call: the message right before the results is the best guess.
  const before = results - 1;
  return before >= first && callsOf(messages[before]).length > 0 ? before : results;
}

function callsOf(message: ChatMessage | undefined) {
  return message?.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

/**
 * Turns that are never dropped: the question, and the last user message if tool results follow it.
 */
export function pinnedTurns(
  messages: readonly ChatMessage[],
  { turns }: PromptHistory,
): readonly HistoryTurn[] {
  const [asked] = turns;
  if (!asked) return [];
  const said = turns.find((turn) => has(messages, turn, 'user'));
  return said && said !== asked ? [asked, said] : [asked];
}

/** Tokens of the previous question and its answer. */
export function lastExchangeTokens(
  messages: readonly ChatMessage[],
  { turns }: PromptHistory,
  pinned: readonly HistoryTurn[],
): number {
  let tokens = 0;
  for (const turn of turns) {
    if (pinned.includes(turn)) continue;
    tokens += turn.tokens;
    if (has(messages, turn, 'user')) break;
  }
  return tokens;
}

/** The newest turns that fit the room, and the pinned ones, which do not count against it. */
export function keepNewest(
  messages: readonly ChatMessage[],
  history: PromptHistory,
  pinned: readonly HistoryTurn[],
  roomTokens: number,
): RetainedHistory {
  const kept: HistoryTurn[] = [];
  let left = roomTokens;
  let isFull = false;
  let pinnedLeft = pinned.length;
  for (const turn of history.turns) {
    if (isFull && pinnedLeft === 0) break;
    if (pinned.includes(turn)) pinnedLeft -= 1;
    else {
      isFull ||= turn.tokens > left;
      if (isFull) continue;
      left -= turn.tokens;
    }
    kept.push(turn);
  }
  // An answer without its question says little, and some vendors refuse it as the first message.
  while (isFull || history.uncounted > 0) {
    const oldest = kept.at(-1);
    if (!oldest || pinned.includes(oldest) || beginsWell(messages[oldest.from])) break;
    kept.pop();
  }
  const turns = kept.toReversed();
  const messagesKept = turns.reduce((sum, { from, to }) => sum + to - from, 0);
  const first = messages.length - countOf(history);
  return {
    turns,
    tokens: turns.reduce((sum, turn) => sum + turn.tokens, 0),
    leftOut: messages.length - first - messagesKept,
    isGapped: turns.some(({ to }, index) => to !== (turns[index + 1]?.from ?? to)),
  };
}

function countOf({ turns, uncounted }: PromptHistory): number {
  const oldest = turns.at(-1);
  const newest = turns[0];
  return uncounted + (oldest && newest ? newest.to - oldest.from : 0);
}

function beginsWell(message: ChatMessage | undefined): boolean {
  return message?.role === 'user' || message?.role === 'system';
}

function has(
  messages: readonly ChatMessage[],
  { from, to }: HistoryTurn,
  role: ChatMessage['role'],
): boolean {
  for (let at = from; at < to; at++) if (messages[at]?.role === role) return true;
  return false;
}
