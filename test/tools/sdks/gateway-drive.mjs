// What the drivers of the gateway share beside drive.mjs: longer questions, and the emulator's word about what reached it.

import { fault } from './drive.mjs';

export const STORY =
  'The keeper lit the lamp, counted nine ships on the horizon, and wrote all their names in the book before midnight.';
export const STORY_ASK = `Say exactly: ${STORY}`;
export const LONG_ASK = 'Go. [[tokens 400]]';
/** Over 200,000 tokens, and within the limit for a body. */
export const tooLong = () => `${'one more word '.repeat(80_000)}Say exactly: never`;

/** What was thrown, with all that SDKs keep of an error's body. */
export function toldOf(error) {
  const body = error?.error ?? error?.data?.error ?? {};
  const inner = body.error ?? body;
  return {
    name: error?.name?.startsWith('AI_') ? error.name : (error?.constructor?.name ?? 'unknown'),
    status: error?.status ?? error?.statusCode ?? null,
    message: String(error?.message ?? error).slice(0, 500),
    code: error?.code ?? inner.code ?? null,
    type: error?.type ?? inner.type ?? null,
    body: inner,
    responseBody: error?.responseBody ?? null,
  };
}

/** What was thrown while it was done; a success is said to be one. */
export const failureOf = (work) => work().then((value) => ({ went: 'well', value }), toldOf);

/** Whether the emulator has seen the client of its newest request leave, within so many milliseconds. */
export async function sawLeaving({ emulator }, vendor, withinMs = 3_000) {
  const until = performance.now() + withinMs;
  let last;
  while (performance.now() < until) {
    last = await lastRequest({ emulator }, vendor);
    if (last?.left) return 'left';
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return `stayed, ${JSON.stringify(last).slice(0, 300)}`;
}

export async function lastRequest({ emulator }, vendor) {
  const answer = await fetch(`${emulator}/_requests?vendor=${vendor}&last=1`);
  const { requests } = await answer.json();
  return requests[0];
}

/** The header fields of ours. */
export function oursOf(headers) {
  const ours = [...headers].filter(([name]) => name.startsWith('x-exai-'));
  return Object.fromEntries(ours.map(([name, value]) => [name.slice('x-exai-'.length), value]));
}

/** Kimi breaks off in the middle of its next answer, and is down from then on. */
export async function kimiDies(server) {
  await fault(server, { vendor: 'kimi', id: 'F5.cut', after: 9 });
  await fault(server, { vendor: 'kimi', id: 'F4', times: 0 });
}

/**
 * The same steps, each in a world without faults of the one before. A vendor that failed many times in a row would be left alone;
 * `ask` has it answer in between.
 */
export function apart({ emulator }, ask, steps) {
  const names = Object.entries(steps).map(([name, step]) => [
    name,
    async () => {
      await fetch(`${emulator}/_faults`, { method: 'DELETE' });
      await ask('Say exactly: well', 'kimi-k2.6');
      return step();
    },
  ]);
  return Object.fromEntries(names);
}
