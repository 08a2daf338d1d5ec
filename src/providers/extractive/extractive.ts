import { CallError } from '#core/errors/call-error.ts';
import { describePlace, placeBefore } from '#core/extract/document-text.ts';
import type { ChatEvent, ChatRequest } from '#core/llm/chat.ts';
import type { Provider, ProviderContext } from '#core/llm/provider.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import { lineNumberAt } from '#core/text/numbered-lines.ts';
import { oneLine } from '#core/text/text.ts';
import { sleep } from '#core/time/clock.ts';
import { remainingMs } from '#core/time/deadline.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { withProviderName } from '../openai-compatible/http.ts';
import { traceVendorRequest } from '../openai-compatible/request-telemetry.ts';
import { checkRequest } from '../openai-compatible/request/check-request.ts';
import type { ProviderDeps } from '../provider-deps.ts';
import { refuseForbidden } from '../refuse-forbidden.ts';
import { extract, forEachSlice, slicesOf, type Extract, type Looked } from './extract.ts';
import { EXTRACTIVE_MODEL } from './extractive-model.ts';
import { splitSentences } from './passages.ts';
import type { RankedPassage } from './rank.ts';
import { splitMaterial, type Source } from './sources.ts';
import { forEachWord } from './tokenize.ts';

export interface ExtractiveSettings {
  /**
   * Limit of all texts together, default 10 million. The rest is not searched, and the answer says
   * so.
   */
  readonly maxChars?: number;
}

const MAX_CHARS = 10_000_000;

/**
 * The extractive fallback, without network and model. It quotes the passages of the given texts
 * that fit the question, with their sources, and says that no model answered. The same input has
 * the same answer.
 */
export function createExtractive(
  { maxChars = MAX_CHARS }: ExtractiveSettings,
  { clock, forbids }: Pick<ProviderDeps, 'clock' | 'forbids'>,
): Provider {
  async function* chat(
    request: ChatRequest,
    context: ProviderContext,
  ): AsyncGenerator<ChatEvent, void, undefined> {
    const model = EXTRACTIVE_MODEL.id;
    const about = { operation: 'chat', model } as const;
    const watch = traceVendorRequest(about, context, {
      provider: 'extractive',
      clock,
      idHeaders: [],
    });
    const checkpoint = () => {
      context.signal.throwIfAborted();
      if (remainingMs(context.deadline, clock) > 0) return;
      throw new CallError('timeout', 'The deadline of this call has passed.');
    };
    try {
      checkpoint();
      refuseForbidden(EXTRACTIVE_MODEL, forbids);
      refuseWhatNeedsAModel(request);
      checkRequest({ ...request, tools: [], toolChoice: 'none' }, EXTRACTIVE_MODEL);
      yield { type: 'start', model };
      const material = splitMaterial(request.messages);
      const pause = async () => {
        await sleep(clock, 0, context.signal);
        checkpoint();
      };
      const found = await extract(material, maxChars, pause);
      const limit = Math.min(
        request.maxOutputTokens ?? EXTRACTIVE_MODEL.maxOutputTokens,
        EXTRACTIVE_MODEL.maxOutputTokens,
      );
      const { pieces, finish, quoted } = writeAnswer(found, limit);
      let input = estimateTokens(material.question);
      const { slices } = slicesOf(material.sources, maxChars);
      await forEachSlice(slices, pause, ({ source, from, to }) => {
        input += estimateTokens(source.text.slice(from, to));
      });
      watch.firstToken();
      const texts = request.delivery === 'whole' ? [pieces.join('')] : pieces;
      for (const text of texts) yield { type: 'text', text };
      if (quoted === 0) yield { type: 'notice', notice: notice('nothing_to_quote', {}) };
      const output = estimateTokens(pieces.join(''));
      const counts = { input, output, cached: 0, reasoning: 0, costMicroUsd: 0 };
      yield { type: 'usage', usage: { ...counts, estimated: true } };
      watch.end('ok');
      yield { type: 'finish', reason: finish };
    } catch (thrown) {
      const error = withProviderName(thrown, model, { provider: 'extractive' });
      watch.end(error.class);
      throw error;
    } finally {
      watch.end('cancelled');
    }
  }

  return {
    id: 'extractive',
    title: 'Local',
    capabilities: [],
    chat,
    check: () =>
      Promise.resolve('always there: quotes the texts it is given, without a model or a network'),
  };
}

/** Refuses tool calls, JSON, continuations and media, which quotations cannot replace. */
function refuseWhatNeedsAModel(request: ChatRequest): void {
  const { model, tools = [], responseFormat, continuation, messages } = request;
  if (model !== '' && model.toLowerCase() !== EXTRACTIVE_MODEL.id) {
    throw new CallError('not_found', `There is no local model "${oneLine(model, 80)}".`, {
      field: 'model',
      fix: `The only one is ${EXTRACTIVE_MODEL.id}.`,
    });
  }
  if (tools.length > 0 && request.toolChoice !== 'none') throw needsAModel('call tools');
  if (responseFormat) throw needsAModel('answer in JSON');
  if (continuation) throw needsAModel('continue an answer');
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    const seen = content.find(({ type }) => type === 'image' || type === 'video');
    if (seen) throw needsAModel(seen.type === 'image' ? 'look at pictures' : 'watch videos');
  }
}

function needsAModel(deed: string): CallError {
  return new CallError(
    'not_configured',
    `No model answers here, and without one EX-AI cannot ${deed}.`,
    {
      fixes: [
        fix('add_key', { provider: 'kimi' }),
        fix('add_key', { provider: 'glm' }),
        fix('run_doctor'),
      ],
    },
  );
}

/**
 * Always the first sentence, so that the quotation is not taken for a model's answer. Why no model
 * answered is not known here; the caller adds that as a notice.
 */
const NOTHING = 'No model answered this, and there is nothing to quote besides your question.';
const NO_MODEL = 'No model answered this; it only quotes what was given, word for word.';

interface ExtractiveAnswer {
  /** Paragraphs, in order. */
  readonly pieces: readonly string[];
  readonly finish: 'stop' | 'length';
  /** How many passages are quoted. */
  readonly quoted: number;
}

/** Writes the answer within the token limit; the first sentence is always included. */
function writeAnswer(extract: Extract, maxTokens: number): ExtractiveAnswer {
  if (extract.by === 'nothing') return { pieces: [NOTHING], finish: 'stop', quoted: 0 };
  const pieces = [NO_MODEL];
  const quotations = quotes(extract);
  const rest = [lead(extract), ...quotations, lookedAt(extract)];
  const quotedIn = (count: number) => Math.max(0, Math.min(count - 1, quotations.length));
  let tokens = estimateTokens(NO_MODEL);
  for (const [count, piece] of rest.entries()) {
    const text = `\n\n${piece}`;
    tokens += estimateTokens(text);
    if (tokens > maxTokens) return { pieces, finish: 'length', quoted: quotedIn(count) };
    pieces.push(text);
  }
  return { pieces, finish: 'stop', quoted: quotations.length };
}

function lead({ by, found }: Extract): string {
  const count = found.length === 1 ? 'passage' : `${found.length} passages`;
  const best = `${count} that ${found.length === 1 ? 'stands' : 'stand'} best`;
  switch (by) {
    case 'question':
      return `The ${count} of your texts that ${found.length === 1 ? 'matches' : 'match'} your question best:`;
    case 'summary':
      return `The ${best} for your texts as a whole:`;
    case 'no_match':
      return `None of the words of your question is in your texts. The ${best} for them as a whole:`;
    case 'nothing':
      return NOTHING;
  }
}

function quotes({ found, terms }: Extract): readonly string[] {
  return found.map((each, index) => {
    const quote = quoteOf(each, terms);
    return `[${index + 1}] “${quote.text}” — ${where(each.source, quote)}`;
  });
}

const MAX_PLACE_CHARS = 100;

/** `file report.pdf, page 3`, `file notes.txt, lines 12-14`. */
function where({ label, kind, text, numbered }: Source, { from, to }: Quote): string {
  const lines = numbered === undefined ? undefined : linesOf(numbered, from, to);
  if (lines !== undefined) return `${label}, ${lines}`;
  const place = kind === 'file' ? placeBefore(text, from) : undefined;
  const name = place && describePlace(place);
  return name === undefined ? label : `${label}, ${oneLine(name, MAX_PLACE_CHARS)}`;
}

function linesOf(numbered: string, from: number, to: number): string | undefined {
  const first = lineNumberAt(numbered, from);
  const last = lineNumberAt(numbered, to) ?? first;
  if (first === undefined || last === undefined) return undefined;
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

function lookedAt({ by, hits, looked }: Extract): string {
  const { chars, allChars } = looked;
  const seen = [some(looked.files, 'file'), some(looked.messages, 'message')].filter(Boolean);
  const matches =
    by === 'question' ? ` ${some(hits, 'passage')} contained a word of the question.` : '';
  const part =
    chars < allChars
      ? `, which is ${number(chars)} of ${number(allChars)} characters: the rest was not looked at`
      : `, ${some(chars, 'character')}, all of it`;
  return `Looked at: ${seen.join(' and ')}${part}.${matches}`;
}

function some(count: Looked['files'], what: string): string {
  return count === 0 ? '' : `${number(count)} ${what}${count === 1 ? '' : 's'}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}

const MAX_QUOTE_CHARS = 320;

/** What is quoted, and its first and last position in the text. */
interface Quote {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The sentences of a passage that match the question best, as many as fit. */
function quoteOf({ source, from, to }: RankedPassage, terms: readonly number[]): Quote {
  const sentences = splitSentences(source.text.slice(from, to));
  const wanted = new Set(terms);
  // Of sentences with the same number of matches, the longer one wins over titles.
  const counts = sentences.map(
    (sentence) =>
      countOf(sentence, wanted) * MAX_QUOTE_CHARS + Math.min(sentence.length, MAX_QUOTE_CHARS - 1),
  );
  let first = counts.indexOf(Math.max(...counts));
  let last = first;
  let length = sentences[first]?.length ?? 0;
  const fits = (index: number) =>
    index >= 0 &&
    index < sentences.length &&
    length + (sentences[index]?.length ?? 0) <= MAX_QUOTE_CHARS;
  // The following sentence is added first.
  for (;;) {
    if (fits(last + 1)) length += sentences[(last += 1)]?.length ?? 0;
    else if (fits(first - 1)) length += sentences[(first -= 1)]?.length ?? 0;
    else break;
  }
  const whole = sentences.slice(first, last + 1).join(' ');
  const text = oneLine(whole.replaceAll(/\s+/g, ' ').trim(), MAX_QUOTE_CHARS).toWellFormed();
  const begin = positionOf(sentences[first] ?? '', source.text, from, to);
  const end = last === first ? begin : positionOf(sentences[last] ?? '', source.text, begin, to);
  return { text, from: begin, to: end + Math.max(0, (sentences[last]?.length ?? 0) - 1) };
}

function positionOf(sentence: string, text: string, from: number, to: number): number {
  const at = text.slice(from, to).indexOf(sentence);
  return at === -1 ? from : from + at;
}

function countOf(sentence: string, wanted: ReadonlySet<number>): number {
  const found = new Set<number>();
  forEachWord(sentence, 0, sentence.length, (hash) => {
    if (wanted.has(hash)) found.add(hash);
  });
  return found.size;
}
