import type { Command } from './command.ts';

export interface CommandRow {
  /** One or two words, as the user types them. */
  readonly name: string;
  readonly summary: string;
  /** `destructive`: stops, removes or replaces something, so no error message suggests it. */
  readonly effect?: 'destructive';
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** Every command, in the order of `exai --help`. The code of a command is imported when it runs. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'serve',
    summary: 'Start the daemon and stay until it is stopped',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'start',
    summary: 'Start the daemon in the background, unless it runs already',
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'stdio',
    summary: 'Serve one MCP client on stdin and stdout',
    load: () => import('./commands/stdio.ts'),
  },
  {
    name: 'status',
    summary: 'Say whether the daemon runs, and where',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'stop',
    summary: 'Stop the daemon and wait until it is gone',
    effect: 'destructive',
    load: () => import('./commands/stop.ts'),
  },
  {
    name: 'restart',
    summary: 'Stop the daemon, if it runs, and start it in the background',
    load: () => import('./commands/restart.ts'),
  },
  {
    name: 'ask',
    summary: 'Ask a question; the model that suits answers, and another when it fails',
    load: () => import('./commands/ask.ts'),
  },
  {
    name: 'chat',
    summary: 'Chat in the terminal; conversations are kept and can be gone on with',
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'threads list',
    summary: 'List your conversations, the newest first',
    load: () => import('./commands/threads-list.ts'),
  },
  {
    name: 'threads show',
    summary: 'Show what was said in a conversation',
    load: () => import('./commands/threads-show.ts'),
  },
  {
    name: 'threads search',
    summary: 'Find the turns of your conversations that have certain words',
    load: () => import('./commands/threads-search.ts'),
  },
  {
    name: 'threads fork',
    summary: 'Copy a conversation, to go on differently',
    load: () => import('./commands/threads-fork.ts'),
  },
  {
    name: 'threads export',
    summary: 'Write a whole conversation as Markdown or JSON',
    load: () => import('./commands/threads-export.ts'),
  },
  {
    name: 'threads rename',
    summary: 'Give a conversation another title',
    load: () => import('./commands/threads-rename.ts'),
  },
  {
    name: 'threads delete',
    summary: 'Delete a conversation for good',
    effect: 'destructive',
    load: () => import('./commands/threads-delete.ts'),
  },
  {
    name: 'jobs',
    summary: 'List your jobs: calls that took long and went on by themselves',
    load: () => import('./commands/jobs.ts'),
  },
  {
    name: 'jobs show',
    summary: 'Say how a job stands',
    load: () => import('./commands/jobs-show.ts'),
  },
  {
    name: 'jobs result',
    summary: 'Print the answer of a job, or how far it is',
    load: () => import('./commands/jobs-result.ts'),
  },
  {
    name: 'jobs cancel',
    summary: 'Stop a job',
    effect: 'destructive',
    load: () => import('./commands/jobs-cancel.ts'),
  },
  {
    name: 'results read',
    summary: 'Write an answer that was too long for its client',
    load: () => import('./commands/results-read.ts'),
  },
  {
    name: 'explain',
    summary: 'Say which model would answer, and why, without asking it',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'gateway env',
    summary: 'Print the variables that point a tool at the gateway',
    load: () => import('./commands/gateway-env.ts'),
  },
  {
    name: 'tools',
    summary: 'List the tools of the daemon, which is started if need be',
    load: () => import('./commands/tools.ts'),
  },
  {
    name: 'call',
    summary: 'Call a tool of the daemon, which is started if need be',
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'access explain',
    summary: 'Say what a client may use, and why',
    load: () => import('./commands/access-explain.ts'),
  },
  {
    name: 'access list',
    summary: 'Show which clients have a token, and for what',
    load: () => import('./commands/access-list.ts'),
  },
  {
    name: 'access add',
    summary: 'Give a client a token of its own',
    load: () => import('./commands/access-add.ts'),
  },
  {
    name: 'access remove',
    summary: 'Take the token of a client away',
    effect: 'destructive',
    load: () => import('./commands/access-remove.ts'),
  },
  {
    name: 'init',
    summary: 'Connect the MCP clients that are installed here',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'service install',
    summary: 'Start the daemon at login from now on',
    load: () => import('./commands/service-install.ts'),
  },
  {
    name: 'service remove',
    summary: 'Start the daemon at login no longer',
    effect: 'destructive',
    load: () => import('./commands/service-remove.ts'),
  },
  {
    name: 'service status',
    summary: 'Say whether the daemon is started at login, and runs as a service',
    load: () => import('./commands/service-status.ts'),
  },
  {
    name: 'doctor',
    summary: 'Say what works, what does not, and what to do next',
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
    summary: 'Show which keys are set, and where each came from',
    load: () => import('./commands/keys-list.ts'),
  },
  {
    name: 'keys test',
    summary: 'Ask each provider whether it accepts its key',
    load: () => import('./commands/keys-test.ts'),
  },
  {
    name: 'keys remove',
    summary: 'Remove a stored key',
    effect: 'destructive',
    load: () => import('./commands/keys-remove.ts'),
  },
  {
    name: 'models',
    summary: 'List the models, their windows and prices, and which can be used',
    load: () => import('./commands/models.ts'),
  },
  {
    name: 'models refresh',
    summary: 'Ask the providers which models they have now',
    load: () => import('./commands/models-refresh.ts'),
  },
  {
    name: 'usage',
    summary: 'Show what was asked of models, and what it cost',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'config show',
    summary: 'Show every setting, secrets masked',
    load: () => import('./commands/config-show.ts'),
  },
  {
    name: 'logs',
    summary: 'Show the last lines of a log, and follow it',
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'backup',
    summary: 'Save everything in the store to one file',
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'restore',
    summary: 'Put a backup in place of the store',
    effect: 'destructive',
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'audit verify',
    summary: 'Check that no row of the audit was changed, removed or inserted',
    load: () => import('./commands/audit-verify.ts'),
  },
  {
    name: 'emulate',
    summary: 'Run the providers’ emulator, for tests and tries without a key',
    load: () => import('./commands/emulate.ts'),
  },
  {
    name: 'completion',
    summary: 'Print the script that completes commands and options in a shell',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'version',
    summary: 'Show the versions of EX-AI, Node.js and the store',
    load: () => import('./commands/version.ts'),
  },
];
