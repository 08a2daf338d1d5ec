import { daemonState } from '#app/daemon/daemon-state.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { variable } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';
import { isUrl } from '#core/net/is-url.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { namedSource, readSource, sourceOf, type ReadSource } from '../import/found-servers.ts';
import { planMoves } from '../import/move-entries.ts';
import { asConfigured, planImport, type ImportContext } from '../import/plan-import.ts';
import {
  moveJson,
  printImportErrors,
  printImportPlan,
  printMoves,
  serverJson,
  sourceErrors,
} from '../import/render-import.ts';
import { runImport } from '../import/run-import.ts';
import { storedVariables } from '../import/undo-import.ts';
import { undoImport } from '../import/undo-command.ts';
import { chooseClients, INIT_CLIENTS } from '../init/clients.ts';
import { SETTINGS_FORMATS } from '../init/edit-settings.ts';
import { currentPathContext, shortPath, type PathContext } from '../init/paths.ts';
import { readSettingsFile } from '../init/settings-file.ts';
import { printRawJson, type Io } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';

export const command = defineCommand({
  name: 'import',
  summary: 'Take over the MCP servers of your clients, so that EX-AI offers them to all',
  about:
    'Reads the settings of your clients, shows the servers it found, asks, and adds them to config.json. Secrets go to ' +
    'EXAI_HOME/.env. EX-AI itself is never imported. With --move the entries are also removed from the clients that use ' +
    'EX-AI, so that no tool is listed twice; --undo takes the newest import back. Clients: ' +
    `${INIT_CLIENTS.map(({ id }) => id).join(', ')}.`,
  positionals: [
    { name: 'clients', need: 'optional', help: 'Only these, separated by commas (default: all)' },
  ],
  extraArgumentError: 'Several clients are separated by commas: exai import cursor,codex',
  options: {
    file: { type: 'string', value: 'FILE', help: 'Read this file instead, such as .mcp.json' },
    only: { type: 'string', value: 'NAMES', help: 'Only these servers, separated by commas' },
    move: { type: 'boolean', help: 'Also remove the entries from the clients' },
    'dry-run': { type: 'boolean', help: 'Only show what would change' },
    undo: { type: 'boolean', help: 'Take the newest import back' },
    yes: { type: 'boolean', short: 'y', help: 'Without asking' },
  },
  async run({ options, positionals }, io) {
    const machine = currentPathContext(io.env, process.platform);
    if (options.undo) return undoImport(options, io, machine);
    const home = homePaths(io.env);
    const chosen = chooseClients(positionals['clients']);
    if (options.file !== undefined && (options.move || chosen)) throw fileAloneError();
    const sources = (
      options.file === undefined
        ? (chosen ?? INIT_CLIENTS).flatMap((client) => sourceOf(client, machine) ?? [])
        : [namedSource(resolve(options.file))]
    ).map(readSource);
    if (options.file !== undefined) requireFile(sources);
    const found = sources.flatMap((read) => (read.is === 'read' ? read.servers : []));
    const planned = planImport(found, contextFor(io, machine, options.only));
    const moves = options.move ? planMoves(sources, planned) : [];
    const additions = planned.filter((server) => server.is === 'add');
    const removals = moves.filter((move) => move.is === 'remove');
    const isWritten = !options['dry-run'] && additions.length + removals.length > 0;

    if (!options.json) {
      printImportPlan(io, planned);
      printMoves(io, moves, machine);
    }
    if (isWritten && !options.yes) {
      const secrets = additions.flatMap(({ hidden }) => hidden).length;
      await confirm({
        input: process.stdin,
        output: io.stderr,
        question: question(additions.length, secrets, removals.length),
        ifDeclined: 'nothing was imported',
      });
    }
    const at = new Date(systemClock.now()).toISOString();
    const failed = isWritten ? runImport(home, additions, removals, at) : [];
    const paths = additions.flatMap(({ name, settings }) =>
      Object.keys(settings).map((field) => `mcpServers.${name}.${field}`),
    );
    const reload = isWritten && paths.length > 0 ? await reloadDaemon(io, paths) : undefined;
    const errors = [
      ...sourceErrors(sources),
      ...moves.flatMap((move) => (move.is === 'refused' ? [move.error] : [])),
      ...failed.map(({ error }) => error),
    ].map(withOwnFix);

    if (options.json) {
      printRawJson(io, {
        dryRun: options['dry-run'] === true,
        imported: isWritten ? additions.map(({ name }) => name) : [],
        servers: planned.map(serverJson),
        ...(options.move && { moves: moves.map(moveJson) }),
        ...(reload && { reload: reloadJson(reload) }),
        errors: errors.map((error) => error.toJSON()),
      });
    } else {
      const summary = options['dry-run']
        ? 'Nothing was written.'
        : summarise(additions.length, removals.length - failed.length);
      io.stdout.write(found.length === 0 ? noServers(machine, sources.length) : `\n${summary}\n`);
      const [path] = paths;
      if (reload && path !== undefined) {
        for (const line of describeReload(reload, { path, in: 'config.json' }))
          io.stdout.write(`${line}\n`);
      }
      if (isWritten && !options.move)
        io.stdout.write(`${nextStep(planned.length, options.file)}\n`);
      printImportErrors(io, errors);
    }
    const [error] = errors;
    if (error) return error.policy.exit;
    return chosen && sources.length < chosen.length ? ERROR_POLICY.not_found.exit : 0;
  },
});

function contextFor(io: Io, machine: PathContext, only: string | undefined): ImportContext {
  const home = homePaths(io.env);
  const { config } = loadConfig({ env: io.env });
  const text = readSettingsFile(home.configFile)?.text ?? '{}';
  const configured = asConfigured(SETTINGS_FORMATS.json.at(text, ['mcpServers']));
  const stored = storedVariables(home);
  const state = daemonState(home);
  const running = state.is === 'running' ? portOf(state.record.url) : undefined;
  const ports = [config.port, running].filter((port) => typeof port === 'number');
  const names = only?.split(',').map((name) => name.trim());
  return {
    machine,
    configured,
    otherNames: new Set(Object.keys(config.mcpServers)),
    lookUp: (name) => variable(io.env, name) ?? stored.get(name),
    ports: new Set(ports),
    ...(names && { only: new Set(names) }),
  };
}

function portOf(url: string | undefined): number | undefined {
  return url === undefined || !isUrl(url) ? undefined : Number(new URL(url).port);
}

function question(servers: number, secrets: number, files: number): string {
  const parts = [
    ...(servers > 0 ? [`add ${count(servers, 'server')} to config.json`] : []),
    ...(secrets > 0 ? [`store ${count(secrets, 'secret')} in .env`] : []),
    ...(files > 0 ? [`remove the entries from ${count(files, 'file')}`] : []),
  ];
  const text = parts.join(', ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}?`;
}

function summarise(servers: number, files: number): string {
  if (servers === 0 && files === 0) return 'There is nothing to import.';
  const moved = files === 0 ? '' : ` Their entries were removed from ${count(files, 'file')}.`;
  return `Imported ${count(servers, 'server')}.${moved}`;
}

function nextStep(found: number, file: string | undefined): string {
  const them = found === 1 ? 'it' : 'them';
  if (file !== undefined) {
    return `Clients that read ${file} still have ${them} directly as well; remove the entries there.`;
  }
  return `Your clients still have ${them} directly as well; exai import --move removes the entries there.`;
}

function noServers(machine: PathContext, sources: number): string {
  const where =
    sources === 0
      ? `no client has settings in ${shortPath(machine, machine.home)}`
      : 'no client has any';
  return `No MCP servers were found: ${where}.\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A file that the user names has to be there. */
function requireFile(sources: readonly ReadSource[]): void {
  const absent = sources.find(({ is }) => is === 'absent');
  if (!absent) return;
  throw new CallError('not_found', `${absent.source.file} does not exist.`, {
    field: '--file',
    fix: 'Give a file that exists, such as .mcp.json of a project.',
  });
}

function fileAloneError(): CallError {
  return new CallError('bad_request', '--file reads one file, which --move does not change.', {
    field: '--file',
    fix: 'exai import --file .mcp.json, without clients and without --move',
  });
}

/** Errors of settings files advise to run `exai init` again. */
function withOwnFix(error: CallError): CallError {
  const file = error.field;
  return new CallError(error.class, error.message, {
    ...(file !== undefined && { field: file }),
    fix: `Correct ${file ?? 'it'}, then run exai import again. Nothing was written to it.`,
    cause: error,
  });
}
