import { expect, test } from 'vitest';
import { noColor } from './colors.ts';
import { formatColumns } from './layout.ts';
import { formatModelRows, type ShownModel } from './model-rows.ts';

const MODEL: ShownModel = {
  id: 'kimi-k2.6',
  provider: 'kimi',
  state: 'live',
  usable: true,
  context_tokens: 262_144,
  usd_per_million: { input: 0.95, output: 4 },
  input: ['text', 'image', 'video'],
  until: '2026-12-31',
  roles: ['kimiSpeed', 'kimiDefault'],
};

const shown = (models: readonly ShownModel[], width?: number) =>
  formatColumns(
    formatModelRows(models, { paint: noColor, ...(width !== undefined && { width }) }),
    '',
    width,
  ).split('\n');

test('a model has one line where there is room', () => {
  const unlisted = {
    ...MODEL,
    because: 'unlisted since 2026-11-15',
    unlisted_since: '2026-11-15',
    roles: [],
  };
  const retired: ShownModel = { ...MODEL, state: 'retired', successor: 'kimi-k3' };
  expect(shown([MODEL, unlisted, retired])).toEqual([
    'model      provider  window  $ in/out  remarks',
    'kimi-k2.6  kimi      262k    0.95/4    kimiSpeed, kimiDefault; takes image, video; ends 2026-12-31',
    'kimi-k2.6  kimi      262k    0.95/4    takes image, video; ends 2026-12-31; unlisted since 2026-11-15',
    'kimi-k2.6  kimi      262k    0.95/4    off since 2026-12-31, kimi-k3 answers',
    '',
  ]);
});

test('on a terminal no line is longer than it is wide, and a long name has its own', () => {
  const id = 'meta-llama/llama-3.3-70b-instruct:free';
  const lines = shown([MODEL, { ...MODEL, id, provider: 'openrouter' }], 80);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines).toContain(id);
});

test('a name that a terminal would obey does it no harm', () => {
  expect(shown([{ ...MODEL, id: 'a\u001b[31mb' }]).join('')).not.toContain('\u001b');
});
