import type { CommandRow } from './command-table.ts';

export interface CommandGroup {
  readonly title: string;
  readonly rows: readonly CommandRow[];
}

/** The headings of `exai --help`, each with the first words of its commands. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'Set up': ['init', 'keys', 'providers', 'doctor', 'models', 'config'],
  Ask: ['ask', 'chat', 'explain', 'threads', 'read'],
  'Tools and jobs': ['tools', 'call', 'servers', 'import', 'pins', 'jobs', 'results'],
  Daemon: ['start', 'stop', 'restart', 'status', 'open', 'serve', 'stdio', 'service', 'logs'],
  'Clients and access': ['code', 'gateway', 'token', 'access'],
  'Usage and data': ['usage', 'files', 'index', 'backup', 'restore', 'retention', 'audit'],
  More: ['emulate', 'completion', 'version'],
};

/**
 * The commands under their headings, in the order of the first words. A command without a heading
 * comes last, so that none is left out.
 */
export function groupCommands(commands: readonly CommandRow[]): CommandGroup[] {
  const firstWord = ({ name }: CommandRow) => name.split(' ', 1)[0] ?? name;
  const placed = new Set(Object.values(HEADINGS).flat());
  const others = commands.map(firstWord).filter((word) => !placed.has(word));
  const headings = { ...HEADINGS, More: [...(HEADINGS['More'] ?? []), ...new Set(others)] };
  return Object.entries(headings)
    .map(([title, words]) => ({
      title,
      rows: words.flatMap((word) => commands.filter((row) => firstWord(row) === word)),
    }))
    .filter(({ rows }) => rows.length > 0);
}
