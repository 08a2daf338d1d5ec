import { shellQuote } from '#core/text/text.ts';
import { escapeJsonControls } from '../format/escape-controls.ts';
import type { TokenCommand, VariableValue, GatewayVariables } from './setup.ts';

export const SHELLS = ['sh', 'fish', 'powershell', 'json'] as const;
export type Shell = (typeof SHELLS)[number];

interface ShellSyntax {
  set(name: string, value: VariableValue): string;
  unset(name: string): string;
  /** Fails if the variable is empty. */
  check(name: string): string;
  /** Fails when evaluated, so that no further command runs. */
  readonly failure: string;
}

const SHELL_SYNTAX: Record<Exclude<Shell, 'json'>, ShellSyntax> = {
  sh: {
    set: (name, value) => `export ${name}=${shValue(value)}`,
    unset: (name) => `unset ${name}`,
    check: (name) => `[ -n "$${name}" ]`,
    failure: 'false',
  },
  fish: {
    set: (name, value) => `set -gx ${name} ${fishValue(value)}`,
    // Removing a variable that does not exist is not a failure.
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

/** Variables in the syntax of a shell, one per line, or as a JSON object without references. */
export function formatVariables({ set, unset }: GatewayVariables, shell: Shell): string {
  if (shell === 'json')
    return `${escapeJsonControls(JSON.stringify(asObject(set, unset), null, 2))}\n`;
  const grammar = SHELL_SYNTAX[shell];
  return [
    ...Object.entries(set).map(([name, value]) => grammar.set(name, value)),
    ...unset.map((name) => grammar.unset(name)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * The last line where a command sets the key: if it fails, the tool is not started without a key.
 */
export function formatKeyCheck(name: string, shell: Exclude<Shell, 'json'>): string {
  return `${SHELL_SYNTAX[shell].check(name)}\n`;
}

/**
 * Printed instead of variables on failure: `eval ""` succeeds, and the tool would start with its
 * earlier configuration. Empty for JSON, which is not evaluated.
 */
export function formatShellFailure(shell: Shell): string {
  return shell === 'json' ? '' : `${SHELL_SYNTAX[shell].failure}\n`;
}

/** Variables with a reference, which JSON cannot express. */
export function variableReferences({ set }: GatewayVariables): string[] {
  return Object.entries(set).flatMap(([name, value]) => (typeof value === 'string' ? [] : name));
}

/** A file cannot unset a variable; an empty value counts as absent. */
function asObject(set: GatewayVariables['set'], unset: readonly string[]): Record<string, string> {
  const values = Object.entries(set).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries([...values, ...unset.map((name) => [name, ''] as const)]);
}

function shValue(value: VariableValue): string {
  if (typeof value === 'string') return shellQuote(value);
  if ('from' in value) return `"$${value.from}"`;
  return `"$(${commandLine(value.command, shellQuote)})"`;
}

function fishValue(value: VariableValue): string {
  if (typeof value === 'string') return fishQuote(value);
  if ('from' in value) return `"$${value.from}"`;
  return `(${commandLine(value.command, fishQuote)})`;
}

function commandLine({ argv, home }: TokenCommand, quote: (text: string) => string): string {
  const setting = home === undefined ? [] : ['env', `EXAI_HOME=${home}`];
  return [...setting, ...argv].map(quote).join(' ');
}

/** PowerShell cannot set a variable for one command, so EXAI_HOME is left to the environment. */
function powerShellValue(value: VariableValue): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  if (typeof value === 'string') return quote(value);
  if ('from' in value) return `$env:${value.from}`;
  return `(& ${value.command.argv.map(quote).join(' ')})`;
}

/** In single quotes, fish has two escapes. */
function fishQuote(text: string): string {
  return shellQuote(text) === text ? text : `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
