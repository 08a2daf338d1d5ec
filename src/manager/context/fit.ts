import { createHash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Tense } from '#core/messages/routing-notices.ts';
import { oneLine } from '#core/text/text.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { allSettledOrThrow, createConcurrencyLimit } from './yield-to-event-loop.ts';
import { headWithin } from './cut-text.ts';
import { writeFiles, type ShownFile } from './files-block.ts';
import { planFit, type Shrink } from './fit-plan.ts';
import { keepNewest, type RetainedHistory } from './history.ts';
import type { MeasuredParts } from './measure.ts';
import { estimatedRoom, tooLong, tooLongReason, type Room } from './prompt-room.ts';

/** A request with its token counts, measured once however often it is fitted. */
export interface MeasuredRequest {
  readonly request: AskRequest;
  /** Total tokens; a long conversation is counted only up to what any context window holds. */
  readonly tokens: number;
  readonly fileTokens: number;
}

/** A prompt that fits: system prompt, files in fixed order, conversation and question. */
export interface Fitted {
  readonly messages: readonly ChatMessage[];
  /** Estimated tokens, without calibration. */
  readonly tokens: number;
  /** Equal for requests with the same prefix. */
  readonly cacheKey?: string;
  /** What was summarised or dropped. */
  readonly notices: readonly Notice[];
}

export interface SummaryOptions {
  readonly name: string;
  readonly maxTokens: number;
  /** Receives notices for the caller, such as parts that could only be quoted. */
  readonly onNotice?: (notice: Notice) => void;
}

/** Summarises a text to about `maxTokens`. Rejects when that is not possible in time. */
export type Summarise = (text: string, options: SummaryOptions) => Promise<string>;

/** The minimum size of a prefix for a vendor's prompt cache. */
const CACHED_FROM_TOKENS = 4_096;

const TEXTS_AT_ONCE = 3;

/** A summarised text. */
interface Shrunk extends Shrink {
  readonly summary: string;
  readonly summaryTokens: number;
}

/**
 * Assembles a request that fits the room: whole, without old turns, or with summaries instead of
 * long texts, which notices report. Throws `context_length` when that is not possible.
 */
export async function fit(
  measured: MeasuredParts,
  room: Room,
  /** Called only if something has to be summarised, which is rare. */
  createSummarise?: () => Summarise | undefined,
): Promise<Fitted> {
  const roomTokens = estimatedRoom(room);
  const plan = planFit(measured, roomTokens);
  const notices = [...duplicateNames(measured)];
  const { messages } = measured.request;
  switch (plan.is) {
    case 'whole':
      return assemble(
        measured,
        messages.slice(measured.opening.length),
        measured.tokens,
        [],
        notices,
      );
    case 'impossible':
      throw tooLong(measured.tokens, room);
    case 'cut': {
      if (measured.request.context === 'whole') throw tooLong(measured.tokens, room);
      const { pinned, shrinks, overTokens } = plan;
      const summarise = shrinks.length > 0 ? createSummarise?.() : undefined;
      if (shrinks.length > 0 && !summarise) throw tooLong(measured.tokens, room, NO_SUMMARIES);
      const limited = createConcurrencyLimit(TEXTS_AT_ONCE);
      const shrunk = summarise
        ? await allSettledOrThrow(
            shrinks.map((each) => limited(() => shrink(each, measured, room, summarise, notices))),
          )
        : [];
      const pinnedTokens = pinned.reduce((sum, turn) => sum + turn.tokens, 0);
      const saved = shrunk.reduce((sum, each) => sum + each.freedTokens - each.summaryTokens, 0);
      const base = measured.tokens - measured.history.tokens + pinnedTokens - saved;
      const kept = keepNewest(messages, measured.history, pinned, roomTokens - base);
      for (const each of shrunk) notices.push(textSummarised(each, each.summaryTokens, 'done'));
      notices.push(...messagesLeftOut(kept, overTokens, room, 'done'));
      const conversation = kept.turns.flatMap(({ from, to }) =>
        messagesBetween(messages, from, to, shrunk),
      );
      return assemble(measured, conversation, base - pinnedTokens + kept.tokens, shrunk, notices);
    }
  }
}

/** The complete prompt, with nothing dropped. */
export function wholePrompt(measured: MeasuredParts): readonly ChatMessage[] {
  const { messages } = measured.request;
  return assemble(measured, messages.slice(measured.opening.length), measured.tokens, [], [])
    .messages;
}

/** The notices that `fit` would give, without calling a model. */
export function describeFit(measured: MeasuredParts, room: Room): readonly Notice[] {
  const plan = planFit(measured, estimatedRoom(room));
  const notices = duplicateNames(measured);
  switch (plan.is) {
    case 'whole':
      return notices;
    case 'impossible':
      return [
        ...notices,
        notice('prompt_does_not_fit', { reason: tooLongReason(measured.tokens, room) }),
      ];
    case 'cut':
      return [
        ...notices,
        ...plan.shrinks.map((each) => textSummarised(each, each.maxTokens, 'foreseen')),
        ...messagesLeftOut(plan.kept, plan.overTokens, room, 'foreseen'),
      ];
  }
}

const NO_SUMMARIES = { reason: reason('no_summary_model') };

async function shrink(
  plan: Shrink,
  measured: MeasuredParts,
  room: Room,
  summarise: Summarise,
  notices: Notice[],
): Promise<Shrunk> {
  const { text, name, maxTokens } = plan;
  const onNotice = (each: Notice) => void notices.push(each);
  let answer: string;
  try {
    answer = await summarise(text, { name, maxTokens, onNotice });
  } catch (thrown) {
    const error = CallError.from(thrown);
    // A fatal error is not turned into `context_length`.
    if (isFatal(error)) throw thrown;
    const why = reason('not_summarised', { message: error.message });
    throw tooLong(measured.tokens, room, { reason: why, cause: thrown });
  }
  const whole = answer.trim();
  const wholeTokens = estimateTokens(whole);
  const summary = wholeTokens <= maxTokens ? whole : headWithin(whole, maxTokens);
  if (summary === '') {
    throw tooLong(measured.tokens, room, { reason: reason('summary_empty', { name }) });
  }
  const summaryTokens = summary === whole ? wholeTokens : estimateTokens(summary);
  return { ...plan, summary, summaryTokens };
}

function messagesBetween(
  messages: readonly ChatMessage[],
  from: number,
  to: number,
  shrunk: readonly Shrunk[],
): readonly ChatMessage[] {
  const conversation = messages.slice(from, to);
  for (const each of shrunk) {
    const at = each.index - from;
    const message = conversation[at];
    if (each.what !== 'file' && message && at >= 0) conversation[at] = withSummary(message, each);
  }
  return conversation;
}

function withSummary(message: ChatMessage, { part, before, after, summary }: Shrunk): ChatMessage {
  const text = `${before}${summary}${after}`;
  if (message.role === 'tool') return { ...message, content: text };
  if (message.role !== 'user') return message;
  if (typeof message.content === 'string') return { ...message, content: text };
  const content = message.content.map((each, index) =>
    index === part ? { type: 'text' as const, text } : each,
  );
  return { ...message, content };
}

/**
 * System prompt first, then files, then the conversation: stable parts come first for the vendors'
 * prompt caches.
 */
function assemble(
  measured: MeasuredParts,
  conversation: readonly ChatMessage[],
  tokens: number,
  shrunk: readonly Shrunk[],
  notices: readonly Notice[],
): Fitted {
  const { request, files, opening } = measured;
  const { system = '' } = request;
  const shown = files.list.map(({ name, text }, index): ShownFile => {
    const shorter = shrunk.find((each) => each.what === 'file' && each.index === index);
    return shorter ? { name, text: shorter.summary, as: 'summary' } : { name, text, as: 'text' };
  });
  const block =
    shown.length > 0
      ? writeFiles(shown, files.digest, [system, ...textsOf(opening), ...textsOf(conversation)])
      : undefined;
  const systemText = `${system.trim() === '' ? '' : system}${block?.instruction ?? ''}`;
  const first: ChatMessage[] =
    systemText === '' ? [] : [{ role: 'system', content: systemText.trimStart() }];
  const messages: ChatMessage[] = [...first, ...opening];
  if (block) messages.push({ role: 'user', content: block.text });
  for (const message of conversation) messages.push(message);
  const cacheKey = cacheKeyOf(measured, first, shown, shrunk);
  return { messages, tokens, notices, ...(cacheKey !== undefined && { cacheKey }) };
}

function textsOf(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
}

/** The cache key of the prefix that stays the same across questions. */
function cacheKeyOf(
  { systemTokens, openingTokens, files, opening }: MeasuredParts,
  first: readonly ChatMessage[],
  shown: readonly ShownFile[],
  shrunk: readonly Shrunk[],
): string | undefined {
  const summaries = shown.filter(({ as }) => as === 'summary');
  const whole = files.list.filter((_, index) => shown[index]?.as === 'text');
  const fileTokens =
    whole.reduce((sum, file) => sum + file.tokens + file.frameTokens, 0) +
    shrunk.reduce((sum, each) => sum + (each.what === 'file' ? each.summaryTokens : 0), 0);
  if (systemTokens + openingTokens + fileTokens < CACHED_FROM_TOKENS) return undefined;
  const hash = createHash('sha256');
  for (const { content } of [...first, ...opening]) {
    const text = typeof content === 'string' ? content : '';
    hash.update(`${text.length}:`).update(text);
  }
  // The digest of the files is quicker to hash than the files.
  hash.update(files.digest);
  for (const { name, text } of summaries) hash.update(`${name.length}:${name}`).update(text);
  return `exai-${hash.digest('hex').slice(0, 32)}`;
}

const MAX_NAME_CHARS = 120;
const MAX_NAMES = 5;

function duplicateNames({ files }: MeasuredParts): readonly Notice[] {
  const { replaced } = files;
  if (replaced.length === 0) return [];
  const names = replaced.slice(0, MAX_NAMES).map((name) => oneLine(name, MAX_NAME_CHARS));
  return [notice('duplicate_file_names', { names, more: replaced.length - names.length })];
}

function messagesLeftOut(
  { leftOut, isGapped }: RetainedHistory,
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

function textSummarised(shrink: Shrink, summaryTokens: number, tense: Tense): Notice {
  const { what, tokens } = shrink;
  const name = oneLine(shrink.name, MAX_NAME_CHARS);
  return notice('text_summarised', { what, name, tokens, summaryTokens, tense });
}

const FINAL: ReadonlySet<string> = new Set(['cancelled', 'budget', 'internal']);

/** Whether an error ends the whole ask: it was cancelled, the budget is used up, or it is a bug. */
export function isFatal(error: CallError): boolean {
  return FINAL.has(error.class);
}
