import { expect, test } from 'vitest';
import { characterPairs, cutCharacters, cutRuns, foldText } from './cut-words.ts';

test('case, accents and forms of characters do not count', () => {
  expect(foldText('Ünïcode ＡＢＣ ﬁne')).toBe('unicode abc fine');
});

test('words of exact phrases are words, and characters of scripts without spaces', () => {
  expect(cutCharacters('The 检索 engine-v2')).toEqual(['the', '检', '索', 'engine', 'v2']);
  expect(cutCharacters('한국어 조사')).toEqual(['한국어', '조사'].map(foldText));
});

test('runs of scripts without spaces stay whole, and become pairs', () => {
  expect(cutRuns('第3章检索系统 b')).toEqual([
    { is: 'unspaced', text: '第' },
    { is: 'word', text: '3' },
    { is: 'unspaced', text: '章检索系统' },
    { is: 'word', text: 'b' },
  ]);
  expect(characterPairs('检索系统')).toEqual(['检索', '索系', '系统']);
  expect(characterPairs('𠀀𠀁检')).toEqual(['𠀀𠀁', '𠀁检']);
  expect(characterPairs('检')).toEqual([]);
});

test('texts without words have none', () => {
  for (const text of ['', ' \n', '--- …', '\0\u0001']) {
    expect([cutRuns(foldText(text)), cutCharacters(text)]).toEqual([[], []]);
  }
});
