import { expect, test } from 'vitest';
import { accepts, isJson } from './media-type.ts';

test.each([
  ['application/json', true],
  ['APPLICATION/JSON', true],
  ['text/event-stream, application/json;q=0.5', true],
  ['application/*', true],
  ['*/*', true],
  ['*/*;q=0.1', true],
  ['application/json;q=0, */*', false],
  ['application/*;q=0, */*', false],
  ['application/json, application/*;q=0', true],
  ['*/*;q=0', false],
  ['*/*; q=0.000', false],
  ['text/plain', false],
  ['application/jsonl', false],
  ['', false],
  [undefined, false],
])('Accept %j allows JSON: %j', (header, verdict) => {
  expect(accepts(header, 'application/json')).toBe(verdict);
});

test.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/JSON ;x=y', true],
  ['application/jsonl', false],
  ['text/json', false],
  ['text/plain; application/json', false],
  [undefined, false],
])('Content-Type %j is JSON: %j', (header, verdict) => {
  expect(isJson(header)).toBe(verdict);
});
