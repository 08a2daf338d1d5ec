import { expect, test } from 'vitest';
import { NOTICE_SAMPLES } from './notice-samples.fixture.ts';
import { readNotices, writeNotices } from './notices-wire.ts';
import {
  distinctNotices,
  isNotice,
  notice,
  NOTICE_SENTENCES,
  type Notice,
  type NoticeCode,
} from './notices.ts';
import { baseRenderer, createRenderer, toSent } from './render.ts';

const CODES = Object.keys(NOTICE_SENTENCES) as NoticeCode[];

function samplesOf(code: NoticeCode): readonly Notice[] {
  return NOTICE_SAMPLES[code].map((params) => notice(code, params));
}

test.each(CODES)('%s is rendered as whole sentences, and is JSON', (code) => {
  for (const each of samplesOf(code)) {
    const text = baseRenderer.notice(each);
    expect(text).toMatch(/^[^\s].*[^\s]$/s);
    expect(text).not.toMatch(/undefined|\[object|NaN/);
    // A sentence ends; only a command that is to be typed, and the end of a list, stand without a
    // full stop.
    expect(text).toMatch(/[.?]$|: exai .*$|--restore$|more$/);
    expect(JSON.parse(JSON.stringify(each))).toEqual(each);
    expect(isNotice(each)).toBe(true);
  }
});

test('samples of one code differ in what they say', () => {
  for (const code of CODES) {
    const texts = samplesOf(code).map(baseRenderer.notice);
    expect(new Set(texts).size).toBe(texts.length);
  }
});

test('a surface names arguments in its own way, and may have a sentence of its own', () => {
  const cut = notice('answer_cut', { argument: 'max_output_tokens' });
  expect(baseRenderer.notice(cut)).toContain('raise max_output_tokens');
  const renderer = createRenderer({
    argument: () => '--max-tokens',
    notices: { no_source: () => 'Unsourced.' },
  });
  expect(renderer.notice(cut)).toContain('raise --max-tokens');
  expect(renderer.notice(notice('no_source', {}))).toBe('Unsourced.');
});

test('an error within a notice is rendered by its reason, if it has one', () => {
  const error = {
    message: 'A message.',
    reason: { code: 'text', params: { text: 'no' } },
  } as const;
  expect(baseRenderer.notice(notice('conversation_not_kept', { error }))).toMatch(/: no\.$/);
});

test('equal notices are one, and stay in their order', () => {
  const [a, b] = [notice('no_source', {}), notice('text', { text: 'b' })];
  expect(distinctNotices([a, b, { ...a }, notice('text', { text: 'b' })])).toEqual([a, b]);
});

test('another process gets texts and data, and understands either', () => {
  const sent = [toSent(notice('no_source', {})), { text: 'Of an older daemon.' }];
  const wire: unknown = JSON.parse(JSON.stringify(writeNotices(sent)));
  expect(wire).toMatchObject({ notices: sent.map(({ text }) => text) });
  expect(readNotices(wire)).toEqual(sent);
  expect(readNotices({ notices: ['A.', 1] })).toEqual([{ text: 'A.' }]);
  for (const data of [1, null, 'no_source', { code: 1, params: {} }, { code: 'no_source' }])
    expect(readNotices({ notices: ['A.'], notice_data: [data] })).toEqual([{ text: 'A.' }]);
  for (const nothing of [undefined, null, {}, { notices: 'A.' }])
    expect(readNotices(nothing)).toEqual([]);
});
