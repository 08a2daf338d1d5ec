import { existsSync } from 'node:fs';
import type { CallError } from '#core/errors/call-error.ts';
import type { InitClient, KeyPath } from '../init/client-definition.ts';
import { SETTINGS_FORMATS, type SettingsFormatName } from '../init/edit-settings.ts';
import type { PathContext } from '../init/paths.ts';
import { readSettingsFile, type SettingsFile } from '../init/settings-file.ts';
import { settingsError } from '../init/settings-syntax-error.ts';
import { isFields } from './read-entry.ts';
import type { ReferenceStyle } from './server-texts.ts';

/** A file that may have entries of MCP servers: that of a client, or one that the user names. */
export interface ServerSource {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly format: SettingsFormatName;
  readonly style: ReferenceStyle;
  /** The objects that have entries. */
  containers(at: (path: KeyPath) => unknown): readonly KeyPath[];
}

/** One entry of a source. */
export interface FoundServer {
  readonly source: ServerSource;
  readonly name: string;
  /** Where it is in the file. */
  readonly path: KeyPath;
  readonly raw: unknown;
  /** The project that it belongs to, for Claude Code. */
  readonly project?: string;
}

export type ReadSource = { readonly source: ServerSource } & (
  | { readonly is: 'absent' }
  | { readonly is: 'refused'; readonly error: CallError }
  | {
      readonly is: 'read';
      readonly found: SettingsFile;
      readonly servers: readonly FoundServer[];
    }
);

const STYLES: Readonly<Record<string, ReferenceStyle>> = {
  'gemini-cli': { bare: true },
  opencode: { braces: true },
};

/** The file of a client; undefined if it has none. */
export function sourceOf(client: InitClient, machine: PathContext): ServerSource | undefined {
  const file = client.locate(machine).files.find((path) => existsSync(path));
  if (file === undefined) return undefined;
  const { id, name, format } = client;
  return {
    id,
    name,
    file,
    format,
    style: STYLES[id] ?? {},
    containers: (at) => [
      parentOf(client.keyPath(at)),
      ...(id === 'claude-code' ? projectPaths(at(['projects'])) : []),
    ],
  };
}

const ANY_CONTAINER: readonly KeyPath[] = [
  ['mcpServers'],
  ['mcp_servers'],
  ['servers'],
  ['context_servers'],
  ['mcp', 'servers'],
];

/** A file that the user names, such as `.mcp.json` of a project. */
export function namedSource(file: string): ServerSource {
  return {
    id: 'file',
    name: file,
    file,
    format: file.endsWith('.toml') ? 'toml' : 'jsonc',
    style: {},
    containers: (at) => ANY_CONTAINER.filter((path) => path.length === 1 || isFields(at(['mcp']))),
  };
}

/** Reads the entries of a source. */
export function readSource(source: ServerSource): ReadSource {
  try {
    const found = readSettingsFile(source.file);
    if (!found) return { source, is: 'absent' };
    return { source, is: 'read', found, servers: serversIn(found.text, source) };
  } catch (thrown) {
    return { source, is: 'refused', error: settingsError(thrown, source.file) };
  }
}

/** The entries of a text. */
export function serversIn(text: string, source: ServerSource): readonly FoundServer[] {
  const format = SETTINGS_FORMATS[source.format];
  const at = (path: KeyPath) => format.at(text, path);
  return source.containers(at).flatMap((container) => {
    const entries = at(container);
    if (!isFields(entries)) return [];
    const project = container[0] === 'projects' ? container[1] : undefined;
    return Object.keys(entries).map((name) => ({
      source,
      name,
      path: [...container, name] as unknown as KeyPath,
      raw: entries[name],
      ...(project !== undefined && { project }),
    }));
  });
}

function parentOf(path: KeyPath): KeyPath {
  return path.slice(0, -1) as unknown as KeyPath;
}

/** Claude Code also has servers for single projects: those that `claude mcp add` adds. */
function projectPaths(projects: unknown): KeyPath[] {
  if (!isFields(projects)) return [];
  return Object.entries(projects).flatMap(([project, settings]) =>
    isFields(settings) && isFields(settings['mcpServers'])
      ? [['projects', project, 'mcpServers'] as KeyPath]
      : [],
  );
}
