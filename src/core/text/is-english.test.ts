import { expect, test } from 'vitest';
import { isEnglishProse, mayBeEnglish } from './is-english.ts';

test.each([
  ['The notice period for the termination of the contract is thirty days.', true],
  ['what similarity laws must be obeyed when constructing models of aircraft', true],
  ['Das Auto des Nachbarn steht heute in der Garage.', false],
  ['La voiture du voisin est dans le garage depuis hier matin.', false],
  ['const total = items.reduce((sum, item) => sum + item.price, 0);', false],
  ['本文介绍全文检索系统的设计', false],
  ['Этот договор действует тридцать дней.', false],
  ['هذا العقد ساري لمدة ثلاثين يوما', false],
  ['1 2 3', false],
  ['', false],
])('%s: English prose: %s', (text, expected) => {
  expect(isEnglishProse(text)).toBe(expected);
});

test('a query of a few words may be English if its letters are', () => {
  expect(mayBeEnglish('notice period')).toBe(true);
  expect(mayBeEnglish('iOS 微信')).toBe(false);
  expect(mayBeEnglish('Wärmeübertragung')).toBe(false);
  expect(mayBeEnglish('42')).toBe(false);
});
