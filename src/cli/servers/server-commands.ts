import type { CommandRow } from '../command-table.ts';

/** The rows of `exai servers …`, and of the command that takes over those of clients. */
export const SERVER_COMMANDS: readonly CommandRow[] = [
  {
    name: 'import',
    summary: 'Take over the MCP servers of your clients, so that EX-AI offers them to all',
    load: () => import('../commands/import.ts'),
  },
  {
    name: 'servers list',
    summary: 'List the MCP servers behind EX-AI, with their states',
    load: () => import('../commands/servers-list.ts'),
  },
  {
    name: 'servers show',
    summary: 'Show an MCP server: its state and its tools',
    load: () => import('../commands/servers-show.ts'),
  },
  {
    name: 'servers add',
    summary: 'Add an MCP server behind EX-AI: a preset, a command to start, or a URL',
    load: () => import('../commands/servers-add.ts'),
  },
  {
    name: 'servers presets',
    summary: 'List the MCP servers that exai servers add knows by name',
    load: () => import('../commands/servers-presets.ts'),
  },
  {
    name: 'servers remove',
    summary: 'Remove an MCP server from config.json',
    effect: 'destructive',
    load: () => import('../commands/servers-remove.ts'),
  },
  {
    name: 'servers enable',
    summary: 'Switch an MCP server on again, or some of its tools',
    load: () => import('../commands/servers-enable.ts'),
  },
  {
    name: 'servers disable',
    summary: 'Switch an MCP server off, or some of its tools',
    load: () => import('../commands/servers-disable.ts'),
  },
  {
    name: 'servers restart',
    summary: 'Connect to an MCP server again, and start its program again',
    load: () => import('../commands/servers-restart.ts'),
  },
  {
    name: 'servers login',
    summary: 'Log in to an MCP server that asks for it, in a browser (OAuth)',
    load: () => import('../commands/servers-login.ts'),
  },
  {
    name: 'servers logout',
    summary: 'Log out of an MCP server: delete its tokens, and revoke them where it can',
    effect: 'destructive',
    load: () => import('../commands/servers-logout.ts'),
  },
  {
    name: 'servers run',
    summary: 'Serve the tools of one MCP server on stdin and stdout',
    load: () => import('../commands/servers-run.ts'),
  },
  {
    name: 'servers logs',
    summary: 'Print what an MCP server wrote to its standard error',
    load: () => import('../commands/servers-logs.ts'),
  },
];
