import type { SettingsFormatName } from './edit-settings.ts';
import type { LaunchCommand } from './launch-command.ts';
import type { PathContext } from './paths.ts';

/** The keys that lead to a value in a settings file. */
export type KeyPath = readonly [string, ...string[]];
export type ServerEntry = Readonly<Record<string, unknown>>;

export interface SettingsLocation {
  /**
   * The possible files, by their documented names. The first existing one is used; if none exists,
   * the first is created.
   */
  readonly files: readonly [string, ...string[]];
  /** One of these exists if the client is installed. */
  readonly markers: readonly string[];
  /** Why no file is created, where only an existing file proves the location. */
  readonly whyNotCreated?: string;
}

/** An MCP client: where its settings are, and what is written there. */
export interface InitClient {
  /** The id that users type. */
  readonly id: string;
  readonly name: string;
  readonly format: SettingsFormatName;
  locate(machine: PathContext): SettingsLocation;
  /** The path of our entry. `at` reads values of the file. */
  keyPath(at: (path: KeyPath) => unknown): KeyPath;
  entry(program: LaunchCommand): ServerEntry;
  /** The mode of a new file. */
  readonly mode: 0o600 | 0o644;
  /** Programs that are started from a desktop have a different PATH than a shell. */
  readonly startedFrom: 'shell' | 'desktop';
  /** What the user does to activate the change. */
  readonly nextStep: string;
}

/** The entry format of most clients. */
export function commandServerEntry({ command, args, env }: LaunchCommand): ServerEntry {
  return { command, args: [...args], ...(env && { env: { ...env } }) };
}
