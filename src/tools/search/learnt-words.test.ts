import { expect, test } from 'vitest';
import type { Json } from '#core/json/json.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createLearntWords } from './learnt-words.ts';

function openWords(stored = new Map<string, Json>(), isOn = () => true) {
  const clock = createFakeClock();
  const words = createLearntWords({
    isOn,
    clock,
    settings: {
      get: async (name) => stored.get(name),
      set: async (name, value) => void stored.set(name, value),
    },
  });
  return { clock, words, stored };
}

const FOUND = ['mcp__a__deploy', 'mcp__a__status'];

verifies(
  'tools:learnt',
  'a tool that a principal called after a search has the words of that search, for that principal alone',
  () => {
    const { words } = openWords();
    words.searched('ann', 'please ship the release to production', FOUND);
    words.called('ann', 'mcp__a__deploy');
    expect(words.of('ann')('ship')?.get('mcp__a__deploy')).toBeGreaterThan(0);
    expect(words.of('ann')('ship')?.get('mcp__a__status')).toBeUndefined();
    expect(words.of('bob')('ship')).toBeUndefined();
    words.called('ann', 'mcp__b__other');
    expect(words.of('ann')('ship')?.has('mcp__b__other')).toBe(false);
  },
);

verifies('tools:learnt', 'nothing is learnt where the setting is off', () => {
  let isOn = false;
  const { words } = openWords(new Map(), () => isOn);
  words.searched('ann', 'ship it', FOUND);
  words.called('ann', 'mcp__a__deploy');
  isOn = true;
  expect(words.of('ann')('ship')).toBeUndefined();
  words.searched('ann', 'ship it', FOUND);
  words.called('ann', 'mcp__a__deploy');
  expect(words.of('ann')('ship')).toBeDefined();
  isOn = false;
  expect(words.of('ann')('ship')).toBeUndefined();
});

verifies('tools:learnt', 'only words are kept: no numbers, ids or keys of a search', async () => {
  const { words, stored } = openWords();
  words.searched('ann', 'ship sk-abc123def456 to host7 on 2026-11-19', FOUND);
  words.called('ann', 'mcp__a__deploy');
  await words.close();
  const text = JSON.stringify([...stored]);
  expect(text).toContain('ship');
  expect(text).not.toMatch(/abc123|host7|2026|ann/);
});

test('words outlive a restart, and a call long after a search teaches nothing', async () => {
  const { words, stored, clock } = openWords();
  words.searched('ann', 'ship the release', FOUND);
  words.called('ann', 'mcp__a__deploy');
  clock.advance(60_000);
  await words.close();
  const next = openWords(stored);
  await next.words.load('ann');
  expect(next.words.of('ann')('ship')?.get('mcp__a__deploy')).toBeGreaterThan(0);
  next.words.searched('ann', 'roll back', FOUND);
  next.clock.advance(600_001);
  next.words.called('ann', 'mcp__a__status');
  expect(next.words.of('ann')('roll')).toBeUndefined();
});

test('it stays small, whatever is searched', () => {
  const { words } = openWords();
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  for (let at = 0; at < 2_000; at += 1) {
    const word = `q${letters[at % 26]}${letters[Math.floor(at / 26) % 26]}${letters[Math.floor(at / 676)]}`;
    words.searched('ann', word, FOUND);
    words.called('ann', 'mcp__a__deploy');
  }
  let kept = 0;
  for (const one of letters)
    for (const other of letters)
      for (const third of letters) if (words.of('ann')(`q${one}${other}${third}`)) kept += 1;
  expect(kept).toBeLessThanOrEqual(400);
});
