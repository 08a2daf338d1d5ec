import { systemClock } from '#app/system.ts';
import { CallError } from '#core/call-error.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, loadFor } from '../config-option.ts';
import { chooseKey, keyAdvice } from '../gateway-key.ts';
import { gatewayOverview, overviewDocument } from '../gateway-overview.ts';
import { gatewayPlace, type GatewayPlace } from '../gateway-place.ts';
import type { Gateway } from '../gateway-setup.ts';
import { SHELLS, type Shell } from '../gateway-shells.ts';
import { findGatewayTool } from '../gateway-tools.ts';
import { printJson, type Io } from '../io.ts';
import { setupDocument, writeSetup } from '../gateway-write.ts';

/** A tool waits this much longer than the gateway takes at most. */
const MORE_MS = 60_000;
const MODEL = /^[\w./:@[\]-]{1,200}$/;

const NO_DAEMON: Record<Exclude<GatewayPlace['daemon'], 'running'>, string> = {
  absent: 'No daemon runs; this is where it will be. Start it with: exai serve',
  between: 'The daemon is just starting or stopping; this is where it is to be.',
};

export const command = defineCommand({
  name: 'gateway env',
  summary: 'Print the variables that point a tool at the gateway',
  about:
    'The gateway answers as OpenAI and Anthropic do, so a tool made for one of them needs an address, a key and a model ' +
    'alone. Without a tool it lists those it knows. A token is never printed; the lines name the variable that has it, ' +
    'unless --show-key is given.\n' +
    '  eval "$(exai gateway env claude-code)" && claude\n' +
    '  exai gateway env aider --model kimi-k2.6\n' +
    '  exai gateway env claude-code --shell json\n' +
    '  exai gateway env openai --shell fish | source\n' +
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
    'show-key': { type: 'boolean', help: 'Print the token itself, where one is needed' },
    ...CONFIG_OPTION,
  },
  async run({ options, positionals }, io) {
    const { tool: name } = positionals;
    const tool = name === undefined ? undefined : findGatewayTool(name);
    const shell = readShell(options.shell);
    const model = readModel(options.model);
    const loaded = loadFor(options, io);
    if (!loaded.config.gateway.enabled) throw switchedOff();
    const place = await gatewayPlace(loaded, systemClock);
    const key = chooseKey(place, loaded, {
      display: options['show-key'] ? 'value' : 'reference',
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
    tell(io, keyAdvice(key, name ?? 'my-tool', io.env));
  },
});

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

function readModel(given = 'auto'): string {
  if (MODEL.test(given)) return given;
  throw new CallError('bad_request', '--model takes the name of a model, without spaces.', {
    field: '--model',
    fix: 'auto, or a name of: exai models',
  });
}

function switchedOff(): CallError {
  return new CallError('not_configured', 'The gateway is switched off by gateway.enabled.', {
    field: 'gateway.enabled',
    fix: 'Set gateway.enabled to true, then: exai stop, and exai serve',
  });
}
