import { deepStrictEqual } from 'node:assert/strict';
import { afterAll } from 'vitest';

/** What files that share a process could do to each other, beside what is in modules. */
function processState(): Readonly<Record<string, unknown>> {
  return {
    folder: process.cwd(),
    environment: { ...process.env },
    umask: process.umask(),
    exitCode: process.exitCode,
    listeners: Object.fromEntries(
      process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    ),
    ofObjects: Object.getOwnPropertyNames(Object.prototype),
  };
}

const before = processState();

// A file that needs to is one of those that vitest.config.ts gives a process of their own.
afterAll(() => deepStrictEqual(processState(), before));
