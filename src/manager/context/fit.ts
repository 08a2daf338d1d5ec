import { createHash } from 'node:crypto';
import { CallError } from '#core/call-error.ts';
import type { ChatMessage } from '#core/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { allEnded } from './all-ended.ts';
import { headWithin } from './cut-text.ts';
import { endsCall } from './ends-call.ts';
import { writeFiles, type ShownFile } from './files-block.ts';
import { planFit, type Shrink } from './fit-plan.ts';
import { duplicateNames, messagesLeftOut, textSummarised } from './fit-notices.ts';
import type { Fitted, Summarise } from './fitted.ts';
import { keepNewest } from './history.ts';
import { createLanes } from './lanes.ts';
import type { MeasuredParts } from './measure.ts';
import { estimatedRoom, tooLong, tooLongReason, type Room } from './room.ts';

/** A shorter beginning is hardly worth a vendor's cache. */
const CACHED_FROM_TOKENS = 4_096;

const TEXTS_AT_ONCE = 3;

/** A text that became shorter. */
interface Shrunk extends Shrink {
  readonly summary: string;
  readonly summaryTokens: number;
}

/**
 * Puts a request together so that it fits: all of it, or without old turns, or with summaries in the place of long texts; told in
 * notices. Throws `context_length` when it cannot be done.
 */
export async function fit(
  measured: MeasuredParts,
  room: Room,
  summarise?: Summarise,
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
      if (shrinks.length > 0 && !summarise) throw tooLong(measured.tokens, room, NO_SUMMARIES);
      const inLanes = createLanes(TEXTS_AT_ONCE);
      const shrunk = summarise
        ? await allEnded(
            shrinks.map((each) => inLanes(() => shrink(each, measured, room, summarise, notices))),
          )
        : [];
      const pinnedTokens = pinned.reduce((sum, turn) => sum + turn.tokens, 0);
      const saved = shrunk.reduce((sum, each) => sum + each.freedTokens - each.summaryTokens, 0);
      const base = measured.tokens - measured.history.tokens + pinnedTokens - saved;
      const kept = keepNewest(messages, measured.history, pinned, roomTokens - base);
      for (const each of shrunk) notices.push(textSummarised(each, each.summaryTokens, 'done'));
      notices.push(...messagesLeftOut(kept, overTokens, room, 'done'));
      const said = kept.turns.flatMap(({ from, to }) => saidBetween(messages, from, to, shrunk));
      return assemble(measured, said, base - pinnedTokens + kept.tokens, shrunk, notices);
    }
  }
}

/** The request as it is sent where nothing has to be left out of it. */
export function wholePrompt(measured: MeasuredParts): readonly ChatMessage[] {
  const { messages } = measured.request;
  return assemble(measured, messages.slice(measured.opening.length), measured.tokens, [], [])
    .messages;
}

/** The notices that would come of it, without asking anybody. */
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
    // What ends the whole call is not made a matter of length.
    if (endsCall(error)) throw thrown;
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

function saidBetween(
  messages: readonly ChatMessage[],
  from: number,
  to: number,
  shrunk: readonly Shrunk[],
): readonly ChatMessage[] {
  const said = messages.slice(from, to);
  for (const each of shrunk) {
    const at = each.index - from;
    const message = said[at];
    if (each.what !== 'file' && message && at >= 0) said[at] = withSummary(message, each);
  }
  return said;
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

/** System first, then files, then what was said: what seldom changes comes first, for the vendors' caches. */
function assemble(
  measured: MeasuredParts,
  said: readonly ChatMessage[],
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
      ? writeFiles(shown, files.digest, [system, ...textsOf(opening), ...textsOf(said)])
      : undefined;
  const told = `${system.trim() === '' ? '' : system}${block?.instruction ?? ''}`;
  const first: ChatMessage[] = told === '' ? [] : [{ role: 'system', content: told.trimStart() }];
  const messages: ChatMessage[] = [...first, ...opening];
  if (block) messages.push({ role: 'user', content: block.text });
  for (const message of said) messages.push(message);
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

/** For the beginning that stays the same from one question to the next. */
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
  // The digest stands for the files, and is quicker to hash than they are.
  hash.update(files.digest);
  for (const { name, text } of summaries) hash.update(`${name.length}:${name}`).update(text);
  return `exai-${hash.digest('hex').slice(0, 32)}`;
}
