import { createHash } from 'node:crypto';
import { createBoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { Cancel } from '#core/http.ts';
import { advice } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/one-line.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { allEnded } from './all-ended.ts';
import { chunkText, cutChunks, type Chunk } from './chunks.ts';
import { cutAt, headWithin } from './cut-text.ts';
import { endsCall } from './ends-call.ts';
import type { SummaryWish } from './fitted.ts';
import { createLanes } from './lanes.ts';
import { createPace, estimatePaced, type Pause } from './paced.ts';
import { MAX_PARTS, MAX_SUMMARY_TOKENS, PART_TOKENS } from './summary-limits.ts';
import { PROMPT_VERSION, summaryPrompt, type SummaryPrompt } from './summary-prompt.ts';
import { keepEnds } from './verbatim.ts';

/** Puts a question to a model. Rejects with a CallError. */
export type SummaryAsk = (prompt: SummaryPrompt, maxTokens: number) => Promise<string>;

export interface SummaryAbout extends SummaryWish {
  /** For whom: nobody is given what was summarised for somebody else. */
  readonly owner?: string;
  /** Ends the wait for what somebody else is having made; what is asked here ends with `ask`. */
  readonly signal?: Cancel;
}

/** Makes long texts short: the parts first, then what came of them, until it is short enough. */
export interface Summaries {
  /** At most `maxTokens`; with much room both ends stay as they are. The same text is summarised once. Of one `ask`, three questions at most are open at once. */
  summarise(text: string, about: SummaryAbout, ask: SummaryAsk): Promise<string>;
  readonly cachedBytes: number;
}

export interface SummariesOptions {
  readonly maxCacheBytes?: number;
  readonly partTokens?: number;
  readonly maxParts?: number;
  /** Lets others run; called after every 64 KB or so of a text. */
  readonly pause?: Pause;
}

const CACHE_BYTES = 16 * 1024 * 1024;
/** Of a cached entry beside its texts, roughly. */
const ENTRY_BYTES = 128;
const BYTES_PER_UNIT = 2;
const ASKED_AT_ONCE = 3;
const MAX_DEPTH = 4;
/** A block of code may make a part so much larger, rather than be cut. */
const HARD_SHARE = 1.5;
/** Of what a part becomes. */
const MIN_PART_SUMMARY = 100;
const MAX_PART_SUMMARY = 2_560;
const MIN_MAX_TOKENS = 64;
/** Models do not count well: an answer may be longer than it was wished, and is cut only beyond this. */
const TOLERATED = 1.5;
const ANSWER_SLACK_TOKENS = 64;
const MAX_NAME_CHARS = 120;

interface Made {
  readonly text: string;
  /** Parts that no model summarised. */
  readonly quoted: number;
  readonly parts: number;
}

interface Job {
  readonly name: string;
  readonly owner: string;
  readonly ask: SummaryAsk;
  readonly maxTokens: number;
  /** Set when there is no sense in asking on. */
  stopped: CallError | undefined;
}

export function createSummaries(options: SummariesOptions): Summaries {
  const { partTokens = PART_TOKENS, maxParts = MAX_PARTS } = options;
  const { pause = () => Promise.resolve() } = options;
  const cache = createBoundedMap<string, string>({
    maxWeight: options.maxCacheBytes ?? CACHE_BYTES,
    weigh: (text, key) => ENTRY_BYTES + (key.length + text.length) * BYTES_PER_UNIT,
  });
  const flights = new Map<string, Promise<Made>>();
  const lanesOf = new WeakMap<SummaryAsk, ReturnType<typeof createLanes>>();

  function lanes(ask: SummaryAsk): ReturnType<typeof createLanes> {
    const known = lanesOf.get(ask) ?? createLanes(ASKED_AT_ONCE);
    lanesOf.set(ask, known);
    return known;
  }

  async function summarise(text: string, about: SummaryAbout, ask: SummaryAsk): Promise<string> {
    const maxTokens = Math.max(MIN_MAX_TOKENS, about.maxTokens);
    const tokens = await estimatePaced(text, pause);
    if (tokens <= maxTokens) return text;
    const kept = await keepEnds(text, tokens, maxTokens, pause);
    if (!kept) return shortForm(text, { ...about, maxTokens }, ask);
    const { before, middle, after, middleTokens, summaryTokens } = kept;
    const short = await shortForm(middle, { ...about, maxTokens: summaryTokens }, ask);
    const name = oneLine(about.name, MAX_NAME_CHARS);
    about.onNotice?.(notice('middle_summarised', { name, tokens: middleTokens }));
    return `${before}${short}${after}`;
  }

  async function shortForm(text: string, about: SummaryAbout, ask: SummaryAsk): Promise<string> {
    const { name, owner = '', onNotice, signal } = about;
    const maxTokens = roundDown(Math.min(MAX_SUMMARY_TOKENS, about.maxTokens));
    const key = keyOf('whole', owner, text, maxTokens);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const job: Job = { name, owner, ask, maxTokens, stopped: undefined };
    const flight = flights.get(key);
    const shared = flight && (await ride(flight, signal));
    const made = shared ?? (await fly(key, () => shorten(text, job, 1)));
    if (made.quoted > 0) {
      const { quoted, parts } = made;
      const shown = oneLine(name, MAX_NAME_CHARS);
      onNotice?.(notice('summary_incomplete', { name: shown, quoted, parts }));
    }
    return made.text;
  }

  async function fly(key: string, make: () => Promise<Made>): Promise<Made> {
    const flight = make();
    flights.set(key, flight);
    try {
      const made = await flight;
      // What was only quoted is tried again next time.
      if (made.quoted === 0) cache.set(key, made.text);
      return made;
    } finally {
      if (flights.get(key) === flight) flights.delete(key);
    }
  }

  async function shorten(text: string, job: Job, depth: number): Promise<Made> {
    const chunks = await partsOf(text, job);
    const share = Math.floor(job.maxTokens / chunks.length) - HEADING_TOKENS;
    const wished =
      chunks.length === 1
        ? Math.min(job.maxTokens, MAX_PART_SUMMARY)
        : Math.min(MAX_PART_SUMMARY, Math.max(MIN_PART_SUMMARY, share));
    const inLane = lanes(job.ask);
    const short = await allEnded(
      chunks.map((chunk, index) =>
        inLane(() => part(text, chunk, index + 1, chunks.length, roundDown(wished), job)),
      ),
    );
    const failures = short.filter((each) => each.is === 'quoted');
    const [failure] = failures;
    // Once the parts are known, a failure further up costs detail only.
    if (failure && depth === 1 && !short.some(({ is }) => is === 'summarised')) throw failure.error;
    const joined = short.length === 1 ? (short[0]?.text ?? '') : withHeadings(short, chunks);
    const made = { text: joined, quoted: failures.length, parts: short.length };
    if (estimateTokens(joined) <= job.maxTokens) return made;
    if (depth === MAX_DEPTH || short.length === 1) {
      return { ...made, text: headWithin(joined, job.maxTokens) };
    }
    const shorter = await shorten(joined, job, depth + 1);
    return made.quoted > 0 ? { ...made, text: shorter.text } : shorter;
  }

  async function partsOf(text: string, { name }: Job): Promise<readonly Chunk[]> {
    const pace = createPace(pause);
    const chunks: Chunk[] = [];
    const limits = { maxTokens: partTokens, hardMaxTokens: Math.floor(partTokens * HARD_SHARE) };
    for (const chunk of cutChunks(text, limits)) {
      if (chunks.length === maxParts) throw tooLongToSummarise(text, name, partTokens * maxParts);
      chunks.push(chunk);
      await pace(chunk.to - chunk.from);
    }
    return chunks;
  }

  async function part(
    whole: string,
    chunk: Chunk,
    number: number,
    count: number,
    maxTokens: number,
    job: Job,
  ): Promise<Short> {
    const text = chunkText(whole, chunk);
    // What is remembered comes without waiting for anybody.
    await pause();
    if (estimateTokens(text) <= maxTokens) return { is: 'verbatim', text: text.trim() };
    const key = keyOf('part', job.owner, text, maxTokens);
    const cached = cache.get(key);
    if (cached !== undefined) return { is: 'summarised', text: cached };
    try {
      if (job.stopped) throw job.stopped;
      const { name } = job;
      const prompt = summaryPrompt({ text, name, number, count, path: chunk.path, maxTokens });
      const most = Math.ceil(maxTokens * TOLERATED);
      const answer = await job.ask(prompt, most + ANSWER_SLACK_TOKENS);
      const short = headWithin(answer.trim(), most);
      if (short === '') throw new CallError('empty_response', 'The summary came out empty.');
      cache.set(key, short);
      return { is: 'summarised', text: short };
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (endsCall(error)) {
        job.stopped ??= error;
        throw thrown;
      }
      return { is: 'quoted', text: quote(text, maxTokens), error };
    }
  }

  return {
    summarise,
    get cachedBytes() {
      return cache.weight;
    },
  };
}

type Short =
  | { readonly is: 'summarised' | 'verbatim'; readonly text: string }
  | { readonly is: 'quoted'; readonly text: string; readonly error: CallError };

/** What somebody else is having made; nothing if that fails, which may be for reasons of theirs. */
function ride(flight: Promise<Made>, signal?: Cancel): Promise<Made | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(CallError.from(signal?.reason));
    if (signal?.aborted) return leave();
    signal?.addEventListener('abort', leave, { once: true });
    const land = (made?: Made) => {
      signal?.removeEventListener('abort', leave);
      resolve(made);
    };
    flight.then(land, () => land());
  });
}

/** Of the line above each part, roughly. */
const HEADING_TOKENS = 24;

/** Headings again, so that it is cut between the parts if it has to be made still shorter. */
function withHeadings(short: readonly Short[], chunks: readonly Chunk[]): string {
  return short
    .map(({ text }, index) => {
      const title = chunks[index]?.path.at(-1);
      const heading = `Part ${index + 1}${title === undefined ? '' : `: ${oneLine(title, 60)}`}`;
      return `## ${heading}\n\n${text}`;
    })
    .join('\n\n');
}

/** The beginning and the end, where there is no summary. */
function quote(text: string, maxTokens: number): string {
  const half = Math.max(1, Math.floor(maxTokens / 2) - HEADING_TOKENS);
  const headEnd = cutAt(text, 0, text.length, half);
  let tailStart = Math.max(headEnd, text.length - headEnd);
  while (tailStart < text.length && estimateTokens(text.slice(tailStart)) > half) {
    tailStart = text.length - Math.floor((text.length - tailStart) / 2);
  }
  const head = text.slice(0, headEnd).trim();
  const tail = text.slice(tailStart).toWellFormed().trim();
  return `[Not summarised; word for word, its beginning and its end:]\n${head}\n[…]\n${tail}`;
}

function keyOf(what: string, owner: string, text: string, maxTokens: number): string {
  return createHash('sha256')
    .update(`${PROMPT_VERSION}:${what}:${maxTokens}:${owner.length}:${owner}:`)
    .update(text)
    .digest('base64url');
}

/** Down to three binary digits, so that windows of about the same size share their summaries. */
function roundDown(tokens: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(tokens)) - 2);
  return Math.floor(tokens / step) * step;
}

function tooLongToSummarise(text: string, name: string, maxTokens: number): CallError {
  const why = reason('too_long_to_summarise', {
    name: oneLine(name, MAX_NAME_CHARS),
    tokens: estimateTokens(text),
    maxTokens,
  });
  const fixes = [advice('Give the part of it that matters.')];
  return codedError('context_length', why, { field: 'files', fixes });
}
