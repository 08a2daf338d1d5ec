import { isatty } from 'node:tty';
import { systemClock } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import { exitCodeOf, runInTerminal } from '#programs/run-in-terminal.ts';
import { chooseCodingTool, STARTABLE_TOOLS, type InstalledTool } from '../code/coding-tools.ts';
import { changedEnvironment, launchKey, launchVariables, maskKey } from '../code/launch.ts';
import { runWithGatewayToken } from '../code/gateway-token.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import type { GatewayLocation } from '../gateway/daemon.ts';
import type { GatewayKey, GatewayTarget } from '../gateway/setup.ts';
import { findGateway } from '../gateway/target.ts';
import { currentPathContext } from '../init/paths.ts';
import { printJson, type Io } from '../io.ts';

const NAMES = STARTABLE_TOOLS.map(({ name }) => name).join(' or ');

export const command = defineCommand({
  name: 'code',
  summary: 'Start Claude Code, opencode or Codex with the models of the gateway',
  about:
    'Starts the daemon if needed, and the tool with the variables of exai gateway env. The tool gets a token for the gateway ' +
    'alone, which ends with it and is not printed. Options of exai code come first; the first other argument and everything after it goes ' +
    'to the tool, and so does everything after "--". The exit code is the one of the tool.\n' +
    '  exai code\n' +
    '  exai code claude -p "Explain this repository"\n' +
    '  exai code opencode --model kimi-k2.6\n' +
    '  exai code codex\n' +
    '  exai code claude -- --help\n' +
    '  exai code claude --dry-run',
  positionals: [
    { name: 'tool', need: 'optional', help: `${NAMES}; default: the first that is installed` },
  ],
  rest: { name: 'args', help: 'Passed to the tool as they are', use: 'passed_on' },
  options: {
    model: { type: 'string', value: 'M', help: 'The model to ask; default: auto' },
    'dry-run': { type: 'boolean', help: 'Show the program and its variables; start nothing' },
    json: { type: 'boolean', help: 'With --dry-run: print one JSON document' },
  },
  signals: 'own',
  async run({ options, positionals, rest = [] }, io) {
    const { model } = options;
    const isDryRun = options['dry-run'] === true;
    if (options.json && !isDryRun) throw jsonWithoutDryRunError();
    const machine = currentPathContext(io.env, process.platform);
    const tool = chooseCodingTool(positionals['tool'], machine);
    const { loaded, place, target } = await findGateway(
      { start: isDryRun ? 'never' : 'if_need_be', ...(model !== undefined && { model }) },
      io,
    );
    const key = launchKey(place, loaded);
    const launch = { tool, args: rest, daemon: place.daemon };
    if (isDryRun) {
      return showLaunch({ ...launch, gateway: { ...target, key: maskKey(key) } }, options.json, io);
    }
    if (place.daemon !== 'running') throw noDaemonError();
    const launchWith = (used: GatewayKey) => {
      const variables = launchVariables(tool.gatewayTool, { ...target, key: used });
      return runInTerminal({
        file: tool.program,
        args: [...variables.args, ...rest],
        cwd: process.cwd(),
        env: changedEnvironment(io.env, variables),
        input: isatty(0) ? 'terminal' : 'other',
      });
    };
    if (key !== 'temporary') return exitCodeOf(await launchWith(key));
    const context = { io, home: loaded.home, clock: systemClock };
    const exit = await runWithGatewayToken(context, (value) => launchWith({ is: 'shown', value }));
    return exitCodeOf(exit);
  },
});

interface Launch {
  readonly tool: InstalledTool;
  readonly args: readonly string[];
  readonly daemon: GatewayLocation['daemon'];
  /** Its key is masked. */
  readonly gateway: GatewayTarget;
}

/** Prints what would be started. */
function showLaunch(launch: Launch, json: true | undefined, io: Io): void {
  const { tool, daemon, gateway } = launch;
  const { set, unset, args: first } = launchVariables(tool.gatewayTool, gateway);
  const args = [...first, ...launch.args];
  if (json) {
    return printJson(io, {
      tool: tool.name,
      title: tool.gatewayTool.title,
      program: tool.program,
      args,
      url: gateway.url,
      daemon,
      model: gateway.model,
      variables: Object.entries(set).map(([name, value]) => ({ name, value })),
      unset,
    });
  }
  const rows = [
    ...Object.entries(set).map(([name, value]) => [name, value]),
    ...unset.map((name) => [name, io.paint('dim', '(removed)')]),
  ];
  const command = [tool.program, ...args.map((arg) => JSON.stringify(arg))].join(' ');
  io.stdout.write(
    `${tool.gatewayTool.title} would be started: ${escapeControls(command)}\n\n${formatColumns(rows)}`,
  );
  if (daemon !== 'running') io.stderr.write('exai: No daemon runs; it would be started first.\n');
}

function jsonWithoutDryRunError(): CallError {
  return new CallError('bad_request', '--json is for --dry-run: otherwise the tool writes.', {
    field: '--json',
    fix: 'Add --dry-run, or put --json after "--" if it is for the tool.',
  });
}

function noDaemonError(): CallError {
  return new CallError('network', 'No daemon runs, and EXAI_AUTOSTART is off.', {
    fix: 'exai start',
  });
}
