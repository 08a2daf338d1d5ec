import { shellQuote } from '#core/shell-quote.ts';
import type { Value, Variables } from './gateway-setup.ts';

export const SHELLS = ['sh', 'fish', 'powershell', 'json'] as const;
export type Shell = (typeof SHELLS)[number];

interface Grammar {
  set(name: string, value: Value): string;
  unset(name: string): string;
}

const GRAMMARS: Record<Exclude<Shell, 'json'>, Grammar> = {
  sh: {
    set: (name, value) =>
      `export ${name}=${typeof value === 'string' ? shellQuote(value) : `"$${value.from}"`}`,
    unset: (name) => `unset ${name}`,
  },
  fish: {
    set: (name, value) =>
      `set -gx ${name} ${typeof value === 'string' ? fishQuote(value) : `"$${value.from}"`}`,
    unset: (name) => `set -e ${name}`,
  },
  powershell: {
    set: (name, value) =>
      `$env:${name} = ${typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `$env:${value.from}`}`,
    unset: (name) => `Remove-Item Env:${name} -ErrorAction SilentlyContinue`,
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
