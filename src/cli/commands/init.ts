import { settingsLeftBehind } from '#app/service/service-world.ts';
import { systemClock } from '#app/system.ts';
import { variable } from '#config/environment.ts';
import { homePaths } from '#config/home.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { chooseClients } from '../init/choose-clients.ts';
import { INIT_CLIENTS } from '../init/clients/index.ts';
import { inHome, shortPath, thisMachine } from '../init/machine.ts';
import { exitOf, outcomeDocument } from '../init/outcome.ts';
import { findPrograms } from '../init/program.ts';
import { recordsFolder } from '../init/records.ts';
import { initTasks, runTasks, undoTasks } from '../init/run-init.ts';
import { showByHand, showErrors, showLeftBehind, showNext, showPlans } from '../init/show.ts';
import { byHandText, nobodyFound, questionWords, summaryWords } from '../init/words.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'init',
  summary: 'Connect the MCP clients that are installed here',
  about:
    'Finds the settings of your clients, shows what would change, asks, and writes. Everything else in them stays as it ' +
    'is, and what they were is kept for --undo. Clients: ' +
    `${INIT_CLIENTS.map(({ id }) => id).join(', ')}.`,
  positionals: [
    { name: 'clients', need: 'optional', help: 'Only these, separated by commas; all unless told' },
  ],
  noMoreWords: 'Several clients are separated by commas: exai init cursor,zed',
  options: {
    'dry-run': { type: 'boolean', help: 'Only show what would change' },
    undo: { type: 'boolean', help: 'Take back what was written' },
    yes: { type: 'boolean', short: 'y', help: 'Without asking' },
  },
  async run({ options, positionals }, io) {
    const machine = thisMachine(io.env, process.platform);
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
    const programs = mode === 'undo' ? undefined : findPrograms(running, machine);
    const tasks = programs ? initTasks(clients, machine, programs, home) : undoTasks(clients, home);
    const planned = tasks.map(({ outcome }) => outcome);
    const changes = planned.filter(({ hunk }) => hunk !== undefined).length;

    if (!options.json) {
      showPlans(io, planned, machine);
      if (planned.length === 0) io.stdout.write('There is nothing to undo.\n');
    }
    if (changes > 0 && !options['dry-run'] && !options.yes) {
      io.stdout.write(options.json ? '' : '\n');
      const backups = shortPath(machine, recordsFolder(home));
      const asked = questionWords(mode, changes, backups);
      await confirm({ input: process.stdin, output: io.stderr, ...asked });
    }
    const at = new Date(systemClock.now()).toISOString();
    const outcomes = options['dry-run'] ? planned : runTasks(tasks, home, at);
    const byHand = programs && nobodyFound(outcomes) ? byHandText(programs) : undefined;
    const leftBehind = programs && !byHand ? settingsLeftBehind(io.env) : [];

    if (options.json) {
      printJson(io, {
        action: mode,
        dryRun: options['dry-run'] === true,
        written: outcomes.filter(({ written }) => written).length,
        backups: recordsFolder(home),
        clients: outcomes.map(outcomeDocument),
        ...(programs && { leftBehind }),
        ...(byHand !== undefined && { byHand }),
      });
    } else {
      const doing = options['dry-run'] ? 'dry-run' : mode;
      if (planned.length > 0) io.stdout.write(`\n${summaryWords(doing, outcomes)}\n`);
      showErrors(io, outcomes);
      if (byHand !== undefined) showByHand(io, byHand);
      if (programs) showNext(io, outcomes);
      showLeftBehind(io, leftBehind);
    }
    return options.undo ? exitOf(outcomes, 'all') : exitOf(outcomes, chosen ? 'some' : 'all');
  },
});
