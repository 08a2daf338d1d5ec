import { shellQuote } from '#core/shell-quote.ts';
import type { Value, Variables } from './gateway-setup.ts';

export const SHELLS = ['sh', 'fish', 'powershell', 'json'] as const;
export type Shell = (typeof SHELLS)[number];

interface Grammar {
  set(name: string, value: Value): string;
  unset(name: string): string;
  /** What fails when it is evaluated, so that nothing that is to follow does. */
  readonly failure: string;
}

const GRAMMARS: Record<Exclude<Shell, 'json'>, Grammar> = {
  sh: {
    set: (name, value) =>
      `export ${name}=${typeof value === 'string' ? shellQuote(value) : `"$${value.from}"`}`,
    unset: (name) => `unset ${name}`,
    failure: 'false',
  },
  fish: {
    set: (name, value) =>
      `set -gx ${name} ${typeof value === 'string' ? fishQuote(value) : `"$${value.from}"`}`,
    // One that is not there is no failure.
    unset: (name) => `set -e ${name}; true`,
    failure: 'false',
  },
  powershell: {
    set: (name, value) =>
      `$env:${name} = ${typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `$env:${value.from}`}`,
    unset: (name) => `Remove-Item Env:${name} -ErrorAction SilentlyContinue`,
    failure: `throw 'exai gateway env failed; it says why on standard error.'`,
  },
};

/** Variables as a shell takes them, a line each; as JSON one object, without those that another variable has. */
export function writeVariables({ set, unset }: Variables, shell: Shell): string {
  if (shell === 'json') return `${JSON.stringify(asObject(set, unset), null, 2)}\n`;
  const grammar = GRAMMARS[shell];
  return [
    ...Object.entries(set).map(([name, value]) => grammar.set(name, value)),
    ...unset.map((name) => grammar.unset(name)),
  ]
    .map((line) => `${line}\n`)
    .join('');
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

/** In single quotes fish knows two escapes, and nothing else. */
function fishQuote(text: string): string {
  return shellQuote(text) === text ? text : `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
