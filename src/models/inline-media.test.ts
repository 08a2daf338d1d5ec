import { expect, test } from 'vitest';
import type { MediaSource } from '#core/llm/chat.ts';
import { fitsRule, inlineOf, inlineRule } from './inline-media.ts';

const MB = 1024 * 1024;

test.each<[MediaSource, object | undefined]>([
  [
    { base64: 'AAAA', mediaType: 'Image/PNG' },
    { mediaType: 'image/png', bytes: 3 },
  ],
  [
    { base64: 'AAAA', mediaType: 'text/csv; charset=x' },
    { mediaType: 'text/csv', bytes: 3 },
  ],
  [{ url: 'data:image/webp;base64,AAAAAAAA' }, { mediaType: 'image/webp', bytes: 6 }],
  [{ url: 'DATA:image/webp;charset=x;base64,AAAA' }, { mediaType: 'image/webp', bytes: 3 }],
  [{ url: 'data:,' }, { mediaType: '', bytes: 4 }],
  [{ url: 'https://a.example/x.png' }, undefined],
  [{ fileId: 'f' }, undefined],
])('the bytes of %j', (source, expected) => {
  expect(inlineOf(source)).toEqual(expected);
});

test('GLM takes few types of few megabytes, and no documents as bytes', () => {
  const fits = (kind: 'image' | 'video' | 'file', mediaType: string, bytes: number) => {
    const rule = inlineRule('glm', kind);
    return rule && fitsRule(rule, { mediaType, bytes });
  };
  expect(fits('image', 'image/png', 5 * MB)).toBe(true);
  expect(fits('image', 'image/png', 5 * MB + 1)).toBe(false);
  expect(fits('image', 'image/webp', 10)).toBe(false);
  expect(fits('video', 'video/mp4', 8 * MB)).toBe(true);
  expect(fits('file', 'application/pdf', 10)).toBe(false);
});

test('who has no rule takes any type', () => {
  expect(inlineRule('openrouter', 'video')).toBeUndefined();
  expect(inlineRule('openrouter', 'file')).toBeUndefined();
});
