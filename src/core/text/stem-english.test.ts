import { expect, test } from 'vitest';
import { stemEnglish } from './stem-english.ts';

test.each([
  ['consistently', 'consist'],
  ['consolation', 'consol'],
  ['knightly', 'knight'],
  ['generation', 'generat'],
  ['generously', 'generous'],
  ['communities', 'communiti'],
  ['flies', 'fli'],
  ['ties', 'tie'],
  ['hopping', 'hop'],
  ['hoping', 'hope'],
  ['agreed', 'agre'],
  ['luxuriated', 'luxuri'],
  ['rational', 'ration'],
  ['relational', 'relat'],
  ['hopefulness', 'hope'],
  ['apologist', 'apologist'],
  ['negative', 'negat'],
  ['saying', 'say'],
  ['cry', 'cri'],
  ['skies', 'sky'],
  ['proceeding', 'proceed'],
  ['controlling', 'control'],
  ['wings', 'wing'],
  ['gas', 'gas'],
  ['this', 'this'],
  ['aerodynamics', 'aerodynam'],
])('%s becomes %s', (word, stem) => {
  expect(stemEnglish(word)).toBe(stem);
});

test('forms of a word have one stem', () => {
  for (const forms of [
    'connect connected connecting connection connections',
    'vibrate vibrates vibrated vibrating vibration vibrations',
    'query queries queried querying',
  ]) {
    expect(new Set(forms.split(' ').map(stemEnglish)).size).toBe(1);
  }
});

test('words that are not English are unchanged', () => {
  for (const word of ['straße', 'системы', '検索', 'v2s', 'is', '', 's'.repeat(100)]) {
    expect(stemEnglish(word)).toBe(word);
  }
});
