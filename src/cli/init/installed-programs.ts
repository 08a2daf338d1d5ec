import { existsSync } from 'node:fs';
import { variable } from '#config/environment.ts';
import { inHome, pathFromVariable, platformPath, type PathContext } from './paths.ts';
import { findExecutable, isExecutable, userPathFolders } from './user-path.ts';

/** Where the program of a client is, for clients that were installed and never started. */
interface ProgramLocations {
  /** Names on PATH that no other program is known to have. */
  readonly names: readonly string[];
  /** Where its installer puts it, by the names of folders below the user's home. */
  readonly inHome?: readonly (readonly string[])[];
  /** The name of its application on macOS. */
  readonly macosApp?: string;
  /** Its folder in `%LOCALAPPDATA%` on Windows. */
  readonly windowsFolder?: readonly string[];
}

const LOCATIONS: Readonly<Record<string, ProgramLocations>> = {
  'claude-code': {
    names: ['claude'],
    inHome: [
      ['.local', 'bin', 'claude'],
      ['.local', 'bin', 'claude.exe'],
      ['.claude', 'local', 'claude'],
    ],
  },
  'claude-desktop': { names: [], macosApp: 'Claude', windowsFolder: ['AnthropicClaude'] },
  vscode: {
    names: ['code'],
    macosApp: 'Visual Studio Code',
    windowsFolder: ['Programs', 'Microsoft VS Code'],
  },
  'vscode-insiders': {
    names: ['code-insiders'],
    macosApp: 'Visual Studio Code - Insiders',
    windowsFolder: ['Programs', 'Microsoft VS Code Insiders'],
  },
  cursor: {
    names: ['cursor', 'cursor-agent'],
    inHome: [['.local', 'bin', 'cursor-agent']],
    macosApp: 'Cursor',
    windowsFolder: ['Programs', 'cursor'],
  },
  windsurf: { names: ['windsurf'], macosApp: 'Windsurf', windowsFolder: ['Programs', 'Windsurf'] },
  codex: { names: ['codex'], inHome: [['.local', 'bin', 'codex']], macosApp: 'Codex' },
  'gemini-cli': { names: ['gemini'] },
  opencode: {
    names: ['opencode'],
    inHome: [
      ['.opencode', 'bin', 'opencode'],
      ['.opencode', 'bin', 'opencode.exe'],
    ],
  },
  // Not `zed` on PATH: with ZFS that is its event daemon.
  zed: {
    names: ['zeditor'],
    inHome: [
      ['.local', 'bin', 'zed'],
      ['.local', 'zed.app'],
    ],
    macosApp: 'Zed',
    windowsFolder: ['Programs', 'Zed'],
  },
  cline: { names: ['cline'] },
  augment: { names: ['auggie'] },
};

/** Whether the program of a client is on the user's PATH or where its installer puts it. */
export function isProgramInstalled(client: string, machine: PathContext): boolean {
  const locations = Object.hasOwn(LOCATIONS, client) ? LOCATIONS[client] : undefined;
  if (locations === undefined) return false;
  const folders = userPathFolders(machine).filter((folder) => !isRemoteCli(folder));
  if (locations.names.some((name) => findExecutable(name, folders, machine) !== undefined)) {
    return true;
  }
  return usualPlaces(locations, machine).some((place) => existsSync(place));
}

/**
 * The program of a client as this shell would start it, or where its installer puts it. Relative
 * entries of PATH are ignored: they mean the current folder.
 */
export function findClientProgram(client: string, machine: PathContext): string | undefined {
  const locations = Object.hasOwn(LOCATIONS, client) ? LOCATIONS[client] : undefined;
  if (locations === undefined) return undefined;
  const paths = platformPath(machine);
  const list = variable(machine.env, 'PATH') ?? variable(machine.env, 'Path') ?? '';
  const folders = list.split(paths.delimiter).filter((folder) => paths.isAbsolute(folder));
  for (const name of locations.names) {
    const found = findExecutable(name, folders, machine);
    if (found !== undefined) return found;
  }
  return usualPlaces(locations, machine).find(isExecutable);
}

/** A terminal of a remote VS Code has a `code` that talks to the editor of another machine. */
function isRemoteCli(folder: string): boolean {
  return folder.split(/[\\/]/).includes('remote-cli');
}

function usualPlaces(locations: ProgramLocations, machine: PathContext): string[] {
  const { inHome: below = [], macosApp, windowsFolder } = locations;
  const places = below.map((names) => inHome(machine, ...names));
  if (machine.platform === 'darwin' && macosApp !== undefined) {
    const app = `${macosApp}.app`;
    places.push(`/Applications/${app}`, inHome(machine, 'Applications', app));
  }
  if (machine.platform === 'win32' && windowsFolder !== undefined) {
    const root = pathFromVariable(machine, 'LOCALAPPDATA') ?? inHome(machine, 'AppData', 'Local');
    places.push(platformPath(machine).join(root, ...windowsFolder));
  }
  return places;
}
