import type { ChatMessage } from '#core/chat.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { endsOf } from './cut-text.ts';
import { keepNewest, lastExchangeTokens, pinnedTurns, type Kept, type Turn } from './history.ts';
import type { MeasuredParts } from './measure.ts';
import { inWords } from './room.ts';
import { MAX_SUMMARISED_TOKENS } from './summary-limits.ts';

/** One text that a summary takes the place of. */
export interface Shrink {
  readonly what: 'file' | 'question' | 'result';
  /** The place of the file or of the message. */
  readonly index: number;
  /** Of a message of several parts. */
  readonly part?: number;
  readonly name: string;
  /** What is summarised: all of a file, the middle of a message. */
  readonly text: string;
  readonly tokens: number;
  /** Of what takes its place: a summary, or with more room parts of the text and a summary of the rest. */
  readonly maxTokens: number;
  /** What stays before and after the summary; nothing for a file, whose frame says what it is. */
  readonly before: string;
  readonly after: string;
  /** What goes, less all that comes but the summary. */
  readonly freedTokens: number;
}

export type FitPlan =
  | { readonly is: 'whole' }
  | {
      readonly is: 'cut';
      readonly pinned: readonly Turn[];
      readonly shrinks: readonly Shrink[];
      /** What is kept if every summary is as long as it may be. */
      readonly kept: Kept;
      readonly overTokens: number;
    }
  | { readonly is: 'impossible' };

/** A shorter text is not worth a question to a model. */
const WORTH_TOKENS = 400;
/** Of a summary, so that it says enough: by the length of its text, within bounds. What room is left makes it longer. */
const SHORTER_BY = 8;
const MIN_SUMMARY_TOKENS = 100;
const ENOUGH_SUMMARY_TOKENS = 8_000;
/** Texts for one request: each is several questions to a model. */
const MAX_SHRINKS = 32;
/** Kept word for word at both ends of what is asked. */
const END_CHARS = 2_000;
/** Of the room: what was said before has so much of it before texts become longer than they need to be. */
const HISTORY_SHARE = 0.25;

/** What has to be left out or summarised so that a request fits. Pure: nobody is asked. */
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
  // What is asked is touched last of all: before it, the last exchange is given up.
  for (const choice of [texts.slice(0, 1), texts]) {
    for (const reserve of reserves) {
      const chosen = chooseShrinks(choice, baseTokens - roomTokens + reserve);
      if (!chosen) continue;
      const free = roomTokens - baseTokens + savedTokens(chosen);
      const said = keepNewest(
        messages,
        history,
        pinned,
        Math.min(free, roomTokens * HISTORY_SHARE),
      );
      const shrinks = lengthen(chosen, free - (said.tokens - pinnedTokens));
      return cut(shrinks, baseTokens - savedTokens(shrinks));
    }
  }
  return { is: 'impossible' };
}

function savedTokens(shrinks: readonly Shrink[]): number {
  return shrinks.reduce((sum, { freedTokens, maxTokens }) => sum + freedTokens - maxTokens, 0);
}

/** The longest texts, as many as it takes; nothing if even all of them as short as can be do not save enough. */
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

/** Gives the room that is left to the texts, each by what it lacks. */
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
  pinned: readonly Turn[],
  roomTokens: number,
): readonly Shrink[] {
  const found: Shrink[] = [];
  for (const [index, { name, text, tokens }] of measured.files.list.entries()) {
    const whole = { before: '', after: '', freedTokens: tokens };
    addShrink(found, { what: 'file', index, name, text, tokens, ...whole }, roomTokens);
  }
  for (const [index, message] of pinnedMessages(measured, pinned)) {
    if (message.role !== 'tool') continue;
    const about = { what: 'result', index, name: message.name ?? 'a tool' } as const;
    addMiddle(found, about, message.content, roomTokens);
  }
  return found.toSorted((a, b) => b.tokens - a.tokens);
}

/** What the user says is summarised only where it takes more than half of the room. */
function questions(
  measured: MeasuredParts,
  pinned: readonly Turn[],
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
  pinned: readonly Turn[],
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
  about: Pick<Shrink, 'what' | 'index' | 'part' | 'name'>,
  text: string,
  roomTokens: number,
): void {
  if (text.length <= END_CHARS * 2) return;
  const { headEnd, tailStart } = endsOf(text, END_CHARS);
  const middle = text.slice(headEnd, tailStart);
  const tokens = estimateTokens(middle);
  const before = `${text.slice(0, headEnd)}\n\n[The next ${inWords(tokens)} tokens are too long and are summarised here:]\n`;
  const after = `\n[The summary ends here; the rest is word for word.]\n\n${text.slice(tailStart)}`;
  const freedTokens = estimateTokens(text) - estimateTokens(before) - estimateTokens(after);
  addShrink(found, { ...about, text: middle, tokens, before, after, freedTokens }, roomTokens);
}

function addShrink(found: Shrink[], shrink: Omit<Shrink, 'maxTokens'>, roomTokens: number): void {
  const { tokens, freedTokens } = shrink;
  if (freedTokens < WORTH_TOKENS || tokens - roomTokens > MAX_SUMMARISED_TOKENS) return;
  const wanted = Math.ceil(tokens / SHORTER_BY);
  const maxTokens = Math.min(ENOUGH_SUMMARY_TOKENS, Math.max(MIN_SUMMARY_TOKENS, wanted));
  found.push({ ...shrink, maxTokens });
}
