import { shellQuote } from '#core/shell-quote.ts';
import type { TokenCommand, Value, Variables } from './gateway-setup.ts';
import { escapeJsonControls } from './terminal-text.ts';

export const SHELLS = ['sh', 'fish', 'powershell', 'json'] as const;
export type Shell = (typeof SHELLS)[number];

interface Grammar {
  set(name: string, value: Value): string;
  unset(name: string): string;
  /** Fails where a variable is empty. */
  check(name: string): string;
  /** What fails when it is evaluated, so that nothing that is to follow does. */
  readonly failure: string;
}

const GRAMMARS: Record<Exclude<Shell, 'json'>, Grammar> = {
  sh: {
    set: (name, value) => `export ${name}=${shValue(value)}`,
    unset: (name) => `unset ${name}`,
    check: (name) => `[ -n "$${name}" ]`,
    failure: 'false',
  },
  fish: {
    set: (name, value) => `set -gx ${name} ${fishValue(value)}`,
    // One that is not there is no failure.
    unset: (name) => `set -e ${name}; true`,
    check: (name) => `test -n "$${name}"`,
    failure: 'false',
  },
  powershell: {
    set: (name, value) => `$env:${name} = ${powerShellValue(value)}`,
    unset: (name) => `Remove-Item Env:${name} -ErrorAction SilentlyContinue`,
    check: (name) => `if (-not $env:${name}) { throw 'exai token show failed.' }`,
    failure: `throw 'exai gateway env failed; it says why on standard error.'`,
  },
};

/** Variables as a shell takes them, a line each; as JSON one object, without those that another variable has. */
export function writeVariables({ set, unset }: Variables, shell: Shell): string {
  if (shell === 'json')
    return `${escapeJsonControls(JSON.stringify(asObject(set, unset), null, 2))}\n`;
  const grammar = GRAMMARS[shell];
  return [
    ...Object.entries(set).map(([name, value]) => grammar.set(name, value)),
    ...unset.map((name) => grammar.unset(name)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** The last line where a command sets the key: if that has failed, whatever is to follow does not start without a key. */
export function writeCheck(name: string, shell: Exclude<Shell, 'json'>): string {
  return `${GRAMMARS[shell].check(name)}\n`;
}

/**
 * What is printed instead of variables when there are none: `eval ""` succeeds, and the tool behind it would be started with
 * whatever it was set up for before. Nothing where no shell evaluates it.
 */
export function writeFailure(shell: Shell): string {
  return shell === 'json' ? '' : `${GRAMMARS[shell].failure}\n`;
}

/** Those that have to be given by hand where no shell puts in the value of another. */
export function referring({ set }: Variables): string[] {
  return Object.entries(set).flatMap(([name, value]) => (typeof value === 'string' ? [] : name));
}

/** Files that set variables cannot remove one; what counts as absent is empty there. */
function asObject(set: Variables['set'], unset: readonly string[]): Record<string, string> {
  const given = Object.entries(set).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries([...given, ...unset.map((name) => [name, ''] as const)]);
}

function shValue(value: Value): string {
  if (typeof value === 'string') return shellQuote(value);
  if ('from' in value) return `"$${value.from}"`;
  return `"$(${commandLine(value.command, shellQuote)})"`;
}

function fishValue(value: Value): string {
  if (typeof value === 'string') return fishQuote(value);
  if ('from' in value) return `"$${value.from}"`;
  return `(${commandLine(value.command, fishQuote)})`;
}

function commandLine({ argv, home }: TokenCommand, quote: (text: string) => string): string {
  const setting = home === undefined ? [] : ['env', `EXAI_HOME=${home}`];
  return [...setting, ...argv].map(quote).join(' ');
}

/** A variable that was set there is still set when the command runs: PowerShell has no assignment for one command. */
function powerShellValue(value: Value): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  if (typeof value === 'string') return quote(value);
  if ('from' in value) return `$env:${value.from}`;
  return `(& ${value.command.argv.map(quote).join(' ')})`;
}

/** In single quotes fish knows two escapes, and nothing else. */
function fishQuote(text: string): string {
  return shellQuote(text) === text ? text : `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
