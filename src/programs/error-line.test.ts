import { expect, test } from 'vitest';
import { createErrorLine } from './error-line.ts';

function errorLineOf(text: string): string {
  const line = createErrorLine();
  for (const each of text.split('\n')) line.push(each);
  return line.text();
}

const NODE = `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/opt/server/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
`;
const PYTHON = `Traceback (most recent call last):
  File "/opt/server.py", line 1, in <module>
    import fastmcp
ModuleNotFoundError: No module named 'fastmcp'
`;

test('the line that says why a program ended is found among those around it', () => {
  expect(errorLineOf(NODE)).toBe("Error: Cannot find module '/opt/server/index.js'");
  expect(errorLineOf(PYTHON)).toBe("ModuleNotFoundError: No module named 'fastmcp'");
  expect(errorLineOf('panic: no such port\n\ngoroutine 1 [running]:\nexit status 2')).toBe(
    'panic: no such port',
  );
  expect(errorLineOf('npm error code E404\nnpm error 404 Not Found')).toBe(
    'npm error 404 Not Found',
  );
});

test('a program that names no error, or named one long before, is quoted by its last line', () => {
  expect(errorLineOf('starting\n  usage: server FOLDER  \n\n')).toBe('usage: server FOLDER');
  expect(errorLineOf('')).toBe('');
  expect(errorLineOf(`Error: no cache\n${'served\n'.repeat(30)}bye`)).toBe('bye');
});
