import type { ChatMessage } from '#core/chat.ts';
import { estimateChat } from '#models/estimate-chat.ts';

/** Messages that are kept or left out together: one, or a call of tools with all of its results. */
export interface Turn {
  /** Places in the request; `to` is the first that no longer belongs to it. */
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

export interface History {
  /** Newest first; the first is what is asked. */
  readonly turns: readonly Turn[];
  readonly tokens: number;
  /** Messages that are older than any window could hold. */
  readonly uncounted: number;
}

export interface Kept {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  readonly tokens: number;
  /** Messages. */
  readonly leftOut: number;
  /** Whether something older than what was left out is still there. */
  readonly isGapped: boolean;
}

const NOTHING_SAID = estimateChat([]);
/** A turn with more is taken apart, as nobody's is; it bounds the search for the call of a result. */
const MAX_TURN_MESSAGES = 1_024;
/** Messages of others that may stand between a call and its result. */
const MAX_BETWEEN = 16;

export function messageTokens(messages: readonly ChatMessage[]): number {
  return estimateChat(messages) - NOTHING_SAID;
}

/** Counts from the end, so that what an endless conversation costs does not depend on its length. */
export function readHistory(
  messages: readonly ChatMessage[],
  first: number,
  maxTokens: number,
): History {
  const turns: Turn[] = [];
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
  // Some result has no call: what stands right before the row of results is the best guess.
  const before = results - 1;
  return before >= first && callsOf(messages[before]).length > 0 ? before : results;
}

function callsOf(message: ChatMessage | undefined) {
  return message?.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

/** What is never left out: what is asked, and what the user last said, where tools have had the word since. */
export function pinnedTurns(messages: readonly ChatMessage[], { turns }: History): readonly Turn[] {
  const [asked] = turns;
  if (!asked) return [];
  const said = turns.find((turn) => has(messages, turn, 'user'));
  return said && said !== asked ? [asked, said] : [asked];
}

/** What the last question and its answer take, beside what is asked now. */
export function lastExchangeTokens(
  messages: readonly ChatMessage[],
  { turns }: History,
  pinned: readonly Turn[],
): number {
  let tokens = 0;
  for (const turn of turns) {
    if (pinned.includes(turn)) continue;
    tokens += turn.tokens;
    if (has(messages, turn, 'user')) break;
  }
  return tokens;
}

/** The newest turns within the room, beside the pinned ones, which are not counted against it. */
export function keepNewest(
  messages: readonly ChatMessage[],
  history: History,
  pinned: readonly Turn[],
  roomTokens: number,
): Kept {
  const kept: Turn[] = [];
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
  // An answer whose question is gone says little, and some vendors refuse to begin with it.
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

function countOf({ turns, uncounted }: History): number {
  const oldest = turns.at(-1);
  const newest = turns[0];
  return uncounted + (oldest && newest ? newest.to - oldest.from : 0);
}

function beginsWell(message: ChatMessage | undefined): boolean {
  return message?.role === 'user' || message?.role === 'system';
}

function has(
  messages: readonly ChatMessage[],
  { from, to }: Turn,
  role: ChatMessage['role'],
): boolean {
  for (let at = from; at < to; at++) if (messages[at]?.role === role) return true;
  return false;
}
