import { createHash } from 'node:crypto';
import { CallError } from '#core/call-error.ts';
import type { ChatMessage } from '#core/chat.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { allEnded } from './all-ended.ts';
import { headWithin } from './cut-text.ts';
import { endsCall } from './ends-call.ts';
import { writeFiles, type ShownFile } from './files-block.ts';
import { planFit, type Shrink } from './fit-plan.ts';
import { leftOutNotes, replacedNotes, shrinkNote } from './fit-words.ts';
import type { Fitted, Summarise } from './fitted.ts';
import { keepNewest } from './history.ts';
import { createLanes } from './lanes.ts';
import type { MeasuredParts } from './measure.ts';
import { estimatedRoom, tooLong, type Room } from './room.ts';

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
 * notes. Throws `context_length` when it cannot be done.
 */
export async function fit(
  measured: MeasuredParts,
  room: Room,
  summarise?: Summarise,
): Promise<Fitted> {
  const roomTokens = estimatedRoom(room);
  const plan = planFit(measured, roomTokens);
  const notes = [...replacedNotes(measured)];
  const { messages } = measured.request;
  switch (plan.is) {
    case 'whole':
      return assemble(
        measured,
        messages.slice(measured.opening.length),
        measured.tokens,
        [],
        notes,
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
            shrinks.map((each) => inLanes(() => shrink(each, measured, room, summarise, notes))),
          )
        : [];
      const pinnedTokens = pinned.reduce((sum, turn) => sum + turn.tokens, 0);
      const saved = shrunk.reduce((sum, each) => sum + each.freedTokens - each.summaryTokens, 0);
      const base = measured.tokens - measured.history.tokens + pinnedTokens - saved;
      const kept = keepNewest(messages, measured.history, pinned, roomTokens - base);
      for (const each of shrunk) notes.push(shrinkNote(each, each.summaryTokens, 'done'));
      notes.push(...leftOutNotes(kept, overTokens, room, 'done'));
      const said = kept.turns.flatMap(({ from, to }) => saidBetween(messages, from, to, shrunk));
      return assemble(measured, said, base - pinnedTokens + kept.tokens, shrunk, notes);
    }
  }
}

/** The notes that would come of it, without asking anybody. */
export function describeFit(measured: MeasuredParts, room: Room): readonly string[] {
  const plan = planFit(measured, estimatedRoom(room));
  const notes = replacedNotes(measured);
  switch (plan.is) {
    case 'whole':
      return notes;
    case 'impossible':
      return [...notes, tooLong(measured.tokens, room).message];
    case 'cut':
      return [
        ...notes,
        ...plan.shrinks.map((each) => shrinkNote(each, each.maxTokens, 'foreseen')),
        ...leftOutNotes(plan.kept, plan.overTokens, room, 'foreseen'),
      ];
  }
}

const NO_SUMMARIES = { because: 'There is no model that could summarise the rest.' };

async function shrink(
  plan: Shrink,
  measured: MeasuredParts,
  room: Room,
  summarise: Summarise,
  notes: string[],
): Promise<Shrunk> {
  const { text, name, maxTokens } = plan;
  const onNote = (note: string) => void notes.push(note);
  let answer: string;
  try {
    answer = await summarise(text, { name, maxTokens, onNote });
  } catch (thrown) {
    const error = CallError.from(thrown);
    // What ends the whole call is not made a matter of length.
    if (endsCall(error)) throw thrown;
    const because = `It could not be summarised: ${error.message}`;
    throw tooLong(measured.tokens, room, { because, cause: thrown });
  }
  const whole = answer.trim();
  const wholeTokens = estimateTokens(whole);
  const summary = wholeTokens <= maxTokens ? whole : headWithin(whole, maxTokens);
  if (summary === '') {
    throw tooLong(measured.tokens, room, { because: `The summary of ${name} came out empty.` });
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
  notes: readonly string[],
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
  return { messages, tokens, notes, ...(cacheKey !== undefined && { cacheKey }) };
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
