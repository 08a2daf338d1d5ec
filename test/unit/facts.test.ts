import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { FACTS } from '../facts.ts';
import { verifies } from '../verifies.ts';

verifies('emulator:facts', 'every rule of the outside world is named by a test', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'emulator'], {
    encoding: 'utf8',
  });
  const tests = files.split('\n').filter((path) => path.endsWith('.test.ts'));
  const named = new Set(
    tests.flatMap((path) => readFileSync(path, 'utf8').match(/facts:[a-z]+:[a-z0-9.-]+/g) ?? []),
  );
  const known = Object.entries(FACTS).flatMap(([vendor, rules]) =>
    rules.map((rule) => `facts:${vendor}:${rule}`),
  );
  expect([...named].toSorted()).toEqual(known.toSorted());
});
