import { realpathSync } from 'node:fs';
import { systemClock } from '#app/system.ts';
import { variable } from '#config/environment.ts';
import { CallError } from '#core/call-error.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadFor } from '../config-option.ts';
import { chooseKey, keyAdvice } from '../gateway-key.ts';
import { gatewayOverview, overviewDocument } from '../gateway-overview.ts';
import { checkModel, readModel } from '../gateway-model.ts';
import { gatewayPlace, switchedOff, type GatewayPlace } from '../gateway-place.ts';
import type { Gateway, TokenCommand } from '../gateway-setup.ts';
import { SHELLS, writeFailure, type Shell } from '../gateway-shells.ts';
import { startForTool } from '../gateway-start.ts';
import { findGatewayTool, GATEWAY_TOOLS } from '../gateway-tools.ts';
import { printJson, type Io } from '../io.ts';
import { setupDocument, writeSetup } from '../gateway-write.ts';

/** A tool waits this much longer than the gateway takes at most. */
const MORE_MS = 60_000;

const NO_DAEMON: Record<Exclude<GatewayPlace['daemon'], 'running'>, string> = {
  absent: 'No daemon runs; this is where it will be. Start it with: exai serve',
  between: 'The daemon is just starting or stopping; this is where it is to be.',
};

export const command = defineCommand({
  name: 'gateway env',
  summary: 'Print the variables that point a tool at the gateway',
  about:
    'The gateway answers as OpenAI and Anthropic do, so a tool made for one of them needs an address, a key and a model ' +
    'alone. Without a tool it lists those it knows; for one of them the daemon is started if need be. A token is never ' +
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
    shell: { type: 'string', value: 'S', help: `${SHELLS.join(', ')}; sh unless told` },
    model: { type: 'string', value: 'M', help: 'The model to ask for; auto unless told' },
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
    const model = readModel(options.model);
    const before = loadFor(options, io);
    if (!before.config.gateway.enabled) throw switchedOff();
    if (tool) {
      await startForTool(io, before.home, {
        start: options['no-start'] ? 'never' : 'if_need_be',
        settings: options.config === undefined ? 'own' : 'of_another_file',
      });
    }
    // The first start writes a token.
    const loaded = loadFor(options, io);
    const place = await gatewayPlace(loaded, systemClock);
    const isNamed = options.model !== undefined;
    if (isNamed && place.daemon === 'running') await checkModel(model, io);
    const key = chooseKey(place, loaded, {
      display: options['show-key'] ? 'value' : 'reference',
      tokenCommand: tokenCommand(io),
      ...(options['key-env'] !== undefined && { variable: options['key-env'] }),
    });
    const { url } = place;
    const patienceMs = loaded.config.gateway.timeoutMs + MORE_MS;
    const gateway: Gateway = { url, model, key, patienceMs };
    if (options.json) {
      const about = { url, daemon: place.daemon, model };
      const more = tool ? setupDocument(tool, gateway) : overviewDocument(gateway);
      return printJson(io, { ...about, ...more });
    }
    if (tool) writeSetup(tool, gateway, shell, io);
    else io.stdout.write(gatewayOverview(gateway, io));
    tell(io, place.daemon === 'running' ? undefined : NO_DAEMON[place.daemon]);
    if (tool && isNamed && tool.model === 'asked_for') {
      tell(io, `These variables name no model: ask for "${model}" yourself.`);
    }
    tell(io, keyAdvice(key, name ?? 'my-tool', io.env));
  },
});

/** This very program, by its path: `npx exai` puts `exai` on nobody's PATH. */
function tokenCommand({ env }: Pick<Io, 'env'>): TokenCommand {
  const home = variable(env, 'EXAI_HOME');
  const argv = [process.execPath, realpathSync(process.argv[1] ?? ''), 'token', 'show'];
  return { argv, ...(home !== undefined && { home }) };
}

function tell(io: Io, words: string | undefined): void {
  if (words !== undefined) io.stderr.write(`exai: ${words}\n`);
}

function readShell(given: string | undefined): Shell | undefined {
  const shell = SHELLS.find((each) => each === given);
  if (shell !== undefined || given === undefined) return shell;
  throw new CallError('bad_request', `--shell names none of ${SHELLS.join(', ')}.`, {
    field: '--shell',
    fix: 'bash, zsh and their like take --shell sh.',
  });
}

/** Nothing for a tool that no shell is asked to set up. */
function failureOutput(argv: readonly string[]): string {
  if (GATEWAY_TOOLS.some(({ name, takes }) => takes === 'file' && argv.includes(name))) return '';
  const given = argv.flatMap((word, at) =>
    word === '--shell' ? [argv[at + 1]] : word.startsWith('--shell=') ? [word.slice(8)] : [],
  );
  return writeFailure(SHELLS.find((each) => each === given.at(-1)) ?? 'sh');
}
