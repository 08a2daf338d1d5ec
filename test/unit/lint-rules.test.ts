import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MODULES } from '../../scripts/arrows.ts';
import { oxlintrc } from '../../scripts/oxlintrc.ts';
import { refusedLines } from '../lint-lines.ts';

/** Time, chance, network and environment that were not passed in. */
const HIDDEN = [
  'Date.now();',
  "Date['now']();",
  'const { now } = Date;',
  'new Date();',
  'new Date;',
  'Date();',
  'performance.now();',
  'process.hrtime.bigint();',
  'process.uptime();',
  'setTimeout(done, 1);',
  'setInterval(done, 1);',
  'setImmediate(done);',
  'globalThis.setTimeout(done, 1);',
  'const { setTimeout: later } = globalThis;',
  'new globalThis.Date();',
  'AbortSignal.timeout(1);',
  "import 'node:timers';",
  "import { setTimeout as wait } from 'node:timers/promises';",
  "import { setTimeout as pause } from 'timers/promises';",
  "await import('node:timers/promises');",
  'Math.random();',
  'crypto.randomUUID();',
  'crypto.getRandomValues(bytes);',
  'crypto.subtle.generateKey(kind, true, uses);',
  'globalThis.crypto.getRandomValues(bytes);',
  "import { randomBytes } from 'node:crypto';",
  "import { randomUUID as uuid } from 'node:crypto';",
  "import { webcrypto } from 'node:crypto';",
  "import * as everything from 'node:crypto';",
  "import cryptography from 'node:crypto';",
  "export { randomInt } from 'node:crypto';",
  "const { randomFillSync } = await import('node:crypto');",
  'cryptography.randomBytes(8);',
  "fetch('http://a');",
  "globalThis.fetch('http://b');",
  "global.fetch('http://c');",
  "new WebSocket('ws://d');",
  "process.env['HOME'];",
  'const { env } = process;',
  "import { env as variables } from 'node:process';",
  // Allowed as a word, but this form escapes the rules about imports.
  "type Hidden = import('node:crypto').Hash;",
];

const OPEN = [
  'clock.now();',
  'new Date(clock.now());',
  'Date.parse(text);',
  'clock.after(1, done);',
  'process.platform;',
  'const headers = { fetch: 1, setTimeout: 2 };',
  'headers.fetch;',
  'function ask(fetch: () => void) { fetch(); }',
  'new AbortController();',
  "import { createHash, timingSafeEqual, type Hash } from 'node:crypto';",
  "import type { Hash as AlsoHash } from 'node:crypto';",
];

test('hidden inputs are refused in every module, and what only looks like one is not', () => {
  const lines = [...HIDDEN, ...OPEN.filter((line) => !line.includes('node:'))];
  const paths = MODULES.map((module) => `src/${module}/deep/a.ts`);
  const files = Object.fromEntries(paths.map((path) => [path, lines]));
  const expected = paths.flatMap((path) => HIDDEN.map((line) => `${path}: ${line}`));
  expect(refusedLines({ ...files, 'src/store/b.ts': OPEN })).toEqual(expected.sort());
});

/** Each owner of a hidden input, with what is its own and what even it may not. */
const OWNERS: Record<string, { pass: readonly string[]; refused: readonly string[] }> = {
  'src/app/system.ts': {
    pass: ['Date.now();', 'setTimeout(done, 1);', "import { randomFillSync } from 'node:crypto';"],
    refused: ["import '#cli/x.ts';", "import 'node:http';"],
  },
  'src/config/environment.ts': {
    pass: ['process.env;'],
    refused: ['Date.now();', 'fetch(url);'],
  },
  'src/config/other.ts': { pass: [], refused: ['process.env;'] },
  'src/store/group-commit.ts': {
    pass: ['setImmediate(done);'],
    refused: ['setTimeout(done, 1);', 'Date.now();'],
  },
  'src/config/schema/fields.schema.ts': {
    pass: ["import * as z from 'zod';"],
    refused: ["import { z as again } from 'zod';", "import zod from 'zod';"],
  },
  'src/core/calls/call.ts': {
    pass: [],
    refused: ["import * as z from 'zod';", "import type * as types from 'zod';"],
  },
  'src/core/call.schema.ts': {
    pass: ["import * as z from 'zod';"],
    refused: ["import 'node:fs';", "import '#store/x.ts';", 'new Date();'],
  },
  'src/core/call.test.ts': {
    pass: ["import 'node:fs';", "import 'pg';", 'Date.now();', 'process.env;'],
    refused: ["import '#store/x.ts';", "import '../store/x.ts';"],
  },
  // A folder of its own with the name of another module, and that module.
  'src/transport/deep/a.ts': {
    pass: ["import '../mcp/x.ts';", "import '../x.ts';", "import '../../../test/x.ts';"],
    refused: ["import '../../mcp/x.ts';", "export * from '../../core/x.ts';"],
  },
  'src/config/home.fixture.ts': {
    pass: ["import 'node:timers';"],
    refused: ["import '#app/x.ts';"],
  },
};

test('who owns a hidden input may use it, and nothing else', () => {
  const files = Object.entries(OWNERS).map(([path, { pass, refused }]) => [
    path,
    [...pass, ...refused],
  ]);
  const expected = Object.entries(OWNERS).flatMap(([path, { refused }]) =>
    refused.map((line) => `${path}: ${line}`),
  );
  expect(refusedLines(Object.fromEntries(files))).toEqual(expected.sort());
});

/** What decides by the text of a message of ours, as code of ours did once. */
const MATCHED = [
  "notice.includes('Showing matching passages from your input instead.');",
  "notices.find((notice) => notice.startsWith('KIMI_API_KEY '));",
  '/^A daemon already runs on /.test(error.message);',
  "error.message.replace(/: .*$/s, '');",
  'if (error.fix !== DAMAGED_FIX) throw error;',
  'if (read.because === CUT_OFF) throw read;',
  "(plan?.because ?? '').split(': ');",
  'written.includes(notice);',
  '/midnight/i.exec(because);',
  "sentence.endsWith(')');",
  "switch (detail) { case 'x': break; }",
  "error.message.toLowerCase().includes('midnight');",
  "error.message.trim().startsWith('Rule');",
  "error.message.slice(0, 4) === 'Rule';",
  "route.because.some((line) => line.includes('midnight'));",
  "route.because[0]?.startsWith('Rule');",
  "notices.find((each) => each === 'Showing matching passages from your input instead.');",
  "const { message: told } = error; told.startsWith('Rule');",
  "error['message'].includes('midnight');",
  "`${error.message}`.endsWith('again.');",
  'String(error.message).match(/again/);',
  'SEEN.has(message);',
  "/^running, /.exec(step.note ?? '');",
  "PAIRS.reduce((words, [from, to]) => words.replaceAll(from, to), '');",
];

const DECIDED_BY_DATA = [
  "notice.code === 'quoted_instead';",
  "error.reason?.code === 'home_in_use';",
  "if (message === undefined || fix === '') throw error;",
  'if (error.message !== other.message) throw error;',
  "typeof message === 'string';",
  "reason === 'one_answer';",
  'text.includes(name);',
  'const lengths = plan.because.map((each) => each.length);',
];

test('code that matches our own sentences is refused, but for where texts of others come in', () => {
  const lines = [...MATCHED, ...DECIDED_BY_DATA];
  const files = {
    'src/cli/a.ts': lines,
    'src/manager/deep/a.ts': lines,
    'src/files/a.ts': lines,
    'src/providers/glm/a.ts': MATCHED,
    'src/programs/a.ts': MATCHED,
    'src/files/git/a.ts': MATCHED,
    'src/cli/a.test.ts': MATCHED,
  };
  const expected = ['src/cli/a.ts', 'src/manager/deep/a.ts', 'src/files/a.ts'].flatMap((path) =>
    MATCHED.map((line) => `${path}: ${line}`),
  );
  expect(refusedLines(files)).toEqual(expected.sort());
});

test('no exception outlives the file it was made for', () => {
  const named = oxlintrc()
    .overrides.flatMap(({ files }) => files)
    .filter((path) => !path.includes('*'));
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test('phrases to avoid are refused in prose, and only there', () => {
  const refused = [
    "export const a = 'Nobody answered in time.';",
    'export const b = `How many; ${1} unless told`;',
    '// It goes on until the end.',
    "export const c = 'This is no URL.';",
    "export const d = 'Give each a name of its own.';",
  ];
  const open = [
    "export const e = 'There is no model with this name.';",
    "export const f = 'The client cancelled because of its own timeout.';",
    "export const g = 'The model is no longer available.';",
    "export const h = 'nobody';",
  ];
  expect(refusedLines({ 'src/core/words.ts': refused, 'src/core/open.ts': open })).toEqual(
    refused.map((line) => `src/core/words.ts: ${line}`).toSorted(),
  );
});
