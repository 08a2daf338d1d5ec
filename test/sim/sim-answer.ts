import type { ChatEvent, ChatRequest, FinishReason } from '#core/llm/chat.ts';
import { callArguments, fileText, emittedIn, wholeAnswer, wordsOf } from './answer-text.ts';
import type { SeededRandom } from './random.ts';
import type { Served } from './vendor-book.ts';

/** What a vendor that is well says. */
export interface SimAnswer {
  readonly events: readonly ChatEvent[];
  readonly text: string;
  readonly finish: FinishReason;
  /** All of it was told before: what is said now only repeats it. */
  readonly repeats?: true;
  /** It continues an answer, and nothing tells whether its first characters repeat the text. */
  readonly isAmbiguous?: true;
}

const MIN_PIECE_CHARS = 6;
/** Some begin with so little that nobody could tell it from chance when it comes again. */
const TINY_CHARS = 3;
const TINY_CHANCE = 0.2;
/** Whoever may say so much is never cut short. */
export const AMPLE_TOKENS = 1000;
/** Less could as well be what follows. */
const MIN_REPEATED_CHARS = 24;
/** One letter is no repetition with other marks. */
const MIN_ECHO_LETTERS = 2;
/** How often a vendor ignores that it is to go on from a prefix. */
const IGNORED_CHANCE = 0.4;
const PREAMBLES = ['Continuing from where I left off:\n\n', '继续上文：\n\n'];

export function simAnswerOf(request: ChatRequest, served: Served, random: SeededRandom): SimAnswer {
  if (served.kind === 'aside') return asideOf(request, served.ask ?? '', random);
  const { responseFormat, webSearch, maxOutputTokens = Infinity } = request;
  const whole = wholeAnswer(served.ask ?? '', responseFormat ? 'json' : 'text');
  const told = responseFormat ? '' : emittedIn(request.messages, whole);
  const tool = calledBy(request, random);
  if (tool !== undefined) return callsOf(tool, served, told === '' ? whole : '', random);
  const most = maxOutputTokens < AMPLE_TOKENS ? maxOutputTokens : Infinity;
  // A repetition that is cut short cannot be told from a continuation; and vendors that honour a
  // prefix go on from it exactly. Some take it and ignore it.
  const isHonoured = request.continuation === 'prefix' && !random.chance(IGNORED_CHANCE);
  const isExact = most < Infinity || isHonoured;
  const rest = isExact ? whole.slice(told.length) : restOf(whole, told, request, random);
  const words = wordsOf(rest);
  const said = words.length > most ? words.slice(0, most).join('') : rest;
  // There was no more to say: who goes on from a prefix says nothing, others the end once more.
  const isSaid = said !== '' || request.continuation === 'prefix';
  const text = isSaid ? said : told.slice(-MIN_REPEATED_CHARS);
  const citation = { title: 'A page', url: 'https://example.com/' };
  return {
    text,
    events: [
      ...(webSearch ? [{ type: 'citation', citation } as const] : []),
      ...piecesOf(text, random).map((piece) => ({ type: 'text', text: piece }) as const),
    ],
    finish: said === rest ? 'stop' : 'length',
    ...(told === whole && { repeats: true }),
    ...(isAmbiguous(told, text, whole.slice(told.length)) && { isAmbiguous: true }),
  };
}

/**
 * Whether a continuation begins with a few characters of the end of a text, or goes on within a word
 * after a preamble. A longer repetition that begins with the letters of the next word is ambiguous as
 * well: the first model may have been cut off after them, and they were held back.
 */
function isAmbiguous(told: string, text: string, rest: string): boolean {
  const preamble = PREAMBLES.find((each) => text.startsWith(each)) ?? '';
  const start = text.slice(preamble.length).trimStart();
  if (preamble !== '' && /\w$/.test(told) && /^\w/.test(start)) return true;
  const isLikeRest = start !== '' && start.charAt(0) === rest.trimStart().charAt(0);
  const most = isLikeRest ? told.length : MIN_REPEATED_CHARS;
  return (
    beginsWithEndOf(told, start, { least: 1, most }) ||
    beginsWithEndOf(lettersOf(told), lettersOf(start), { least: MIN_ECHO_LETTERS, most })
  );
}

function beginsWithEndOf(
  told: string,
  start: string,
  { least, most }: Record<'least' | 'most', number>,
): boolean {
  for (let chars = least; chars <= Math.min(most, told.length); chars++)
    if (start.startsWith(told.slice(-chars))) return true;
  return false;
}

/** Of a repetition with other marks, these stay: "1 t2" after "[g0-1] t" may repeat "1] t". */
const lettersOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * How models go on with what was cut: exactly, after a word about it or a line break, with some of its
 * end once more, or from the beginning.
 */
function restOf(
  whole: string,
  told: string,
  { continuation }: Pick<ChatRequest, 'continuation'>,
  random: SeededRandom,
): string {
  if (told === '') return whole;
  const lot = random.next();
  const rest = whole.slice(told.length);
  if (lot < 0.3 && rest !== '') return rest;
  if (lot < 0.4 && rest !== '') return random.pick(PREAMBLES) + rest;
  // Between two words only: within one, nobody could tell it from a new line.
  if (lot < 0.5 && /^ \w/.test(rest) && /\w \S*\w$/.test(told)) return `\n${rest}`;
  // Who ignores a prefix does not know where it ends.
  if (lot < 0.7 || continuation === 'prefix') return whole;
  const again = told.slice(-random.between(1, 60));
  // What begins with a blank could as well be the blank that follows.
  return `${random.chance(0.3) ? '\n' : ''}${again.trimStart()}${rest}`;
}

/** Cuts fall anywhere, in the middle of words, too. */
function piecesOf(text: string, random: SeededRandom): string[] {
  const pieces: string[] = [];
  const most = Math.max(MIN_PIECE_CHARS, Math.ceil(text.length / random.between(1, 4)));
  for (let at = 0; at < text.length;) {
    const isTiny = at < MIN_PIECE_CHARS && random.chance(TINY_CHANCE);
    const size = isTiny ? random.between(1, TINY_CHARS) : random.between(MIN_PIECE_CHARS, most);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

/** The tool that is called this time; none where it is answered in words. */
function calledBy({ tools = [], toolChoice }: ChatRequest, random: SeededRandom) {
  const [tool] = tools;
  if (!tool || toolChoice === 'none') return undefined;
  const isForced = toolChoice !== undefined && toolChoice !== 'auto';
  return isForced || random.chance(0.5) ? tool.name : undefined;
}

type CallEvent = ChatEvent & { readonly type: 'tool_call' };

/** One call or two, told in turns; some say a word before. */
function callsOf(name: string, served: Served, whole: string, random: SeededRandom): SimAnswer {
  const count = random.chance(0.3) ? 2 : 1;
  const lines = Array.from({ length: count }, (_, index) => callOf(name, index, served, random));
  const events: ChatEvent[] = [];
  if (whole !== '' && random.chance(0.3)) {
    const text = whole.slice(0, random.between(1, whole.length - 1));
    events.push(...piecesOf(text, random).map((piece) => ({ type: 'text', text: piece }) as const));
  }
  // The first of each in the order of their indexes, as vendors tell them.
  let begun = 0;
  while (lines.some((line) => line.length > 0)) {
    const line = random.chance(0.7) && begun > 0 ? lines[random.between(0, begun - 1)] : undefined;
    const next = (line ?? lines[begun])?.shift() ?? lines.find(({ length }) => length > 0)?.shift();
    if (next && next.index === begun) begun += 1;
    if (next) events.push(next);
  }
  return { text: '{}', events, finish: 'tool_calls' };
}

function callOf(name: string, index: number, served: Served, random: SeededRandom): CallEvent[] {
  const id = `call_${served.provider}_${served.number}_${index}`;
  const pieces = piecesOf(callArguments(id, served.ask ?? ''), random);
  // Often the name comes before any of its arguments.
  if (random.chance(0.5)) pieces.unshift('');
  return pieces.map((piece, at) => ({
    type: 'tool_call',
    index,
    ...(at === 0 && { id, name }),
    arguments: piece,
  }));
}

/** To what the daemon itself wants to know; not always of use. */
function asideOf({ responseFormat }: ChatRequest, ask: string, random: SeededRandom): SimAnswer {
  const intent = {
    class: random.pick(['chat', 'web', 'code', 'vision', 'nonsense']),
    confidence: random.pick([0.2, 0.7, 0.95, 7]),
    because: 'it looks like it',
  };
  const useful = responseFormat
    ? JSON.stringify(intent)
    : fileText(ask, 'In short, much was said.');
  const text = random.chance(0.8) ? useful : 'I would rather not say.';
  return { text, events: [{ type: 'text', text }], finish: 'stop' };
}
