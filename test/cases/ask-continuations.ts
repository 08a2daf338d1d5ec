import { computeAnswer, readQuestion } from '../../emulator/answer.ts';
import { isObject, type Dictionary } from '../../emulator/is-object.ts';
import type { Ask, Vendor } from '../../emulator/vendor.ts';

/**
 * How an emulated model goes on with an answer that was cut: from the very last character, as it is
 * told to, or as real ones often do, with the last words once more or all of it anew.
 */
export type ContinuationStyle = 'exactly' | 'repeating' | 'anew';

const REPEATED_CHARS = 30;

/**
 * Vendors that go on with what was asked before the cut, and do not answer the words that ask them
 * to go on; so that what its reader has in the end can be compared with the whole. Kimi's own way,
 * a prefix, needs none of this.
 */
export function withContinuations(
  vendors: readonly Vendor[],
  manner: () => ContinuationStyle,
): readonly Vendor[] {
  return vendors.map((vendor) => ({
    ...vendor,
    handle: (ask, reply) => vendor.handle(withRest(ask, manner), reply),
  }));
}

function withRest(ask: Ask, manner: () => ContinuationStyle): Ask {
  const { json } = ask;
  const said = isObject(json) ? json['messages'] : undefined;
  if (!isObject(json) || !Array.isArray(said)) return ask;
  const messages = said as readonly Dictionary[];
  const [told, order] = messages.slice(-2);
  const before = told?.['role'] === 'assistant' ? told['content'] : undefined;
  if (typeof before !== 'string' || before === '' || order?.['role'] !== 'user') return ask;
  const asked = readQuestion({ ...json, messages: messages.slice(0, -2) });
  const whole = computeAnswer(asked).text;
  if (!whole.startsWith(before)) return ask;
  const content = `[[think 2]] Say exactly: """${restOf(whole, before, manner())}"""`;
  return {
    method: ask.method,
    path: ask.path,
    query: ask.query,
    headers: ask.headers,
    body: ask.body,
    form: ask.form,
    json: { ...json, messages: [...messages.slice(0, -1), { role: 'user', content }] },
    fault: ask.fault,
    now: () => ask.now(),
    gone: ask.gone,
  };
}

function restOf(whole: string, before: string, manner: ContinuationStyle): string {
  switch (manner) {
    case 'exactly':
      return whole.slice(before.length);
    case 'repeating':
      return whole.slice(Math.max(0, before.length - REPEATED_CHARS));
    case 'anew':
      return whole;
  }
}
