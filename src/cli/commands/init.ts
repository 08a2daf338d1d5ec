import { settingsLeftBehind } from '#app/service/service-context.ts';
import { systemClock } from '#app/system.ts';
import { variable } from '#config/environment.ts';
import { homePaths } from '#config/home/home.ts';
import { defineCommand } from '../command.ts';
import { daemonTokenFor } from '../config-option.ts';
import { confirm } from '../confirm.ts';
import { checkEntries, type EntryCheckContext } from '../init/check-entries.ts';
import { chooseClients, INIT_CLIENTS } from '../init/clients.ts';
import { findLaunchCommands } from '../init/launch-command.ts';
import { loginPathFolders } from '../init/login-path.ts';
import { initExitCode, outcomeJson, type InitOutcome } from '../init/outcome.ts';
import { inHome, shortPath, currentPathContext } from '../init/paths.ts';
import { recordsFolder } from '../init/records.ts';
import {
  formatConfirmation,
  formatManualEntry,
  formatSummary,
  isNoClientFound,
  printChecks,
  printErrors,
  printManualSetup,
  printNextSteps,
  printPlans,
  printShellOnlySettings,
} from '../init/render.ts';
import { planInitTasks, runInitTasks, planUndoTasks } from '../init/run-init.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { printJson, type Io } from '../io.ts';

const CHECKING = 'Starting each entry as its client would; the first start takes a few seconds.';

/** Ctrl-C ends the check, so that the user still learns what was written. */
async function checkUntilInterrupted(
  outcomes: readonly InitOutcome[],
  context: Omit<EntryCheckContext, 'signal'>,
  io: Io,
): Promise<InitOutcome[]> {
  const interrupt = listenForInterrupt(io.signal);
  try {
    return await checkEntries(outcomes, { ...context, signal: interrupt.signal });
  } finally {
    interrupt.stop();
  }
}

export const command = defineCommand({
  name: 'init',
  summary: 'Connect the MCP clients on this machine',
  about:
    'Finds the settings of your clients, shows what would change, asks, and writes. Then it starts each entry as the client ' +
    'would, and says whether it answers. Everything else in the settings stays as it is, and what they were is kept for ' +
    '--undo. Clients: ' +
    `${INIT_CLIENTS.map(({ id }) => id).join(', ')}.`,
  positionals: [
    { name: 'clients', need: 'optional', help: 'Only these, separated by commas (default: all)' },
  ],
  extraArgumentError: 'Several clients are separated by commas: exai init cursor,zed',
  options: {
    'dry-run': { type: 'boolean', help: 'Only show what would change' },
    undo: { type: 'boolean', help: 'Take back what was written' },
    yes: { type: 'boolean', short: 'y', help: 'Without asking' },
  },
  // Until something is written, Ctrl-C ends it at once, as Node does without a listener.
  signals: 'own',
  async run({ options, positionals }, io) {
    const machine = currentPathContext(io.env, process.platform);
    const home = homePaths(io.env);
    const chosen = chooseClients(positionals['clients']);
    const clients = chosen ?? INIT_CLIENTS;
    const isUsualHome = home.root === inHome(machine, '.exai');
    const running = {
      node: process.execPath,
      script: process.argv[1] ?? '',
      home: variable(io.env, 'EXAI_HOME') === undefined || isUsualHome ? undefined : home.root,
    };
    const mode = options.undo ? 'undo' : 'init';
    const programs =
      mode === 'undo'
        ? undefined
        : findLaunchCommands(running, machine, await loginPathFolders(machine, systemClock));
    const tasks = programs
      ? planInitTasks(clients, machine, programs, home)
      : planUndoTasks(clients, home);
    const planned = tasks.map(({ outcome }) => outcome);
    const changes = planned.filter(({ hunk }) => hunk !== undefined).length;

    if (!options.json) {
      printPlans(io, planned, machine);
      if (planned.length === 0) io.stdout.write('There is nothing to undo.\n');
    }
    if (changes > 0 && !options['dry-run'] && !options.yes) {
      io.stdout.write(options.json ? '' : '\n');
      const backups = shortPath(machine, recordsFolder(home));
      const confirmation = formatConfirmation(mode, changes, backups);
      await confirm({ input: process.stdin, output: io.stderr, ...confirmation });
    }
    const at = new Date(systemClock.now()).toISOString();
    const done = options['dry-run'] ? planned : runInitTasks(tasks, home, at);
    const isChecked = programs !== undefined && !options['dry-run'];
    const token = () => daemonTokenFor({}, io);
    const context = { machine, home, clock: systemClock, token };
    if (isChecked && io.progress === 'live') io.stderr.write(`\n${CHECKING}\n`);
    const outcomes = isChecked ? await checkUntilInterrupted(done, context, io) : done;
    const byHand = programs && isNoClientFound(outcomes) ? formatManualEntry(programs) : undefined;
    const leftBehind = programs && !byHand ? settingsLeftBehind(io.env) : [];

    if (options.json) {
      printJson(io, {
        action: mode,
        dryRun: options['dry-run'] === true,
        written: outcomes.filter(({ written }) => written).length,
        backups: recordsFolder(home),
        clients: outcomes.map(outcomeJson),
        ...(programs && { leftBehind }),
        ...(byHand !== undefined && { byHand }),
      });
    } else {
      const doing = options['dry-run'] ? 'dry-run' : mode;
      if (planned.length > 0) io.stdout.write(`\n${formatSummary(doing, outcomes)}\n`);
      printChecks(io, outcomes);
      printErrors(io, outcomes);
      if (byHand !== undefined) printManualSetup(io, byHand);
      if (programs) printNextSteps(io, outcomes);
      printShellOnlySettings(io, leftBehind);
    }
    return options.undo
      ? initExitCode(outcomes, 'all')
      : initExitCode(outcomes, chosen ? 'some' : 'all');
  },
});
