import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import type { Gateway, Setup } from './gateway-setup.ts';
import {
  anthropicVariables,
  bothOpenAiNames,
  claudeCodeVariables,
  continueFile,
  openAiVariables,
  openCodeVariables,
  variables,
} from './gateway-tool-setups.ts';

interface Known {
  readonly name: string;
  readonly title: string;
}

/** A tool that can be pointed at the gateway. */
export interface GatewayTool extends Known {
  readonly speaks: 'OpenAI' | 'Anthropic';
  /** Whether a shell reads its lines. */
  readonly takes: 'variables' | 'file';
  /** Whether that says which model is asked for, or the one who asks does. */
  readonly model: 'set' | 'asked_for';
  setUp(gateway: Gateway): Setup;
  /** What to do then, a line each. */
  next(gateway: Gateway): readonly string[];
}

/** One that people look for here in vain. */
export interface OtherTool extends Known {
  readonly because: string;
  readonly instead: string;
}

export const GATEWAY_TOOLS: readonly GatewayTool[] = [
  {
    name: 'openai',
    title: 'the OpenAI SDKs, and what is built on them',
    speaks: 'OpenAI',
    takes: 'variables',
    model: 'asked_for',
    setUp: openAiVariables,
    next: ({ model }) => [`Ask for the model "${model}". Use chat.completions, not responses.`],
  },
  {
    name: 'anthropic',
    title: 'the Anthropic SDKs, and what is built on them',
    speaks: 'Anthropic',
    takes: 'variables',
    model: 'asked_for',
    setUp: anthropicVariables,
    next: ({ model }) => [`Ask for the model "${model}".`],
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    speaks: 'Anthropic',
    takes: 'variables',
    model: 'set',
    setUp: claudeCodeVariables,
    next: () => [
      'Start it with: claude',
      'To keep it so, put what --shell json prints under "env" in ~/.claude/settings.json.',
    ],
  },
  {
    name: 'aider',
    title: 'aider',
    speaks: 'OpenAI',
    takes: 'variables',
    model: 'set',
    setUp: (gateway) =>
      variables({ ...bothOpenAiNames(gateway), AIDER_MODEL: `openai/${gateway.model}` }),
    next: () => ['Start it with: aider'],
  },
  {
    name: 'opencode',
    title: 'opencode',
    speaks: 'OpenAI',
    takes: 'variables',
    model: 'set',
    setUp: openCodeVariables,
    next: () => ['Start it with: opencode', 'It stands above what opencode.json says.'],
  },
  {
    name: 'langchain',
    title: 'LangChain',
    speaks: 'OpenAI',
    takes: 'variables',
    model: 'asked_for',
    setUp: (gateway) => variables(bothOpenAiNames(gateway)),
    next: ({ model }) => [`ChatOpenAI(model="${model}")`],
  },
  {
    name: 'litellm',
    title: 'LiteLLM',
    speaks: 'OpenAI',
    takes: 'variables',
    model: 'asked_for',
    setUp: (gateway) => variables(bothOpenAiNames(gateway)),
    next: ({ model }) => [`litellm.completion(model="openai/${model}", messages=[…])`],
  },
  {
    name: 'continue',
    title: 'Continue',
    speaks: 'OpenAI',
    takes: 'file',
    model: 'set',
    setUp: continueFile,
    next: ({ key }) =>
      key.is === 'variable'
        ? [
            `Continue looks for ${key.name} in ~/.continue/.env.`,
            ...(key.setBy ? [`echo "${key.name}=$(exai token show)" >> ~/.continue/.env`] : []),
          ]
        : [],
  },
];

export const OTHER_TOOLS: readonly OtherTool[] = [
  {
    name: 'codex',
    title: 'Codex',
    because: 'it speaks the Responses API alone',
    instead: 'It can use the tools of EX-AI: codex mcp add exai -- exai stdio',
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    because: 'it speaks the Gemini API alone',
    instead: 'It can use the tools of EX-AI: gemini mcp add --scope user exai exai stdio',
  },
];

/** The tool of this name, or words about why there is none. */
export function findGatewayTool(name: string): GatewayTool {
  const tool = GATEWAY_TOOLS.find((each) => each.name === name);
  if (tool) return tool;
  const other = OTHER_TOOLS.find((each) => each.name === name);
  if (other) {
    throw new CallError(
      'bad_request',
      `${other.title} cannot use the gateway: ${other.because}, which is not there.`,
      {
        field: 'tool',
        fix: other.instead,
      },
    );
  }
  const names = [...GATEWAY_TOOLS, ...OTHER_TOOLS].map((each) => each.name);
  throw new CallError(
    'bad_request',
    `No tool is known as "${oneLine(name, 40)}"${meant(name, names)}`,
    {
      field: 'tool',
      fix: `One that speaks to OpenAI or Anthropic takes the lines of: exai gateway env openai, or anthropic`,
    },
  );
}

const LEAST_BEGINNING = 3;

/** Names are cut short more often than they are misspelt: `claude` for `claude-code`. */
function meant(name: string, names: readonly string[]): string {
  const wanted = name.toLowerCase();
  const longer =
    wanted.length < LEAST_BEGINNING ? undefined : names.find((each) => each.startsWith(wanted));
  return longer === undefined ? didYouMean(name, names) || '.' : `, did you mean "${longer}"?`;
}
