import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { variable } from '#config/environment.ts';
import { homePaths, userFolder } from '#config/home/home.ts';
import { editEnvFile, setVariable } from '#config/secrets/dotenv-edit.ts';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { toVariableName } from '../import/hide-secrets.ts';
import { storedVariables } from '../import/undo-import.ts';
import type { Io } from '../io.ts';
import { readSecret } from '../read-secret.ts';
import type { NewServer } from './new-server.ts';
import {
  settingsOfPreset,
  type PresetArguments,
  type PresetVariable,
  type ServerPreset,
} from './presets.ts';

export interface PresetEntry {
  readonly entry: NewServer;
  /** Values that the user typed, to be stored in .env. */
  readonly typed: ReadonlyMap<string, string>;
  /** Variables that are needed and not set, with what they are. */
  readonly missing: readonly { readonly variable: string; readonly about: string }[];
  /** What else the user should know. */
  readonly notes: readonly string[];
}

/** Fills a preset in: arguments of the command line, variables that are set, and typed ones. */
export async function fillPreset(
  preset: ServerPreset,
  name: string,
  words: readonly string[],
  io: Io,
): Promise<PresetEntry> {
  const paths = readPaths(preset, words, io);
  const stored = storedVariables(homePaths(io.env));
  const lookUp = (variableName: string) =>
    variable(io.env, variableName) ?? stored.get(variableName);
  // A second account has its own variables.
  const generic = (preset.variables ?? []).filter(({ isGeneric }) => isGeneric);
  const variableFor = (each: string) =>
    name === preset.id && !generic.some((one) => one.name === each)
      ? each
      : toVariableName(`MCP ${name} ${each}`);
  const given = new Set<string>();
  const typed = new Map<string, string>();
  const missing: PresetEntry['missing'][number][] = [];
  for (const each of preset.variables ?? []) {
    const own = variableFor(each.name);
    if (lookUp(own) !== undefined) given.add(each.name);
    else if (each.need === 'required') {
      const value = process.stdin.isTTY ? await readSecret(questionFor(own, each), io.stderr) : '';
      if (value === '') missing.push({ variable: own, about: aboutOf(each) });
      else typed.set(own, value);
    }
  }
  return {
    entry: settingsOfPreset(preset, paths, variableFor, given),
    typed,
    missing,
    notes: [
      ...(await missingPrograms(preset, io)),
      ...(preset.needsLogin ? [`It needs a login. Then run: exai servers login ${name}`] : []),
      ...(preset.hint ? [preset.hint] : []),
    ],
  };
}

export function storeTyped(typed: ReadonlyMap<string, string>, io: Io): void {
  if (typed.size === 0) return;
  editEnvFile(homePaths(io.env).envFile, (text) =>
    [...typed].reduce((done, [name, value]) => setVariable(done, [name], value), text),
  );
}

/** Names the variables that the user has to write to .env. */
export function printMissing({ missing }: Pick<PresetEntry, 'missing'>, { env, stdout }: Io): void {
  const { envFile } = homePaths(env);
  for (const { variable: name, about } of missing)
    stdout.write(`It needs ${name} (${about}): write ${name}=… to ${envFile}\n`);
}

/** `an API key, from https://…`. */
export function aboutOf({ about, from }: PresetVariable): string {
  return from === undefined ? about : `${about}, from ${from}`;
}

function questionFor(name: string, preset: PresetVariable): string {
  return `${name}: ${aboutOf(preset)} (not shown; Enter to add it later): `;
}

function readPaths(
  { id, arguments: wanted }: ServerPreset,
  words: readonly string[],
  io: Io,
): readonly string[] {
  if (!wanted) {
    if (words.length === 0) return [];
    throw new CallError('bad_request', `The preset ${id} takes no arguments.`, {
      field: 'command',
      fix: `exai servers add ${id}`,
    });
  }
  const fits = wanted.count === 'one' ? words.length === 1 : words.length > 0;
  if (!fits) {
    const number = wanted.count === 'one' ? `one ${wanted.is}` : `at least one ${wanted.is}`;
    throw new CallError('bad_request', `The preset ${id} needs ${number}.`, {
      field: wanted.name,
      fix: `exai servers add ${id} ${wanted.name}`,
    });
  }
  return words.map((word) => pathOf(word, wanted, io));
}

function pathOf(word: string, { is, name }: PresetArguments, io: Io): string {
  const home = userFolder(io.env);
  const path = word === '~' ? home : word.startsWith('~/') ? join(home, word.slice(2)) : word;
  const whole = isAbsolute(path) ? path : resolve(path);
  const stats = statSync(whole, { throwIfNoEntry: false });
  if (is === 'folder' ? stats?.isDirectory() : stats?.isFile()) return whole;
  throw new CallError('not_found', `${oneLine(whole, 200)} is not a ${is}.`, {
    field: name,
    fix: `Give a ${is} that exists.`,
  });
}

async function missingPrograms(
  { command, programs = [] }: ServerPreset,
  { env }: Io,
): Promise<string[]> {
  const folders = searchFolders(variable(env, 'PATH') ?? '');
  const wanted = [...(command === undefined ? [] : [command]), ...programs];
  const found = await Promise.all(wanted.map((each) => findProgram({ names: [each], folders })));
  return wanted
    .filter((_, index) => found[index] === undefined)
    .map((each) => `${each} is not on your PATH; the server needs it.`);
}
