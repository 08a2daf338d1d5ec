import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { GatewayVariables } from './setup.ts';
import { variableReferences, formatShellFailure, formatVariables, type Shell } from './shells.ts';

const VARIABLES: GatewayVariables = {
  is: 'variables',
  set: { ADDRESS: 'http://127.0.0.1:8765/v1', KEY: { from: 'MY_TOKEN' }, CONFIG: `{"it's": "$A"}` },
  unset: ['OTHER'],
};

test.each<[Shell, string]>([
  [
    'sh',
    `export ADDRESS=http://127.0.0.1:8765/v1
export KEY="$MY_TOKEN"
export CONFIG='{"it'\\''s": "$A"}'
unset OTHER
`,
  ],
  [
    'fish',
    `set -gx ADDRESS http://127.0.0.1:8765/v1
set -gx KEY "$MY_TOKEN"
set -gx CONFIG '{"it\\'s": "$A"}'
set -e OTHER; true
`,
  ],
  [
    'powershell',
    `$env:ADDRESS = 'http://127.0.0.1:8765/v1'
$env:KEY = $env:MY_TOKEN
$env:CONFIG = '{"it''s": "$A"}'
Remove-Item Env:OTHER -ErrorAction SilentlyContinue
`,
  ],
  [
    'json',
    `{
  "ADDRESS": "http://127.0.0.1:8765/v1",
  "CONFIG": "{\\"it's\\": \\"$A\\"}",
  "OTHER": ""
}
`,
  ],
])('%s takes them in its own words', (shell, text) => {
  expect(formatVariables(VARIABLES, shell)).toBe(text);
});

test('a shell that reads the lines has the values, and nothing in a value is a command', () => {
  const CONFIG = `{"it's": "$(echo run)\`echo run\` \\\\ \\n"} "quoted" $HOME; exit 1`;
  const { set, unset } = VARIABLES;
  const lines = formatVariables({ is: 'variables', set: { ...set, CONFIG }, unset }, 'sh');
  const print = `eval "$LINES"; printf '%s|%s|%s|%s' "$ADDRESS" "$KEY" "\${OTHER-gone}" "$CONFIG"`;
  const env = { PATH: process.env['PATH'], LINES: lines, MY_TOKEN: 'se cret', OTHER: 'there' };
  const printed = execFileSync('sh', ['-c', print], { env, encoding: 'utf8' });
  expect(printed).toBe(`http://127.0.0.1:8765/v1|se cret|gone|${CONFIG}`);
});

test('it tells which of them another variable has', () => {
  expect(variableReferences(VARIABLES)).toEqual(['KEY']);
});

test('what is printed instead of variables keeps a shell from going on', () => {
  const go = `eval "$LINES" && echo started; true`;
  const env = (LINES: string) => ({ PATH: process.env['PATH'], LINES });
  const run = (lines: string) =>
    execFileSync('sh', ['-c', go], { env: env(lines), encoding: 'utf8' });
  expect(run('')).toBe('started\n');
  expect(run(formatShellFailure('sh'))).toBe('');
  expect(run(formatVariables(VARIABLES, 'sh'))).toBe('started\n');
  expect(formatShellFailure('fish')).toBe('false\n');
  expect(formatShellFailure('powershell')).toMatch(/^throw '[^']+'\n$/);
  expect(formatShellFailure('json')).toBe('');
});
