import { CallError } from '#core/errors/call-error.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { keyValue, type GatewayTarget, type GatewaySetup, type GatewayVariables } from './setup.ts';

const variables = (
  set: GatewayVariables['set'],
  unset: readonly string[] = [],
): GatewayVariables => ({
  is: 'variables',
  set,
  unset,
});

export function openAiVariables({ url, key }: GatewayTarget): GatewayVariables {
  return variables({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: keyValue(key) });
}

/** Older libraries read one name, newer ones the other, some either. */
function bothOpenAiNames(gateway: GatewayTarget): GatewayVariables['set'] {
  return { OPENAI_API_BASE: `${gateway.url}/v1`, ...openAiVariables(gateway).set };
}

/** Many libraries know only this name of the key; with both set, some versions send both. */
export function anthropicVariables({ url, key }: GatewayTarget): GatewayVariables {
  return variables({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: keyValue(key) }, [
    'ANTHROPIC_AUTH_TOKEN',
  ]);
}

/**
 * Claude Code asks its user to confirm an API key, but not a token; with both set it sends both.
 */
function claudeCodeVariables({
  url,
  key,
  model,
  timeoutMs: patienceMs,
}: GatewayTarget): GatewayVariables {
  return variables(
    {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: keyValue(key),
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_OPUS_MODEL: model,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      API_TIMEOUT_MS: String(patienceMs),
    },
    ['ANTHROPIC_API_KEY'],
  );
}

/**
 * The smallest limits of the models behind `auto`; without limits opencode never compacts a
 * conversation.
 */
const AUTO_LIMIT = { context: 200_000, output: 32_000 };

function openCodeVariables({ url, key, model }: GatewayTarget): GatewayVariables {
  const apiKey = keyValue(key);
  const exai = {
    npm: '@ai-sdk/openai-compatible',
    name: 'EX-AI',
    options: {
      baseURL: `${url}/v1`,
      apiKey: typeof apiKey === 'string' ? apiKey : `{env:${apiKey.from}}`,
    },
    models: { [model]: { name: model, ...(model === 'auto' && { limit: AUTO_LIMIT }) } },
  };
  const config = {
    provider: { exai },
    model: `exai/${model}`,
    small_model: `exai/${model}`,
  };
  return variables({ OPENCODE_CONFIG_CONTENT: JSON.stringify(config) });
}

/** JSON strings are valid YAML. */
function continueFile({ url, key, model }: GatewayTarget): GatewaySetup {
  const apiKey = keyValue(key);
  const text = [
    'name: EX-AI',
    'version: 0.0.1',
    'schema: v1',
    'models:',
    '  - name: EX-AI',
    '    provider: openai',
    `    model: ${JSON.stringify(model)}`,
    `    apiBase: ${JSON.stringify(`${url}/v1`)}`,
    `    apiKey: ${typeof apiKey === 'string' ? JSON.stringify(apiKey) : `\${{ secrets.${apiKey.from} }}`}`,
    '',
  ].join('\n');
  return { is: 'file', path: '~/.continue/config.yaml', text };
}

interface NamedTool {
  readonly name: string;
  readonly title: string;
}

/** A tool that can use the gateway. */
export interface GatewayTool extends NamedTool {
  readonly speaks: 'OpenAI' | 'Anthropic';
  /** Whether a shell reads its setup. */
  readonly takes: 'variables' | 'file';
  /** Whether the setup names the model, or each request does. */
  readonly model: 'set' | 'asked_for';
  setUp(gateway: GatewayTarget): GatewaySetup;
  /** The next steps, one per line. */
  next(gateway: GatewayTarget): readonly string[];
}

/** A tool that cannot use the gateway. */
interface UnsupportedTool extends NamedTool {
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

export const UNSUPPORTED_TOOLS: readonly UnsupportedTool[] = [
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

/** The tool of this name, or an error that explains why there is none. */
export function findGatewayTool(name: string): GatewayTool {
  const tool = GATEWAY_TOOLS.find((each) => each.name === name);
  if (tool) return tool;
  const other = UNSUPPORTED_TOOLS.find((each) => each.name === name);
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
  const names = [...GATEWAY_TOOLS, ...UNSUPPORTED_TOOLS].map((each) => each.name);
  throw new CallError(
    'bad_request',
    `No tool is known as "${oneLine(name, 40)}"${suggestTool(name, names)}`,
    {
      field: 'tool',
      fix: `One that speaks to OpenAI or Anthropic takes the lines of: exai gateway env openai, or anthropic`,
    },
  );
}

const LEAST_BEGINNING = 3;

/** Suggests a name. Names are abbreviated more often than misspelt: `claude` for `claude-code`. */
function suggestTool(name: string, names: readonly string[]): string {
  const wanted = name.toLowerCase();
  const longer =
    wanted.length < LEAST_BEGINNING ? undefined : names.find((each) => each.startsWith(wanted));
  return longer === undefined ? didYouMean(name, names) || '.' : `, did you mean "${longer}"?`;
}
