import type { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { shortPath, type PathContext } from '../init/paths.ts';
import type { Io } from '../io.ts';
import { describeDownload } from '../servers/new-server.ts';
import type { ReadSource } from './found-servers.ts';
import type { PlannedMove } from './move-entries.ts';
import { describeSettings, type PlannedServer } from './plan-import.ts';
import type { FileUndo, ImportUndoPlan } from './undo-import.ts';

const MAX_COMMAND_CHARS = 60;

/** The table of what was found, and what comes with it. */
export function printImportPlan(io: Io, planned: readonly PlannedServer[]): void {
  const rows = planned.map((server) => [
    io.paint('bold', escapeControls(server.name)),
    clientsOf(server),
    decisionOf(io, server),
  ]);
  io.stdout.write(formatColumns(rows, '', io.width));
  const additions = planned.filter(({ is }) => is === 'add');
  for (const line of additions.flatMap(detailsOf)) io.stdout.write(`  ${escapeControls(line)}\n`);
}

function clientsOf({ found }: PlannedServer): string {
  return [...new Set(found.map(({ source }) => source.name))].join(', ');
}

function decisionOf({ paint }: Io, server: PlannedServer): string {
  switch (server.is) {
    case 'add': {
      const what = oneLine(describeSettings(server.settings), MAX_COMMAND_CHARS);
      const name = server.renamedFrom === undefined ? '' : ` (${server.renamedFrom} there)`;
      return `${paint('green', 'add')}${escapeControls(`${name}: ${what}`)}`;
    }
    case 'present':
      return 'behind EX-AI already';
    case 'exai':
      return 'left alone: it is EX-AI itself';
    case 'unusable':
      return escapeControls(`left alone: ${oneLine(server.why, 200)}`);
  }
}

function detailsOf(server: PlannedServer): string[] {
  if (server.is !== 'add') return [];
  const { name, settings, hidden, missing, notes } = server;
  const download = describeDownload({ ...settings });
  return [
    ...(hidden.length > 0
      ? [`${name}: ${listOf(hidden.map(({ variable }) => variable))} to .env`]
      : []),
    ...(missing.length > 0
      ? [`${name}: needs ${listOf(missing)}, not set here; the server is off until it is in .env`]
      : []),
    ...(settings.disabled ? [`${name}: switched off, as in its client`] : []),
    ...(download === undefined ? [] : [`${name}: ${download}`]),
    ...notes.map((note) => `${name}: ${note}`),
  ];
}

function listOf(names: readonly string[]): string {
  return names.join(', ');
}

/** What happens to the files of clients. */
export function printMoves(io: Io, moves: readonly PlannedMove[], machine: PathContext): void {
  if (moves.length === 0) return;
  const rows = moves.map((move) => {
    const file = shortPath(machine, move.source.file);
    switch (move.is) {
      case 'remove':
        return [move.source.name, file, io.paint('red', `remove ${listOf(move.names)}`)];
      case 'not_connected':
        return [
          move.source.name,
          file,
          `left alone: it does not use EX-AI. First: exai init ${move.source.id}`,
        ];
      case 'refused':
        return [move.source.name, file, io.paint('red', 'refused')];
    }
  });
  io.stdout.write(
    `\n${formatColumns(
      rows.map((row) => row.map(escapeControls)),
      '',
      io.width,
    )}`,
  );
}

export function printUndoPlan(io: Io, plan: ImportUndoPlan, machine: PathContext): void {
  const { record, files, servers, kept, variables } = plan;
  const rows = [
    ...files.map((each) => [shortPath(machine, each.file.file), describeFileUndo(each)]),
    ...servers.map((name) => [name, 'remove from config.json']),
    ...kept.map((name) => [name, 'left alone: it was changed in config.json since']),
    ...variables.map((name) => [name, 'remove from .env']),
  ];
  io.stdout.write(`The import of ${record.at}:\n${formatColumns(rows, '  ', io.width)}`);
}

export function describeFileUndo(undo: FileUndo): string {
  const entries = undo.file.paths.map((path) => path.at(-1)).join(', ');
  switch (undo.is) {
    case 'restore':
      return 'put back as it was';
    case 'add_back':
      return `add ${entries} back; the rest was changed since`;
    case 'unchanged':
      return 'nothing to do: the entries are there';
    case 'refused':
      return 'refused';
  }
}

/** Files that cannot be read, with their fixes. */
export function printImportErrors(io: Io, errors: readonly CallError[]): void {
  for (const { message, fix } of errors) {
    io.stderr.write(`exai: ${message}\n`);
    if (fix !== undefined) io.stderr.write(`  fix: ${fix}\n`);
  }
}

export function serverJson(server: PlannedServer): object {
  const { name, is, found } = server;
  return {
    name,
    decision: is,
    found: found.map(({ source, path }) => ({
      client: source.id,
      file: source.file,
      path: path.join('.'),
    })),
    ...(server.is === 'unusable' && { why: server.why }),
    ...(server.is === 'add' && {
      settings: server.settings,
      stored: server.hidden.map(({ variable }) => variable),
      missing: server.missing,
      notes: server.notes,
      ...(server.renamedFrom !== undefined && { renamedFrom: server.renamedFrom }),
    }),
  };
}

export function moveJson(move: PlannedMove): object {
  const { source, is } = move;
  return {
    client: source.id,
    file: source.file,
    decision: is,
    ...(move.is === 'refused' ? { error: move.error.toJSON() } : { servers: move.names }),
  };
}

export function sourceErrors(sources: readonly ReadSource[]): readonly CallError[] {
  return sources.flatMap((read) => (read.is === 'refused' ? [read.error] : []));
}
