import { realpathSync } from 'node:fs';
import { variable } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION } from '../config-option.ts';
import { formatColumns } from '../format/layout.ts';
import type { GatewayLocation } from '../gateway/daemon.ts';
import {
  chooseGatewayKey,
  describeMissingKey,
  keyAssignment,
  type GatewayKey,
  type GatewaySetup,
  type GatewayTarget,
  type GatewayVariables,
  type TokenCommand,
} from '../gateway/setup.ts';
import {
  formatKeyCheck,
  formatShellFailure,
  formatVariables,
  SHELLS,
  variableReferences,
  type Shell,
} from '../gateway/shells.ts';
import { findGateway } from '../gateway/target.ts';
import {
  anthropicVariables,
  findGatewayTool,
  GATEWAY_TOOLS,
  openAiVariables,
  UNSUPPORTED_TOOLS,
  type GatewayTool,
} from '../gateway/tools.ts';
import { printJson, type Io } from '../io.ts';

const NO_DAEMON: Record<Exclude<GatewayLocation['daemon'], 'running'>, string> = {
  absent: 'No daemon runs; this is where it will be. Start it with: exai start',
  between: 'The daemon is just starting or stopping; this is where it is to be.',
};

export const command = defineCommand({
  name: 'gateway env',
  summary: 'Print the variables that point a tool at the gateway',
  about:
    'The gateway answers as OpenAI and Anthropic do, so a tool made for one of them needs an address, a key and a model ' +
    'alone. Without a tool it lists those it knows; for one of them the daemon is started if needed. A token is never ' +
    'printed unless --show-key is given; the lines name the variable that has it, or the command that prints it. When it fails, its output fails where ' +
    'a shell evaluates it, so that the tool is not started with what it was set up for before.\n' +
    '  e="$(exai gateway env claude-code)" && eval "$e" && claude\n' +
    '  exai gateway env aider --model kimi-k2.6\n' +
    '  exai gateway env claude-code --shell json\n' +
    '  exai gateway env claude-code --shell fish | source; and claude\n' +
    '  exai gateway env openai --shell powershell | Out-String | Invoke-Expression',
  positionals: [
    { name: 'tool', need: 'optional', help: 'Such as openai, anthropic, claude-code, aider' },
  ],
  options: {
    shell: { type: 'string', value: 'S', help: `${SHELLS.join(', ')} (default: sh)` },
    model: { type: 'string', value: 'M', help: 'The model to use (default: auto)' },
    'key-env': {
      type: 'string',
      value: 'NAME',
      help: 'The variable that has the key, such as GATEWAY_KEY',
    },
    'no-start': { type: 'boolean', help: 'Start no daemon, also where none runs' },
    'show-key': { type: 'boolean', help: 'Print the token itself, where one is needed' },
    ...CONFIG_OPTION,
  },
  failureOutput,
  async run({ options, positionals }, io) {
    const { tool: name } = positionals;
    const tool = name === undefined ? undefined : findGatewayTool(name);
    const shell = readShell(options.shell);
    const { model: named, config } = options;
    const isNamed = named !== undefined;
    const { loaded, place, target } = await findGateway(
      {
        start: tool && !options['no-start'] ? 'if_need_be' : 'never',
        ...(isNamed && { model: named }),
        ...(config !== undefined && { config }),
      },
      io,
    );
    const key = chooseGatewayKey(place, loaded, {
      display: options['show-key'] ? 'value' : 'reference',
      tokenCommand: tokenCommand(io),
      ...(options['key-env'] !== undefined && { variable: options['key-env'] }),
    });
    const { url, model } = target;
    const gateway: GatewayTarget = { ...target, key };
    if (options.json) {
      const description = { url, daemon: place.daemon, model };
      const more = tool ? setupJson(tool, gateway) : gatewayOverviewJson(gateway);
      return printJson(io, { ...description, ...more });
    }
    if (tool) printSetup(tool, gateway, shell, io);
    else io.stdout.write(formatGatewayOverview(gateway, io));
    printHint(io, place.daemon === 'running' ? undefined : NO_DAEMON[place.daemon]);
    if (tool && isNamed && tool.model === 'asked_for') {
      printHint(io, `These variables name no model: ask for "${model}" yourself.`);
    }
    printHint(io, describeMissingKey(key, name ?? 'my-tool', io.env));
  },
});

/** This program by its path: with `npx exai`, `exai` is not on the PATH. */
function tokenCommand({ env }: Pick<Io, 'env'>): TokenCommand {
  const home = variable(env, 'EXAI_HOME');
  const argv = [process.execPath, realpathSync(process.argv[1] ?? ''), 'token', 'show'];
  return { argv, ...(home !== undefined && { home }) };
}

function printHint(io: Io, words: string | undefined): void {
  if (words !== undefined) io.stderr.write(`exai: ${words}\n`);
}

function readShell(name: string | undefined): Shell | undefined {
  const shell = SHELLS.find((each) => each === name);
  if (shell !== undefined || name === undefined) return shell;
  throw new CallError('bad_request', `--shell names none of ${SHELLS.join(', ')}.`, {
    field: '--shell',
    fix: 'bash, zsh and their like take --shell sh.',
  });
}

/** Empty for a tool that is configured by a file rather than by a shell. */
function failureOutput(argv: readonly string[]): string {
  if (GATEWAY_TOOLS.some(({ name, takes }) => takes === 'file' && argv.includes(name))) return '';
  const shells = argv.flatMap((word, at) =>
    word === '--shell' ? [argv[at + 1]] : word.startsWith('--shell=') ? [word.slice(8)] : [],
  );
  return formatShellFailure(SHELLS.find((each) => each === shells.at(-1)) ?? 'sh');
}

/**
 * Prints the lines for one tool, and nothing else where a shell reads them. At a terminal the next
 * steps are added as comments, so that all of it can be pasted.
 */
function printSetup(
  tool: GatewayTool,
  gateway: GatewayTarget,
  shell: Shell | undefined,
  io: Io,
): void {
  const setup = tool.setUp(gateway);
  const more = [...tool.next(gateway)];
  if (setup.is === 'file') {
    if (shell !== undefined) throw noVariablesError(tool, setup.path);
    more.unshift(`This belongs in ${setup.path}.`);
  }
  const comment = (text: string) => `${io.paint('dim', `# ${text}`)}\n`;
  const isForPeople = io.width !== undefined && shell !== 'json';
  if (isForPeople) io.stdout.write(comment(`${tool.title}, at ${gateway.url}`));
  if (setup.is === 'file') io.stdout.write(setup.text);
  else {
    const isJson = shell === 'json';
    const lines = isJson ? setup : withKeyVariable(setup, gateway.key);
    io.stdout.write(formatVariables(lines, shell ?? 'sh'));
    const { key } = gateway;
    if (shell !== 'json' && key.is === 'variable' && key.setBy) {
      io.stdout.write(formatKeyCheck(key.name, shell ?? 'sh'));
    }
    for (const name of isJson ? variableReferences(setup) : []) {
      io.stderr.write(`exai: ${name} is left out, as it holds a token; --show-key prints it.\n`);
    }
  }
  if (isForPeople) for (const line of more) io.stdout.write(comment(line));
  else if (setup.is === 'file') for (const line of more) io.stderr.write(`exai: ${line}\n`);
}

/** The setup as JSON. */
function setupJson(tool: GatewayTool, gateway: GatewayTarget) {
  const { name, title, speaks } = tool;
  const setup = tool.setUp(gateway);
  const description = { tool: name, title, speaks, key: keyJson(gateway.key) };
  if (setup.is === 'file') return { ...description, file: { path: setup.path, text: setup.text } };
  const variables = Object.entries(withKeyVariable(setup, gateway.key).set).map(
    ([variable, value]) => ({
      name: variable,
      ...(typeof value === 'string' ? { value } : value),
    }),
  );
  return { ...description, variables, unset: setup.unset };
}

/** Puts the variable of the key first, so that the others can refer to it. */
function withKeyVariable(setup: GatewayVariables, key: GatewayKey): GatewayVariables {
  return { ...setup, set: { ...keyAssignment(key), ...setup.set } };
}

function keyJson(key: GatewayKey) {
  return { needed: key.is !== 'none', ...(key.is === 'variable' && { variable: key.name }) };
}

function noVariablesError({ title }: GatewayTool, path: string): CallError {
  return new CallError('bad_request', `${title} takes no variables, but a part of ${path}.`, {
    field: '--shell',
    fix: 'Leave --shell out.',
  });
}

/** The supported tools, and the variables for all others. */
function formatGatewayOverview(gateway: GatewayTarget, { paint, width }: Io): string {
  const lines = (set: string) => set.replaceAll(/^(?=.)/gm, '  ');
  const tools = [
    ...GATEWAY_TOOLS.map((tool) => [
      paint('bold', tool.name),
      tool.title,
      paint('dim', `as ${tool.speaks}${describeFile(tool.setUp(gateway))}`),
    ]),
    ...UNSUPPORTED_TOOLS.map(({ name, title, because }) => [
      paint('dim', name),
      title,
      paint('dim', `cannot: ${because}`),
    ]),
  ];
  return [
    `The gateway answers at ${paint('bold', gateway.url)} as OpenAI and as Anthropic do.\n`,
    '\nWhat speaks to OpenAI takes:\n',
    lines(formatVariables(withKeyVariable(openAiVariables(gateway), gateway.key), 'sh')),
    '\nWhat speaks to Anthropic takes:\n',
    lines(formatVariables(withKeyVariable(anthropicVariables(gateway), gateway.key), 'sh')),
    `\nAsk for the model "${gateway.model}", or for a name of: exai models\n`,
    '\nTools that it knows, for: e="$(exai gateway env <tool>)" && eval "$e"\n',
    formatColumns(tools, '  ', width),
  ].join('');
}

/** The file of a tool that is not configured by variables. */
function describeFile(setup: GatewaySetup): string {
  return setup.is === 'file' ? `, by ${setup.path}` : '';
}

/** The overview as JSON. */
function gatewayOverviewJson(gateway: GatewayTarget) {
  return {
    key: keyJson(gateway.key),
    tools: GATEWAY_TOOLS.map((tool) => {
      const { key: _, ...rest } = setupJson(tool, gateway);
      return rest;
    }),
    unsupported: UNSUPPORTED_TOOLS.map(({ name, title, because, instead }) => ({
      tool: name,
      title,
      because,
      instead,
    })),
  };
}
