import { PIN_COMMANDS } from './pins/pin-commands.ts';
import { SERVER_COMMANDS } from './servers/server-commands.ts';
import { STORE_COMMANDS } from './store-commands.ts';
import type { Command } from './command.ts';
import { hasEmulator } from './emulator-program.ts';

export interface CommandRow {
  /** One or two words, as the user types them. */
  readonly name: string;
  readonly summary: string;
  /** `destructive`: stops, removes or replaces something, so no error message suggests it. */
  readonly effect?: 'destructive';
  /** Whether help and completion list it; absent: always. */
  readonly isOffered?: () => boolean;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** Every command, in the order of `exai --help`. The code of a command is imported when it runs. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'serve',
    summary: 'Run the daemon in the foreground',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'start',
    summary: 'Start the daemon in the background if it is not running',
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'stdio',
    summary: 'Serve one MCP client on stdin and stdout',
    load: () => import('./commands/stdio.ts'),
  },
  {
    name: 'status',
    summary: 'Show whether the daemon is running, and where',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'open',
    summary: 'Open the page of the daemon in a browser: providers, last calls, cost',
    load: () => import('./commands/open.ts'),
  },
  {
    name: 'stop',
    summary: 'Stop the daemon and wait until it has ended',
    effect: 'destructive',
    load: () => import('./commands/stop.ts'),
  },
  {
    name: 'restart',
    summary: 'Stop the daemon if it is running, and start it in the background',
    load: () => import('./commands/restart.ts'),
  },
  {
    name: 'ask',
    summary: 'Ask a question; picks a suitable model and falls back if it fails',
    load: () => import('./commands/ask.ts'),
  },
  {
    name: 'chat',
    summary: 'Chat in the terminal; conversations are saved and can be resumed',
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'threads list',
    summary: 'List your conversations, newest first',
    load: () => import('./commands/threads-list.ts'),
  },
  {
    name: 'threads show',
    summary: 'Show the turns of a conversation',
    load: () => import('./commands/threads-show.ts'),
  },
  {
    name: 'threads search',
    summary: 'Find turns of your conversations by words',
    load: () => import('./commands/threads-search.ts'),
  },
  {
    name: 'threads fork',
    summary: 'Copy a conversation to continue it separately',
    load: () => import('./commands/threads-fork.ts'),
  },
  {
    name: 'threads export',
    summary: 'Export a conversation as Markdown or JSON',
    load: () => import('./commands/threads-export.ts'),
  },
  {
    name: 'threads rename',
    summary: 'Rename a conversation',
    load: () => import('./commands/threads-rename.ts'),
  },
  {
    name: 'threads delete',
    summary: 'Delete a conversation permanently',
    effect: 'destructive',
    load: () => import('./commands/threads-delete.ts'),
  },
  {
    name: 'jobs',
    summary: 'List background jobs',
    load: () => import('./commands/jobs.ts'),
  },
  {
    name: 'jobs show',
    summary: 'Show the status of a job',
    load: () => import('./commands/jobs-show.ts'),
  },
  {
    name: 'jobs result',
    summary: 'Print the result of a job, or its progress',
    load: () => import('./commands/jobs-result.ts'),
  },
  {
    name: 'jobs cancel',
    summary: 'Cancel a job',
    effect: 'destructive',
    load: () => import('./commands/jobs-cancel.ts'),
  },
  {
    name: 'results read',
    summary: 'Print a result that was too large to return inline',
    load: () => import('./commands/results-read.ts'),
  },
  {
    name: 'files list',
    summary: 'List your stored files, newest first',
    load: () => import('./commands/files-list.ts'),
  },
  {
    name: 'files show',
    summary: 'Show a stored file: size, age, last use, copies at providers',
    load: () => import('./commands/files-show.ts'),
  },
  {
    name: 'files add',
    summary: 'Store a file, so that questions can name it by its id',
    load: () => import('./commands/files-add.ts'),
  },
  {
    name: 'files get',
    summary: 'Write the content of a stored file to a file',
    load: () => import('./commands/files-get.ts'),
  },
  {
    name: 'files delete',
    summary: 'Delete a stored file, and its copies at providers',
    effect: 'destructive',
    load: () => import('./commands/files-delete.ts'),
  },
  {
    name: 'files prune',
    summary: 'Delete stored files that were not used for some time',
    effect: 'destructive',
    load: () => import('./commands/files-prune.ts'),
  },
  ...SERVER_COMMANDS,
  ...PIN_COMMANDS,
  {
    name: 'index add',
    summary: 'Index files, folders or patterns for search_files and index search',
    load: () => import('./commands/index-add.ts'),
  },
  {
    name: 'index search',
    summary: 'Search the indexed files, without a model',
    load: () => import('./commands/index-search.ts'),
  },
  {
    name: 'index list',
    summary: 'List the indexed files, newest first',
    load: () => import('./commands/index-list.ts'),
  },
  {
    name: 'index update',
    summary: 'Index new and changed files, and drop those that are gone',
    load: () => import('./commands/index-update.ts'),
  },
  {
    name: 'index remove',
    summary: 'Remove files from the index; the files themselves stay',
    effect: 'destructive',
    load: () => import('./commands/index-remove.ts'),
  },
  {
    name: 'explain',
    summary: 'Show which model would answer, and why, without a model call',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'read',
    summary: 'Convert a web page or a document to Markdown',
    load: () => import('./commands/read.ts'),
  },
  {
    name: 'code',
    summary: 'Start Claude Code, opencode or Codex with the models of the gateway',
    load: () => import('./commands/code.ts'),
  },
  {
    name: 'gateway env',
    summary: 'Print the variables that point a tool at the gateway',
    load: () => import('./commands/gateway-env.ts'),
  },
  {
    name: 'tools',
    summary: 'List the tools (starts the daemon if needed)',
    load: () => import('./commands/tools.ts'),
  },
  {
    name: 'call',
    summary: 'Call a tool (starts the daemon if needed)',
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'access explain',
    summary: 'Show what a client or an agent may use, and why',
    load: () => import('./commands/access-explain.ts'),
  },
  {
    name: 'access list',
    summary: 'List clients with their scopes',
    load: () => import('./commands/access-list.ts'),
  },
  {
    name: 'access add',
    summary: 'Create a token for a client',
    load: () => import('./commands/access-add.ts'),
  },
  {
    name: 'access remove',
    summary: 'Revoke the token of a client',
    effect: 'destructive',
    load: () => import('./commands/access-remove.ts'),
  },
  {
    name: 'init',
    summary: 'Connect the MCP clients on this machine',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'service install',
    summary: 'Start the daemon at login',
    load: () => import('./commands/service-install.ts'),
  },
  {
    name: 'service remove',
    summary: 'Stop starting the daemon at login',
    effect: 'destructive',
    load: () => import('./commands/service-remove.ts'),
  },
  {
    name: 'service status',
    summary: 'Show the state of the login service',
    load: () => import('./commands/service-status.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check what works, and how to fix what does not',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'token show',
    summary: 'Print the owner’s token, which HTTP and WebSocket clients send',
    load: () => import('./commands/token-show.ts'),
  },
  {
    name: 'token rotate',
    summary: 'Replace the owner’s token by a new random one',
    effect: 'destructive',
    load: () => import('./commands/token-rotate.ts'),
  },
  {
    name: 'keys add',
    summary: 'Store the key of a provider',
    load: () => import('./commands/keys-add.ts'),
  },
  {
    name: 'keys list',
    summary: 'List the keys that are set, and their sources',
    load: () => import('./commands/keys-list.ts'),
  },
  {
    name: 'keys test',
    summary: 'Test the keys with their providers',
    load: () => import('./commands/keys-test.ts'),
  },
  {
    name: 'keys remove',
    summary: 'Remove a stored key',
    effect: 'destructive',
    load: () => import('./commands/keys-remove.ts'),
  },
  {
    name: 'providers add',
    summary: 'Add a provider: a preset such as deepseek, or a server by its address',
    load: () => import('./commands/providers-add.ts'),
  },
  {
    name: 'providers list',
    summary: 'List the providers, and with --presets those that can be added',
    load: () => import('./commands/providers-list.ts'),
  },
  {
    name: 'providers test',
    summary: 'Ask a model of a provider for one token',
    load: () => import('./commands/providers-test.ts'),
  },
  {
    name: 'providers remove',
    summary: 'Remove an added provider and its key',
    effect: 'destructive',
    load: () => import('./commands/providers-remove.ts'),
  },
  {
    name: 'models',
    summary: 'List models with context windows, prices and availability',
    load: () => import('./commands/models.ts'),
  },
  {
    name: 'models refresh',
    summary: 'Update the model list from the providers',
    load: () => import('./commands/models-refresh.ts'),
  },
  {
    name: 'usage',
    summary: 'Show tokens and cost',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'config show',
    summary: 'Show every setting, secrets masked',
    load: () => import('./commands/config-show.ts'),
  },
  {
    name: 'config get',
    summary: 'Print the value of a setting, or of all settings of a section',
    load: () => import('./commands/config-get.ts'),
  },
  {
    name: 'config set',
    summary: 'Set a setting in config.json; a running daemon uses it at once if it can',
    load: () => import('./commands/config-set.ts'),
  },
  {
    name: 'config unset',
    summary: 'Remove a setting from config.json, so that its default applies',
    effect: 'destructive',
    load: () => import('./commands/config-unset.ts'),
  },
  {
    name: 'config reload',
    summary: 'Have the running daemon read its settings again',
    load: () => import('./commands/config-reload.ts'),
  },
  {
    name: 'logs',
    summary: 'Show the last lines of a log, and follow it',
    load: () => import('./commands/logs.ts'),
  },
  ...STORE_COMMANDS,
  {
    name: 'emulate',
    summary: 'Run an emulator of the providers, to try EX-AI without a key',
    isOffered: hasEmulator,
    load: () => import('./commands/emulate.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'version',
    summary: 'Show the versions of EX-AI, Node.js and the store',
    load: () => import('./commands/version.ts'),
  },
];

/** The commands that help and completion list in this copy of EX-AI. */
export function offeredCommands(): readonly CommandRow[] {
  return COMMANDS.filter(({ isOffered }) => isOffered?.() ?? true);
}
