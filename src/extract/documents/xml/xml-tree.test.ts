import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { parseXml } from './xml-tree.ts';

const parse = (xml: string, space: 'keep' | 'drop' = 'drop') =>
  parseXml(Buffer.from(xml), space).elements()[0];

test('elements and attributes are found by their local names', () => {
  const root = parse(
    '<a:r xmlns:a="x"><a:c id="1" r:id="2">t&amp;u&#65;<![CDATA[<v>]]></a:c></a:r>',
  );
  const child = root?.child('c');
  expect(child?.get('id')).toBe('1');
  expect(child?.getPrefixed('id')).toBe('2');
  expect(child?.text()).toBe('t&uA<v>');
});

test('white space between elements is dropped or kept', () => {
  const xml = '<r> <t> </t> <s/></r>';
  expect(parse(xml)?.text()).toBe(' ');
  expect(parse(xml, 'keep')?.text()).toBe('   ');
});

test('UTF-16 and declared encodings are decoded', () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<r>é</r>', 'utf16le')]);
  expect(parseXml(utf16, 'drop').text()).toBe('é');
  const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><r>é</r>', 'latin1');
  expect(parseXml(latin, 'drop').text()).toBe('é');
});

verifies('documents-office:hostile', 'entities are never expanded or fetched', () => {
  const bomb = `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;"><!ENTITY e SYSTEM "file:///etc/passwd">]><r>&b;&e;</r>`;
  expect(parse(bomb)?.text()).toBe('&b;&e;');
});

verifies(
  'documents-office:hostile',
  'deep nesting and unclosed elements end in a typed error or a tree',
  () => {
    expect(() => parse('<a>'.repeat(100_000))).toThrow(
      expect.objectContaining({ class: 'too_large' }),
    );
    expect(parse('<a><b>text')?.text()).toBe('text');
  },
);
