import type { ChatEvent, ChatRequest, FinishReason } from '#core/chat.ts';
import { fileText, toldIn, wholeAnswer, wordsOf } from './answer-text.ts';
import type { SeededRandom } from './random.ts';
import type { Served } from './vendor-book.ts';

/** What a vendor that is well says. */
export interface Saying {
  readonly events: readonly ChatEvent[];
  readonly text: string;
  readonly finish: FinishReason;
}

const MIN_PIECE_CHARS = 6;
/** Less could as well be what follows. */
const MIN_REPEATED_CHARS = 16;

export function sayingOf(request: ChatRequest, served: Served, random: SeededRandom): Saying {
  if (served.kind === 'aside') return asideOf(request, served.ask ?? '', random);
  const { tools = [], responseFormat, webSearch } = request;
  const [tool] = tools;
  if (tool && random.chance(0.5)) return callOf(tool.name);
  const whole = wholeAnswer(served.ask ?? '', responseFormat ? 'json' : 'text');
  const told = responseFormat ? '' : toldIn(request.messages, whole);
  const most = request.maxOutputTokens ?? Infinity;
  // A repetition that is cut short cannot be told from a continuation; and from a prefix vendors go on exactly.
  const isExact = most < Infinity || request.continuation === 'prefix';
  const rest = isExact ? whole.slice(told.length) : restOf(whole, told, random);
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
  };
}

/** How models go on with what was cut: exactly, with some of its end once more, or from the beginning. */
function restOf(whole: string, told: string, random: SeededRandom): string {
  if (told === '') return whole;
  const lot = random.next();
  const rest = whole.slice(told.length);
  if (lot < 0.4 && rest !== '') return rest;
  if (lot < 0.6) return whole;
  const again = told.slice(-random.between(Math.min(MIN_REPEATED_CHARS, told.length), 60));
  // What begins with a blank could as well be the blank that follows.
  return `${random.chance(0.3) ? '\n' : ''}${again.trimStart()}${rest}`;
}

/** Cuts fall anywhere, in the middle of words, too. */
function piecesOf(text: string, random: SeededRandom): string[] {
  const pieces: string[] = [];
  const most = Math.max(MIN_PIECE_CHARS, Math.ceil(text.length / random.between(1, 4)));
  for (let at = 0; at < text.length;) {
    const size = random.between(MIN_PIECE_CHARS, most);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function callOf(name: string): Saying {
  return {
    text: '{}',
    events: [
      { type: 'tool_call', index: 0, id: 'call_1', name, arguments: '{' },
      { type: 'tool_call', index: 0, arguments: '}' },
    ],
    finish: 'tool_calls',
  };
}

/** To what the daemon itself wants to know; not always of use. */
function asideOf({ responseFormat }: ChatRequest, ask: string, random: SeededRandom): Saying {
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
