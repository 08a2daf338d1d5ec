import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { ERROR_CLASSES, ERROR_POLICY, type ErrorClass } from '#core/error-class.ts';
import { ERROR_TYPES } from '#transport/anthropic/error-types.ts';
import { ERROR_WORDS } from '#transport/openai/error-words.ts';

const page = readFileSync('docs/gateway.md', 'utf8');

const words = (cell = '') => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, word = '']) => word);

/** By class: what the page says of it for OpenAI's clients and for Anthropic's. */
function documented() {
  const [, section = ''] = /\n## Errors\n([\s\S]*?)\n## /.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((row) => {
      const [, classes, openai = '', anthropic = ''] = row.split('|');
      return words(classes).map((name) => {
        const [type, code = name] = words(openai);
        const [otherType] = words(anthropic);
        const statuses = [openai, anthropic].map((cell) => Number.parseInt(cell, 10));
        return [name, { statuses, type, code, otherType }] as const;
      });
    }),
  );
}

function real(name: ErrorClass) {
  const { type, code, status = ERROR_POLICY[name].status } = ERROR_WORDS[name];
  const other = ERROR_TYPES[name];
  return { statuses: [status, other.status], type, code, otherType: other.type };
}

verifies(
  'gateway:docs',
  'docs/gateway.md names every class of failure as the gateway tells it',
  () => {
    const told = documented();
    expect([...told.keys()].toSorted()).toEqual(ERROR_CLASSES.toSorted());
    for (const name of ERROR_CLASSES) expect([name, told.get(name)]).toEqual([name, real(name)]);
  },
);

test('docs/gateway.md links to pages that are there', () => {
  const links = [...page.matchAll(/\]\(([a-z-]+\.md)(?:#[a-z-]+)?\)/g)].map(([, file]) => file);
  expect(links.length).toBeGreaterThan(0);
  for (const file of new Set(links)) expect(readFileSync(`docs/${file}`, 'utf8')).toMatch(/^# /);
});
