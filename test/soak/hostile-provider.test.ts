import { expect } from 'vitest';
import { createHome } from '../e2e/exai.ts';
import { CHAT, post } from '../e2e/gateway-post.ts';
import { serveAnswers, type ServedAnswer } from '../e2e/hostile-server.ts';
import { readGauges } from '../fuzz-http/gauges.ts';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';

const MEGA = 1024 * 1024;
/**
 * Far above what it takes, and far below what any of these took before they were looked over:
 * seconds, and gigabytes.
 */
const MAX_SILENCE_MS = 2000;
const MAX_GROWTH_BYTES = 256 * MEGA;
const PIECE_CHARS = 65_536;

function* repeated(text: string, bytes: number): Generator<string> {
  const piece = text.repeat(Math.ceil(PIECE_CHARS / text.length));
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}

/** Made anew for each request. */
function large(
  type: 'application/json' | 'text/event-stream',
  make: () => Iterable<string>,
): ServedAnswer {
  return { type, pieces: { [Symbol.iterator]: () => make()[Symbol.iterator]() } };
}

const json = (make: () => Iterable<string>) => large('application/json', make);
const events = (delta: object, bytes: number) => {
  const data = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] });
  return large('text/event-stream', () => repeated(`data: ${data}\n\n`, bytes));
};

function* chain(...parts: readonly Iterable<string>[]): Generator<string> {
  for (const part of parts) yield* part;
}

const WORDS = 'some words and more '.repeat(3000);
const call = { index: 0, id: 'c', function: { name: 'f', arguments: WORDS } };

const ANSWERS: readonly (readonly [string, ServedAnswer])[] = [
  ['nest-10', json(() => chain(repeated('[', 5 * MEGA), repeated(']', 5 * MEGA)))],
  ['nest-60', json(() => chain(repeated('[', 30 * MEGA), repeated(']', 30 * MEGA)))],
  ['objects-62', json(() => chain(['['], repeated('{},', 62 * MEGA), ['{}]']))],
  ['numbers-20', json(() => chain(['['], repeated('1,', 20 * MEGA), ['1]']))],
  ['string-60', json(() => chain(['{"a":"'], repeated('x', 60 * MEGA), ['"}']))],
  ['blanks-60', json(() => repeated(' ', 60 * MEGA))],
  ['words-60', events({ content: 'word ' }, 60 * MEGA)],
  ['text-60', events({ content: WORDS }, 60 * MEGA)],
  ['thoughts-60', events({ reasoning_content: WORDS }, 60 * MEGA)],
  ['call-60', events({ tool_calls: [call] }, 60 * MEGA)],
  ['lines-60', large('text/event-stream', () => repeated('\n', 60 * MEGA))],
  ['event-60', large('text/event-stream', () => chain(['data: '], repeated('[', 60 * MEGA)))],
];

verifies(
  'security:answer-size',
  'answers of 60 MB, deep, wide or fast, hold up nobody and take little memory',
  async () => {
    const server = await serveAnswers(new Map(ANSWERS));
    const daemon = await createHome().serve([], { env: server.env });
    const wrong: string[] = [];
    const before = (await readGauges(daemon)).residentBytes;
    for (const [model] of ANSWERS) {
      for (const stream of [false, true]) {
        let isOver = false;
        let silenceMs = 0;
        const watch = async () => {
          while (!isOver) {
            const from = performance.now();
            await get(`${daemon.url}/healthz`);
            silenceMs = Math.max(silenceMs, performance.now() - from);
          }
        };
        const watching = watch();
        const messages = [{ role: 'user', content: 'Hi' }];
        const body = JSON.stringify({ model: `custom/${model}`, stream, messages });
        const { text } = await post(daemon.url + CHAT, { body });
        isOver = true;
        await watching;
        const grown = (await readGauges(daemon)).residentBytes - before;
        console.log(`${model}: ${Math.round(silenceMs)} ms, ${Math.round(grown / MEGA)} MiB`);
        const isSmall = silenceMs < MAX_SILENCE_MS && grown < MAX_GROWTH_BYTES;
        if (!text.includes('"error"') || !isSmall) wrong.push(model);
      }
    }
    expect(wrong).toEqual([]);
    const once = ['nest-10', 'nest-60', 'objects-62', 'numbers-20', 'string-60', 'event-60'];
    // One for each delivery, and none again.
    expect(once.map((model) => server.asked(model))).toEqual(once.map(() => 2));
  },
);
