import type { FormatName } from './format.ts';
import type { Machine } from './machine.ts';
import type { Program } from './program.ts';

/** The names that lead to a value in a settings file. */
export type Path = readonly [string, ...string[]];
export type Entry = Readonly<Record<string, unknown>>;

export interface Place {
  /** The settings, by their published names: the first that is there is the one; where none is, the first is made. */
  readonly files: readonly [string, ...string[]];
  /** Any of these is there when the client is installed. */
  readonly signs: readonly string[];
  /** Said instead of making a file, where only a file that is there proves that this is the place. */
  readonly never?: string;
}

/** One client: where its settings are, and what is written there. */
export interface InitClient {
  /** As typed. */
  readonly id: string;
  readonly name: string;
  readonly format: FormatName;
  place(machine: Machine): Place;
  /** The path of our entry, in a file whose values `at` tells. */
  member(at: (path: Path) => unknown): Path;
  entry(program: Program): Entry;
  /** Of a file that is made. */
  readonly mode: 0o600 | 0o644;
  /** Programs started from a desktop have another PATH than the shell in which `exai` was found. */
  readonly startedFrom: 'shell' | 'desktop';
  /** What to do so that the change is seen. */
  readonly next: string;
}

/** What most clients want. */
export function commandEntry({ command, args, env }: Program): Entry {
  return { command, args: [...args], ...(env && { env: { ...env } }) };
}
