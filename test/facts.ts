/**
 * The rules of the outside world that are measured or confirmed twice, by vendor. Each is named by
 * a test of the emulator, as `[facts:<vendor>:<rule>]`, so that what the emulator does can be held
 * against what is known.
 */
export const FACTS = {
  // https://docs.anthropic.com/en/api/messages, /errors and /messages-streaming
  anthropic: [
    'errors',
    'headers',
    'in-stream-error',
    'max-tokens',
    'models',
    'signature',
    'stream',
    'tool-results',
  ],
  composio: [
    'accounts',
    'batch',
    'connections',
    'errors',
    'executions',
    'files',
    'gmail',
    'lists',
    'mcp',
    'offload',
    'paths',
    'sandboxes',
    'search-answers',
    'session',
  ],
  glm: [
    '1302',
    'arguments-object',
    'async-chat',
    'async-fail',
    'cache',
    'codes',
    'coding-path',
    'concurrency',
    'content-filter',
    'content-forms',
    'do-sample',
    'embedding-limits',
    'embeddings',
    'error-language',
    'error-shape',
    'errors',
    'file-435',
    'file-exclusive',
    'file-limits',
    'file-purposes',
    'files',
    'finish-context',
    'finish-reasons',
    // Free models run one chat at a time: Z.ai's rate limits, by model.
    'free-concurrency',
    'generations',
    'image-forms',
    'in-stream-error',
    // Reasoning is cleared at the next message of the user: Roo Code, zai-format.ts.
    'interleaved-thinking',
    'json-object',
    'json-schema-ignored',
    'jwt',
    'key',
    'keys',
    'layout-parsing',
    'length',
    'models',
    'next-flush-time',
    'old-vision',
    // Codes 1316 to 1321: docs.z.ai by hermes-agent#103038, TeXRA#9865.
    'plan-limits',
    // 1113 at /paas/v4 for a key of a plan: zai-coding-plugins#36.
    'plan-without-balance',
    // `clear_thinking: false`: docs.z.ai, thinking mode; OpenCode sends it for every model that thinks.
    'preserved-thinking',
    'prompt-too-long',
    'reader',
    'reader-1234',
    'reasoning-effort',
    'refuses',
    'response',
    'search-count',
    'search-intent',
    'search-result',
    'stream',
    'thinking-auto',
    'thinking-default',
    'tokenizer',
    'tool-call-as-text',
    'tool-call-whole',
    'tool-calls',
    'tool-choice-ignored',
    'tool-choice-named',
    'tool-choice-none',
    'tool-stream',
    'tool-types',
    'unknown-fields',
    'video-file',
    'vision',
    'vision-max-tokens',
    'vision-tools',
    'web-search',
    'web-search-endpoint',
    'web-search-host',
  ],
  kimi: [
    'answer-shape',
    'bad-key',
    'balance',
    'budget-includes-reasoning',
    // `prompt_cache_options.ttl` 5m or 1h: forum.moonshot.ai/t/613; docs.apiyi.com could not confirm 1h.
    'cache-ttl',
    // Chats are for listed clients alone: MoonshotAI/kimi-cli#2322, #2425, openclaw/openclaw#42499.
    'coding-clients',
    // Keys `sk-kimi-…`, their address and model ids: MoonshotAI/kimi-code#636, maximhq/bifrost#3802.
    'coding-plan',
    'concurrency',
    'content-not-empty',
    'dynamic-tools',
    'empty-text-part',
    'errors-quota',
    'estimate',
    'file-content',
    'file-limits',
    'file-purposes',
    'files',
    'finish',
    'formulas',
    'headers',
    'hosts',
    // Closed to accounts made after 31 October 2026 (platform documentation, one source).
    'k2-closed',
    'legacy-cache',
    'model-not-found',
    'models-list',
    'moderation',
    'no-embeddings',
    'partial',
    'prefix-cache',
    // Documented for K3 and K2.7 (quoted in a public thread, opencode-kimi-full#11) and kept by default in
    // @ai-sdk/moonshotai 3.0.60; a 400 was seen on a pre-release id alone (MoonshotAI/kimi-cli#2498).
    'preserved-thinking',
    'preview',
    'prompt-cache-key',
    // kimi.com/help/kimi-api/api-rate-limits: X-RateLimit-Limit, -Remaining and -Reset.
    'rate-headers',
    'reasoning-content',
    'reasoning-effort',
    'response-format',
    'responses-trap',
    'retry-hints',
    'sampling-fixed',
    'sampling-not-thinking',
    'sampling-ranges',
    'stop',
    'stream-shape',
    'stream-usage',
    'text-models',
    'thinking',
    // K3 takes `required` while it thinks and refuses a named tool: vendor docs, UKGovernmentBEIS/inspect_ai#5152.
    'tool-choice-thinking',
    'tool-deltas',
    'tool-limit',
    'tool-names',
    'tool-schema',
    'unknown-fields',
    'vision',
    'vision-tokens',
    'web-search',
    'web-search-rounds',
    'web-search-thinking',
    'window',
    // The vendor's CLI 2.1.0 sends the whole window with a first request; MoonshotAI/kimi-code#17.
    'window-cap',
  ],
  llamacpp: ['embeddings', 'health', 'jinja', 'n-ctx', 'props', 'response'],
  lmstudio: ['errors', 'load', 'models', 'stream-error', 'token'],
  ollama: [
    // ollama 0.6.4, EmbedResponse.
    'embed',
    'errors',
    // ollama 0.6.4, GenerateResponse.
    'generate',
    'ignored',
    'images',
    'json-schema',
    'key',
    'messages',
    'native-errors',
    'native-tools',
    'ndjson',
    'reasoning',
    'response',
    'split-parts',
    'stream',
    'tags',
    'tool-calls',
    'truncation',
  ],
  openrouter: [
    'auth',
    'context-length',
    // @openrouter/sdk 1.3.19, GetCreditsResponse.
    'credits',
    'error-200',
    'errors',
    'extra-fields',
    'finish-reasons',
    'in-stream-error',
    'key',
    'model-ids',
    'models',
    'models-fallback',
    // Moonshot's flavour of JSON Schema behind OpenRouter: oh-my-pi, compat/openai.ts.
    'moonshot-schema',
    'provider',
    'reasoning-details',
    'reasoning-effort',
    'reasoning-kinds',
    // @openrouter/sdk 1.3.19, ModelReasoning; claude-code-router#1215, #1229 for the text of the refusal.
    'reasoning-mandatory',
    'response',
    // @openrouter/sdk 1.3.19, ChatRequest.sessionId: at most 256 characters.
    'session-id',
    'stream',
    'stream-details',
    // @openrouter/sdk 1.3.19, WebSearchPlugin.includeDomains.
    'web-domains',
  ],
  vllm: [
    'context',
    'errors',
    'extra-forbidden',
    'models',
    'reasoning',
    'structured',
    'tool-flags',
    'usage',
  ],
} as const satisfies Record<string, readonly string[]>;

interface CatalogueFact {
  readonly model: string;
  /** Fields of the model, as the catalogue has them; money in micro-dollars for a million tokens. */
  readonly has: Readonly<Record<string, unknown>>;
  readonly source: string;
  /** The day on which the sources were compared. */
  readonly asOf: string;
}

const asOf = '2026-11-18';
const LISTS = 'models.dev (2026-07-02) and LiteLLM (2026-08-08)';
const price = (input: number, cached: number, output: number) => ({
  price: { input, cached, output },
});

/** Figures of models that were corrected by a second source. */
export const CATALOGUE_FACTS: readonly CatalogueFact[] = [
  ...['kimi-k3.1-pro', 'kimi-k3'].map((model) => ({
    model,
    has: { maxOutputTokens: 1_048_576 },
    source: 'platform.kimi.ai, chat API: 131,072 by default, 1,048,576 at most',
    asOf,
  })),
  {
    model: 'kimi-k3.1-pro',
    has: price(2_000_000, 200_000, 10_000_000),
    source: 'price pages of Novita, APIYI and Apidog',
    asOf,
  },
  ...[['kimi-k3.1-pro', 4_000_000] as const, ['kimi-k3.1-pro-highspeed', 8_000_000] as const].map(
    ([model, hourWrite]) => ({
      model,
      has: { price: { hourWrite } },
      source:
        'cache write for an hour: docs.apiyi.com (2026-10-25), which has the prices of Moonshot',
      asOf,
    }),
  ),
  {
    model: 'kimi-k3.1-pro-highspeed',
    has: price(4_000_000, 200_000, 20_000_000),
    source: 'id and price: Vercel AI Gateway, APIYI, Apidog',
    asOf,
  },
  ...[
    'kimi-k2.6',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k2.5',
    'kimi-k2-thinking',
    'kimi-k2-turbo-preview',
    'kimi-k2-0905-preview',
  ].map((model) => ({
    model,
    has: { maxOutputTokens: 262_144 },
    source: `${LISTS}; 32,768 is the limit of the coding plan`,
    asOf,
  })),
  ...['kimi-k3', 'kimi-k2.7-code', 'kimi-k2.6'].map((model) => ({
    model,
    has: { thinking: { keeps: true } },
    source:
      'opencode-kimi-full#11 (documentation), MoonshotAI/kimi-code#1417, @ai-sdk/moonshotai 3.0.60',
    asOf,
  })),
  { model: 'glm-5-turbo', has: { contextTokens: 200_000 }, source: LISTS, asOf },
  {
    model: 'glm-4.5-x',
    has: price(2_200_000, 450_000, 8_900_000),
    source: 'model lists of Roo Code and llmgateway',
    asOf,
  },
  {
    model: 'glm-4.5-airx',
    has: price(1_100_000, 220_000, 4_500_000),
    source: 'model lists of Roo Code and llmgateway',
    asOf,
  },
  {
    model: 'glm-4.6v',
    has: price(300_000, 50_000, 900_000),
    source: 'model list of Roo Code; OpenRouter has 0.055',
    asOf,
  },
  {
    model: 'glm-4.5v',
    has: { ...price(600_000, 110_000, 1_800_000), tools: 'yes' },
    source: 'model list of Roo Code',
    asOf,
  },
  {
    model: 'glm-4.6v-flashx',
    has: price(40_000, 4_000, 400_000),
    source: 'model list of Roo Code',
    asOf,
  },
  {
    model: 'glm-5.2-highspeed',
    has: {
      contextTokens: 1_000_000,
      maxOutputTokens: 131_072,
      input: ['text'],
      thinking: { efforts: ['high', 'max'] },
    },
    source: 'models.dev (zai-coding-plan) and the model list of pi; it has no price of its own',
    asOf,
  },
  {
    model: 'glm-5.3-prime',
    has: { contextTokens: 1_000_000, input: ['text'], confidence: 'low', isAssumed: true },
    source: 'model list of OpenRouter (window, efforts); no price of Z.ai was found',
    asOf,
  },
  {
    model: 'glm-5.3-flashx-legal',
    has: { confidence: 'low', isAssumed: true },
    source: 'named at OpenRouter; no details were found',
    asOf,
  },
];
