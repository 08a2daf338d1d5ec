import { expect, test } from 'vitest';
import { cjkShare, CJK_FROM, isChineseLocale } from './language.ts';

test.each([
  ['Hello there', 0],
  ['你好', 1],
  ['こんにちは', 1],
  ['안녕하세요', 1],
  ['Привет', 0],
  ['12345 !?', 0],
  ['', 0],
  ['ab你好', 0.5],
])('of the letters of %j, %d are Chinese, Japanese or Korean', (text, share) => {
  expect(cjkShare(text)).toBe(share);
});

test('Chinese with names of libraries in it is Chinese, English with a quoted word is not', () => {
  expect(cjkShare('请解释 React useEffect 的 cleanup function')).toBeGreaterThan(CJK_FROM);
  expect(cjkShare('How do I render the word 你好 in a canvas element?')).toBeLessThan(CJK_FROM);
});

test.each(['zh', 'zh-CN', 'zh_TW.UTF-8', 'ZH-hk'])('%s is a Chinese locale', (locale) => {
  expect(isChineseLocale(locale)).toBe(true);
});

test.each(['en-AU', '', 'zhx', 'de-CH'])('%s is none', (locale) => {
  expect(isChineseLocale(locale)).toBe(false);
});
