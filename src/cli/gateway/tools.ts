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
 * The smallest limits of the models behind `auto`: those that answer requests with tools, by the
 * rules and by their fallback chains. Without limits opencode never compacts a conversation.
 */
const AUTO_LIMIT = { context: 200_000, output: 32_000 };
/** Without the modalities opencode replaces images by a text that the model cannot read them. */
const AUTO_MODEL = {
  limit: AUTO_LIMIT,
  attachment: true,
  modalities: { input: ['text', 'image'], output: ['text'] },
};

/**
 * Claude Code asks its user to confirm an API key, but not a token; with both set it sends both. For
 * a model that it does not know it assumes a context window of a million tokens, which no compacted
 * conversation would fit, so it is told the window.
 */
function claudeCodeVariables({
  url,
  key,
  model,
  timeoutMs,
  contextTokens = AUTO_LIMIT.context,
}: GatewayTarget): GatewayVariables {
  return variables(
    {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: keyValue(key),
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_OPUS_MODEL: model,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model,
      // Its small model writes titles and summaries, where speed is what counts.
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model === 'auto' ? 'speed' : model,
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextTokens),
      API_TIMEOUT_MS: String(timeoutMs),
    },
    // With one of the last two it would ask a cloud, whatever the address says.
    ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
  );
}

function openCodeVariables({ url, key, model }: GatewayTarget): GatewayVariables {
  const apiKey = keyValue(key);
  const exai = {
    npm: '@ai-sdk/openai-compatible',
    name: 'EX-AI',
    options: {
      baseURL: `${url}/v1`,
      apiKey: typeof apiKey === 'string' ? apiKey : `{env:${apiKey.from}}`,
    },
    models: { [model]: { name: model, ...(model === 'auto' && AUTO_MODEL) } },
  };
  const config = {
    provider: { exai },
    model: `exai/${model}`,
    small_model: `exai/${model}`,
  };
  return variables({ OPENCODE_CONFIG_CONTENT: JSON.stringify(config) });
}

/**
 * Codex speaks the Responses API, and reads the key from a variable that its file names. A profile
 * is a file, which leaves the other settings of the user alone. JSON strings are valid TOML.
 */
function codexFile({
  url,
  key,
  model,
  contextTokens = AUTO_LIMIT.context,
}: GatewayTarget): GatewaySetup {
  const text = [
    'model_provider = "exai"',
    `model = ${JSON.stringify(model)}`,
    `model_context_window = ${contextTokens}`,
    '',
    '[model_providers.exai]',
    'name = "EX-AI"',
    `base_url = ${JSON.stringify(`${url}/v1`)}`,
    'wire_api = "responses"',
    ...(key.is === 'variable' ? [`env_key = ${JSON.stringify(key.name)}`] : []),
    ...(key.is === 'shown'
      ? [`http_headers = { Authorization = ${JSON.stringify(`Bearer ${key.value}`)} }`]
      : []),
    '',
  ].join('\n');
  return { is: 'file', path: '~/.codex/exai.config.toml', text };
}

/** The variable of the key where `exai code` starts Codex. */
const CODEX_KEY = 'GATEWAY_KEY';

/** The same as options of one start, which leave the files of the user alone. */
function codexLaunch({
  url,
  key,
  model,
  contextTokens = AUTO_LIMIT.context,
}: GatewayTarget): ToolLaunch {
  const needsKey = key.is === 'shown';
  const provider = [
    'name = "EX-AI"',
    `base_url = ${JSON.stringify(`${url}/v1`)}`,
    'wire_api = "responses"',
    ...(needsKey ? [`env_key = "${CODEX_KEY}"`] : []),
  ].join(', ');
  const settings = [
    'model_provider="exai"',
    `model=${JSON.stringify(model)}`,
    `model_context_window=${contextTokens}`,
    `model_providers.exai={ ${provider} }`,
  ];
  return {
    args: settings.flatMap((setting) => ['-c', setting]),
    set: needsKey ? { [CODEX_KEY]: key.value } : {},
  };
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

/** How `exai code` starts a tool that takes no variables. */
export interface ToolLaunch {
  /** Before the arguments of the user. */
  readonly args: readonly string[];
  readonly set: Readonly<Record<string, string>>;
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
  /** Absent for a tool that takes variables, or that `exai code` does not start. */
  launch?(gateway: GatewayTarget): ToolLaunch;
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
    next: ({ model }) => [`Ask for the model "${model}".`],
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
    name: 'codex',
    title: 'Codex',
    speaks: 'OpenAI',
    takes: 'file',
    model: 'set',
    setUp: codexFile,
    launch: codexLaunch,
    next: ({ key }) => [
      ...(key.is === 'variable' && key.setBy
        ? [`Codex reads the key from ${key.name}: export ${key.name}="$(exai token show)"`]
        : []),
      'Start it with: codex --profile exai',
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
    name: 'gemini-cli',
    title: 'Gemini CLI',
    because: 'it speaks only the Gemini API',
    instead: 'It can use the tools of EX-AI: gemini mcp add --scope user exai exai stdio',
  },
];

/** The tool of this name, or an error that explains why there is none. */
export function findGatewayTool(name: string): GatewayTool {
  const tool = GATEWAY_TOOLS.find((each) => each.name === name);
  if (tool) return tool;
  const other = UNSUPPORTED_TOOLS.find((each) => each.name === name);
  if (other) {
    throw new CallError('bad_request', `${other.title} cannot use the gateway: ${other.because}.`, {
      field: 'tool',
      fix: other.instead,
    });
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
