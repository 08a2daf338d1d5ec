import { CallError } from '#core/errors/call-error.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import {
  findGatewayTool,
  GATEWAY_TOOLS,
  UNSUPPORTED_TOOLS,
  type GatewayTool,
} from '../gateway/tools.ts';
import { findClientProgram } from '../init/installed-programs.ts';
import type { PathContext } from '../init/paths.ts';

/** A program for coding that `exai code` may start, in the order of preference. */
interface CodingTool {
  /** As the user calls it. */
  readonly name: string;
  /** As `exai gateway env` and `exai init` call it. */
  readonly client: string;
  /** The command that installs it. */
  readonly install: string;
}

/** A tool that is in GATEWAY_TOOLS can be started; the others say why not. */
export const CODING_TOOLS: readonly CodingTool[] = [
  {
    name: 'claude',
    client: 'claude-code',
    install: 'npm install --global @anthropic-ai/claude-code',
  },
  { name: 'opencode', client: 'opencode', install: 'npm install --global opencode-ai' },
  { name: 'codex', client: 'codex', install: 'npm install --global @openai/codex' },
  { name: 'gemini', client: 'gemini-cli', install: 'npm install --global @google/gemini-cli' },
];

/** Those that can use the gateway. */
export const STARTABLE_TOOLS: readonly CodingTool[] = CODING_TOOLS.filter(({ client }) =>
  GATEWAY_TOOLS.some(({ name }) => name === client),
);

export interface InstalledTool {
  readonly name: string;
  readonly gatewayTool: GatewayTool;
  /** An absolute path. */
  readonly program: string;
}

/** The tool of this name, or the first that is installed. Throws if there is none to start. */
export function chooseCodingTool(name: string | undefined, machine: PathContext): InstalledTool {
  if (name === undefined) return firstInstalled(machine);
  const tool = CODING_TOOLS.find((each) => each.name === name || each.client === name);
  if (tool === undefined) throw unknownToolError(name);
  if (!STARTABLE_TOOLS.includes(tool)) throw unsupportedToolError(tool);
  const found = findTool(tool, machine);
  if (found !== undefined) return found;
  const { title } = findGatewayTool(tool.client);
  throw new CallError(
    'not_configured',
    `${title} is not installed: there is no program "${tool.name}" on PATH.`,
    { field: 'tool', fix: tool.install },
  );
}

function firstInstalled(machine: PathContext): InstalledTool {
  for (const tool of STARTABLE_TOOLS) {
    const found = findTool(tool, machine);
    if (found !== undefined) return found;
  }
  const names = STARTABLE_TOOLS.map(({ client }) => findGatewayTool(client).title);
  throw new CallError('not_configured', `None of these is installed: ${names.join(', ')}.`, {
    field: 'tool',
    fix: STARTABLE_TOOLS.map(({ install }) => install).join(', or: '),
  });
}

function findTool(tool: CodingTool, machine: PathContext): InstalledTool | undefined {
  const program = findClientProgram(tool.client, machine);
  if (program === undefined) return undefined;
  return { name: tool.name, gatewayTool: findGatewayTool(tool.client), program };
}

function unsupportedToolError({ client }: CodingTool): CallError {
  const { title = client, because = '' } =
    UNSUPPORTED_TOOLS.find((each) => each.name === client) ?? {};
  return new CallError('bad_request', `${title} cannot use the gateway: ${because}.`, {
    field: 'tool',
    fix: `exai init ${client} connects it to the tools of EX-AI.`,
  });
}

function unknownToolError(name: string): CallError {
  const near = didYouMean(
    name,
    CODING_TOOLS.map((tool) => tool.name),
  );
  return new CallError(
    'bad_request',
    `"${oneLine(name, 40)}" is not a tool that can be started${near || '.'}`,
    {
      field: 'tool',
      fix: `Use ${STARTABLE_TOOLS.map((tool) => tool.name).join(' or ')}; its arguments come after it.`,
    },
  );
}
