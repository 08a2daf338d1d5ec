import { columns } from './columns.ts';
import type { Gateway, Setup } from './gateway-setup.ts';
import { writeVariables } from './gateway-shells.ts';
import { anthropicVariables, openAiVariables } from './gateway-tool-setups.ts';
import { GATEWAY_TOOLS, OTHER_TOOLS } from './gateway-tools.ts';
import { keyDocument, setupDocument, withKey } from './gateway-write.ts';
import type { Io } from './io.ts';

/** Which tools are known, and the lines that all others take. */
export function gatewayOverview(gateway: Gateway, { paint, width }: Io): string {
  const lines = (set: string) => set.replaceAll(/^(?=.)/gm, '  ');
  const tools = [
    ...GATEWAY_TOOLS.map((tool) => [
      paint('bold', tool.name),
      tool.title,
      paint('dim', `as ${tool.speaks}${placeOf(tool.setUp(gateway))}`),
    ]),
    ...OTHER_TOOLS.map(({ name, title, because }) => [
      paint('dim', name),
      title,
      paint('dim', `cannot: ${because}`),
    ]),
  ];
  return [
    `The gateway answers at ${paint('bold', gateway.url)} as OpenAI and as Anthropic do.\n`,
    '\nWhat speaks to OpenAI takes:\n',
    lines(writeVariables(withKey(openAiVariables(gateway), gateway.key), 'sh')),
    '\nWhat speaks to Anthropic takes:\n',
    lines(writeVariables(withKey(anthropicVariables(gateway), gateway.key), 'sh')),
    `\nAsk for the model "${gateway.model}", or for a name of: exai models\n`,
    '\nTools that it knows, for: e="$(exai gateway env <tool>)" && eval "$e"\n',
    columns(tools, '  ', width),
  ].join('');
}

/** What is no line for a shell. */
function placeOf(setup: Setup): string {
  return setup.is === 'file' ? `, by ${setup.path}` : '';
}

/** The same as data. */
export function overviewDocument(gateway: Gateway) {
  return {
    key: keyDocument(gateway.key),
    tools: GATEWAY_TOOLS.map((tool) => {
      const { key: _, ...rest } = setupDocument(tool, gateway);
      return rest;
    }),
    unsupported: OTHER_TOOLS.map(({ name, title, because, instead }) => ({
      tool: name,
      title,
      because,
      instead,
    })),
  };
}
