import { keyValue, type Gateway, type Setup, type Variables } from './gateway-setup.ts';

export const variables = (set: Variables['set'], unset: readonly string[] = []): Variables => ({
  is: 'variables',
  set,
  unset,
});

export function openAiVariables({ url, key }: Gateway): Variables {
  return variables({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: keyValue(key) });
}

/** Older libraries read the one name, newer ones the other, and some whichever is there first. */
export function bothOpenAiNames(gateway: Gateway): Variables['set'] {
  return { OPENAI_API_BASE: `${gateway.url}/v1`, ...openAiVariables(gateway).set };
}

/** Many libraries know this name of the key alone; with both set, some versions send both. */
export function anthropicVariables({ url, key }: Gateway): Variables {
  return variables({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: keyValue(key) }, [
    'ANTHROPIC_AUTH_TOKEN',
  ]);
}

/** Claude Code asks its user about an API key, and about a token never; with both set it sends both. */
export function claudeCodeVariables({ url, key, model, patienceMs }: Gateway): Variables {
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

/** What the models behind `auto` take at least; without a limit opencode would never shorten a conversation. */
const AUTO_LIMIT = { context: 200_000, output: 32_000 };

export function openCodeVariables({ url, key, model }: Gateway): Variables {
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

/** JSON texts are YAML, too. */
export function continueFile({ url, key, model }: Gateway): Setup {
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
