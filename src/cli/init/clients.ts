import { CallError } from '#core/errors/call-error.ts';
import { didYouMean } from '#core/text/text.ts';
import { commandServerEntry, type InitClient, type KeyPath } from './client-definition.ts';
import {
  inAppDataFolder,
  inConfigFolder,
  inHome,
  pathFromVariable,
  platformPath,
  type PathContext,
} from './paths.ts';

// https://code.claude.com/docs/en/mcp; with CLAUDE_CONFIG_DIR the file lies there, as `claude mcp
// add` of 2.1.197 does it.
const claudeCode: InitClient = {
  id: 'claude-code',
  name: 'Claude Code',
  format: 'json',
  locate(machine) {
    const own = pathFromVariable(machine, 'CLAUDE_CONFIG_DIR');
    const file =
      own === undefined
        ? inHome(machine, '.claude.json')
        : platformPath(machine).join(own, '.claude.json');
    return { files: [file], markers: [file, own ?? inHome(machine, '.claude')] };
  },
  keyPath: () => ['mcpServers', 'exai'],
  entry: ({ command, args, env }) => ({ type: 'stdio', command, args: [...args], env: { ...env } }),
  mode: 0o600,
  startedFrom: 'shell',
  nextStep: 'Start a new session; /mcp lists exai.',
};

const BY_HAND =
  'where Claude Desktop keeps its settings on Linux is not published: choose Settings > Developer > Edit Config once, which makes the file';

// https://modelcontextprotocol.io/docs/develop/connect-local-servers, for macOS and Windows. It
// reads JSON without comments.
const claudeDesktop: InitClient = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  format: 'json',
  locate(machine) {
    const file = inAppDataFolder(machine, 'Claude', 'claude_desktop_config.json');
    return {
      files: [file],
      markers: [inAppDataFolder(machine, 'Claude')],
      ...(machine.platform === 'linux' && { whyNotCreated: BY_HAND }),
    };
  },
  keyPath: () => ['mcpServers', 'exai'],
  entry: commandServerEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  nextStep: 'Quit Claude Desktop and start it again; closing its window is not enough.',
};

/** VS Code and its editions differ only in the name of their folder. */
function vscodeClient(id: string, name: string, folder: string): InitClient {
  return {
    id,
    name,
    format: 'jsonc',
    locate: (machine) => ({
      files: [inAppDataFolder(machine, folder, 'User', 'mcp.json')],
      markers: [inAppDataFolder(machine, folder, 'User')],
    }),
    keyPath: () => ['servers', 'exai'],
    entry: ({ command, args, env }) => ({
      type: 'stdio',
      command,
      args: [...args],
      ...(env && { env: { ...env } }),
    }),
    mode: 0o644,
    startedFrom: 'desktop',
    nextStep: `Run "MCP: List Servers" in ${name} and start exai there, if it does not by itself.`,
  };
}

// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration; the user's profile is a
// folder of https://code.visualstudio.com/docs/configure/settings#_user-settingsjson-location.
const vscode = vscodeClient('vscode', 'VS Code', 'Code');

const vscodeInsiders = vscodeClient('vscode-insiders', 'VS Code Insiders', 'Code - Insiders');

// https://cursor.com/docs/mcp
const cursor: InitClient = {
  id: 'cursor',
  name: 'Cursor',
  format: 'jsonc',
  locate: (machine) => ({
    files: [inHome(machine, '.cursor', 'mcp.json')],
    markers: [inHome(machine, '.cursor')],
  }),
  keyPath: () => ['mcpServers', 'exai'],
  entry: commandServerEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  nextStep: 'Restart Cursor, and see that exai is switched on among its MCP servers.',
};

// https://docs.devin.ai/desktop/cascade/mcp (Windsurf is Devin Desktop now; this is the file of
// Cascade).
const windsurf: InitClient = {
  id: 'windsurf',
  name: 'Windsurf',
  format: 'jsonc',
  locate: (machine) => ({
    files: [inHome(machine, '.codeium', 'windsurf', 'mcp_config.json')],
    markers: [inHome(machine, '.codeium', 'windsurf')],
  }),
  keyPath: () => ['mcpServers', 'exai'],
  entry: commandServerEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  nextStep: 'Refresh the MCP servers of Cascade, or restart Windsurf.',
};

// https://developers.openai.com/codex/config-reference, and what `codex mcp add` of 0.166.0 writes.
const codex: InitClient = {
  id: 'codex',
  name: 'Codex',
  format: 'toml',
  locate(machine) {
    const folder = pathFromVariable(machine, 'CODEX_HOME') ?? inHome(machine, '.codex');
    return { files: [platformPath(machine).join(folder, 'config.toml')], markers: [folder] };
  },
  keyPath: () => ['mcp_servers', 'exai'],
  entry: commandServerEntry,
  mode: 0o600,
  startedFrom: 'shell',
  nextStep: 'Restart Codex; /mcp lists exai.',
};

// https://geminicli.com/docs/reference/configuration. Others keep things in ~/.gemini, too, so that
// the folder alone proves nothing. It takes the comments out and reads the rest as JSON, so that a
// trailing comma stops it, as 0.61.0 was seen to.
const geminiCli: InitClient = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  format: 'json-comments',
  locate(machine) {
    const root = pathFromVariable(machine, 'GEMINI_CLI_HOME') ?? inHome(machine);
    const inFolder = (name: string) => platformPath(machine).join(root, '.gemini', name);
    return {
      files: [inFolder('settings.json')],
      markers: [inFolder('settings.json'), inFolder('projects.json')],
    };
  },
  keyPath: () => ['mcpServers', 'exai'],
  entry: commandServerEntry,
  mode: 0o644,
  startedFrom: 'shell',
  nextStep: 'Restart Gemini CLI in a folder that it trusts; /mcp lists exai.',
};

// https://opencode.ai/docs/mcp-servers and, for `servers`, https://opencode.ai/docs/migrate-v1.
// Version 1 reads both, too.
const opencode: InitClient = {
  id: 'opencode',
  name: 'opencode',
  format: 'jsonc',
  locate: (machine) => ({
    files: [
      inConfigFolder(machine, 'opencode', 'opencode.jsonc'),
      inConfigFolder(machine, 'opencode', 'opencode.json'),
    ],
    markers: [inConfigFolder(machine, 'opencode')],
  }),
  keyPath: (at) => (isListOfServers(at) ? ['mcp', 'servers', 'exai'] : ['mcp', 'exai']),
  entry: ({ command, args, env }) => ({
    type: 'local',
    command: [command, ...args],
    ...(env && { environment: { ...env } }),
  }),
  mode: 0o644,
  startedFrom: 'shell',
  nextStep: 'Restart opencode; opencode mcp list shows exai.',
};

/**
 * Version 2 nests servers one level deeper. In version 1, `servers` would be a server of that name,
 * which has a type.
 */
function isListOfServers(at: (path: KeyPath) => unknown): boolean {
  const servers = at(['mcp', 'servers']);
  const isObject = typeof servers === 'object' && servers !== null && !Array.isArray(servers);
  return isObject && typeof at(['mcp', 'servers', 'type']) !== 'string';
}

// https://zed.dev/docs/ai/mcp and https://zed.dev/docs/configuring-zed
const zed: InitClient = {
  id: 'zed',
  name: 'Zed',
  format: 'jsonc',
  locate: (machine) => ({
    files: [inFolder(machine, 'settings.json')],
    markers: [inFolder(machine)],
  }),
  keyPath: () => ['context_servers', 'exai'],
  entry: commandServerEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  nextStep:
    'Nothing: Zed sees the change by itself. Its agent settings show a green dot beside exai.',
};

function inFolder(machine: PathContext, ...names: string[]): string {
  switch (machine.platform) {
    case 'win32':
      return inAppDataFolder(machine, 'Zed', ...names);
    case 'darwin':
      return inHome(machine, '.config', 'zed', ...names);
    case 'linux':
      return inConfigFolder(machine, 'zed', ...names);
  }
}

// https://docs.cline.bot/getting-started/config: one file for the editors' extension and the
// command line. It reads JSON without comments.
const cline: InitClient = {
  id: 'cline',
  name: 'Cline',
  format: 'json',
  locate(machine) {
    const path = platformPath(machine);
    const root = pathFromVariable(machine, 'CLINE_DIR') ?? inHome(machine, '.cline');
    const data = pathFromVariable(machine, 'CLINE_DATA_DIR') ?? path.join(root, 'data');
    const file =
      pathFromVariable(machine, 'CLINE_MCP_SETTINGS_PATH') ??
      path.join(data, 'settings', 'cline_mcp_settings.json');
    return { files: [file], markers: [file, data] };
  },
  keyPath: () => ['mcpServers', 'exai'],
  entry: commandServerEntry,
  mode: 0o600,
  startedFrom: 'desktop',
  nextStep: 'Nothing: Cline sees the change by itself. Its MCP servers list exai.',
};

// https://docs.augmentcode.com/cli/integrations; https://docs.augmentcode.com/cli/config has
// comments and trailing commas.
const augment: InitClient = {
  id: 'augment',
  name: 'Augment (Auggie)',
  format: 'jsonc',
  locate: (machine) => ({
    files: [inHome(machine, '.augment', 'settings.json')],
    markers: [inHome(machine, '.augment')],
  }),
  keyPath: () => ['mcpServers', 'exai'],
  entry: commandServerEntry,
  mode: 0o600,
  startedFrom: 'shell',
  nextStep: 'Restart auggie; auggie mcp list shows exai.',
};

/** Every supported client, in display order. */
export const INIT_CLIENTS: readonly InitClient[] = [
  claudeCode,
  claudeDesktop,
  vscode,
  vscodeInsiders,
  cursor,
  windsurf,
  codex,
  geminiCli,
  opencode,
  zed,
  cline,
  augment,
];

/** The clients of a comma-separated list; undefined for all. */
export function chooseClients(named: string | undefined): readonly InitClient[] | undefined {
  if (named === undefined) return undefined;
  const ids = named.split(',').map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== '').map(clientOf))];
}

/** Names that users type for a client: its program, or its short name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['claude', 'claude-code'],
  ['gemini', 'gemini-cli'],
  ['code', 'vscode'],
  ['vs-code', 'vscode'],
  ['code-insiders', 'vscode-insiders'],
  ['auggie', 'augment'],
]);

function clientOf(name: string): InitClient {
  const known = INIT_CLIENTS.map((client) => client.id);
  const typed = name.toLowerCase();
  const id = ALIASES.get(typed) ?? typed;
  const found = INIT_CLIENTS.find((client) => client.id === id);
  if (found) return found;
  const near = didYouMean(typed, [...known, ...ALIASES.keys()]) || '.';
  throw new CallError('not_found', `No client is called ${JSON.stringify(name)}${near}`, {
    field: 'clients',
    fix: `These are known: ${known.join(', ')}.`,
  });
}
