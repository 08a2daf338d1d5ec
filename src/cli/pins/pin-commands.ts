import type { CommandRow } from '../command-table.ts';

/** The rows of `exai pins …`. */
export const PIN_COMMANDS: readonly CommandRow[] = [
  {
    name: 'pins list',
    summary: 'List quarantined tools of MCP servers, and what the scanner found',
    load: () => import('../commands/pins-list.ts'),
  },
  {
    name: 'pins diff',
    summary: 'Show how definitions of a server differ from the approved ones',
    load: () => import('../commands/pins-diff.ts'),
  },
  {
    name: 'pins approve',
    summary: 'Approve changed or added definitions of a server',
    load: () => import('../commands/pins-approve.ts'),
  },
  {
    name: 'pins reject',
    summary: 'Reject changed or added definitions of a server',
    load: () => import('../commands/pins-reject.ts'),
  },
];
