import { afterAll, expect } from 'vitest';

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

afterAll(() => {
  expect(processState(), 'what a file of tests leaves of its process to the next').toEqual(before);
});
