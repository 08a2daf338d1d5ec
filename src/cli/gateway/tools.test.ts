import { expect, test } from 'vitest';
import type { GatewayTarget } from './setup.ts';
import { findGatewayTool, GATEWAY_TOOLS } from './tools.ts';

const GATEWAY: GatewayTarget = {
  url: 'http://127.0.0.1:8765',
  model: 'auto',
  key: { is: 'none' },
  timeoutMs: 660_000,
};
const WITH_TOKEN: GatewayTarget = { ...GATEWAY, key: { is: 'variable', name: 'EXAI_TOKEN' } };

const variablesOf = (name: string, gateway: GatewayTarget = GATEWAY) => {
  const setup = findGatewayTool(name).setUp(gateway);
  return setup.is === 'variables' ? setup : undefined;
};

test('OpenAI has its path in the address, Anthropic adds it itself', () => {
  expect(variablesOf('openai')?.set).toEqual({
    OPENAI_BASE_URL: 'http://127.0.0.1:8765/v1',
    OPENAI_API_KEY: 'none',
  });
  expect(variablesOf('anthropic')).toEqual({
    is: 'variables',
    set: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:8765', ANTHROPIC_API_KEY: 'none' },
    unset: ['ANTHROPIC_AUTH_TOKEN'],
  });
});

test('Claude Code asks for one model under all of its names, and sends no other key', () => {
  expect(variablesOf('claude-code', { ...WITH_TOKEN, model: 'kimi-k3' })).toEqual({
    is: 'variables',
    set: {
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:8765',
      ANTHROPIC_AUTH_TOKEN: { from: 'EXAI_TOKEN' },
      ANTHROPIC_MODEL: 'kimi-k3',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'kimi-k3',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'kimi-k3',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'kimi-k3',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '200000',
      API_TIMEOUT_MS: '660000',
    },
    unset: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
  });
});

test('Claude Code is told the window of a model that is named', () => {
  const { set } = variablesOf('claude-code', { ...GATEWAY, contextTokens: 262_144 }) ?? {};
  expect(set?.['CLAUDE_CODE_MAX_CONTEXT_TOKENS']).toBe('262144');
});

test('Claude Code has a fast model for its small tasks where EX-AI chooses', () => {
  expect(variablesOf('claude-code', { ...WITH_TOKEN, model: 'auto' })?.set).toMatchObject({
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'auto',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'speed',
  });
});

test('Codex is started with the same settings as options, and the key in its environment', () => {
  const key = { is: 'shown', value: 'a-token-of-the-daemon' } as const;
  const { args = [], set } = findGatewayTool('codex').launch?.({ ...GATEWAY, key }) ?? {};
  expect(args.join(' ')).toContain('model_providers.exai={ name = "EX-AI", base_url = ');
  expect(args.join(' ')).not.toContain(key.value);
  expect(set).toEqual({ GATEWAY_KEY: key.value });
});

test('Codex gets a profile that names the variable of the key', () => {
  expect(findGatewayTool('codex').setUp({ ...WITH_TOKEN, model: 'auto' })).toEqual({
    is: 'file',
    path: '~/.codex/exai.config.toml',
    text: [
      'model_provider = "exai"',
      'model = "auto"',
      'model_context_window = 200000',
      '',
      '[model_providers.exai]',
      'name = "EX-AI"',
      'base_url = "http://127.0.0.1:8765/v1"',
      'wire_api = "responses"',
      'env_key = "EXAI_TOKEN"',
      '',
    ].join('\n'),
  });
});

test('aider, LangChain and LiteLLM find the address under the older name and the newer', () => {
  const both = {
    OPENAI_API_BASE: 'http://127.0.0.1:8765/v1',
    OPENAI_BASE_URL: 'http://127.0.0.1:8765/v1',
    OPENAI_API_KEY: 'none',
  };
  expect(variablesOf('aider')?.set).toEqual({ ...both, AIDER_MODEL: 'openai/auto' });
  expect(variablesOf('langchain')?.set).toEqual(both);
  expect(variablesOf('litellm')?.set).toEqual(both);
});

test('opencode gets a configuration that names the variable of the key', () => {
  const config = variablesOf('opencode', WITH_TOKEN)?.set['OPENCODE_CONFIG_CONTENT'];
  expect(JSON.parse(config as string)).toEqual({
    provider: {
      exai: {
        npm: '@ai-sdk/openai-compatible',
        name: 'EX-AI',
        options: { baseURL: 'http://127.0.0.1:8765/v1', apiKey: '{env:EXAI_TOKEN}' },
        models: {
          auto: {
            name: 'auto',
            limit: { context: 200_000, output: 32_000 },
            attachment: true,
            modalities: { input: ['text', 'image'], output: ['text'] },
          },
        },
      },
    },
    model: 'exai/auto',
    small_model: 'exai/auto',
  });
  const named = variablesOf('opencode', { ...GATEWAY, model: '__proto__' });
  expect(named?.set['OPENCODE_CONFIG_CONTENT']).toContain('"models":{"__proto__":{');
});

test('Continue gets a part of its file', () => {
  expect(findGatewayTool('continue').setUp(WITH_TOKEN)).toEqual({
    is: 'file',
    path: '~/.continue/config.yaml',
    text: [
      'name: EX-AI',
      'version: 0.0.1',
      'schema: v1',
      'models:',
      '  - name: EX-AI',
      '    provider: openai',
      '    model: "auto"',
      '    apiBase: "http://127.0.0.1:8765/v1"',
      '    apiKey: ${{ secrets.EXAI_TOKEN }}',
      '',
    ].join('\n'),
  });
});

test.each(GATEWAY_TOOLS)('$name never tells the token unless it is to be shown', (tool) => {
  const secret = 'a-token-of-the-daemon';
  const shown = tool.setUp({ ...GATEWAY, key: { is: 'shown', value: secret } });
  expect(JSON.stringify(shown)).toContain(secret);
  expect(JSON.stringify(tool.setUp(WITH_TOKEN))).toContain('EXAI_TOKEN');
});

test.each([
  [
    'gemini-cli',
    'Gemini CLI cannot use the gateway: it speaks only the Gemini API',
    'gemini mcp add',
  ],
  ['claudecode', 'No tool is known as "claudecode", did you mean "claude-code"?', 'env openai'],
  ['claude', 'No tool is known as "claude", did you mean "claude-code"?', 'env openai'],
  ['Gemini', 'No tool is known as "Gemini", did you mean "gemini-cli"?', 'env openai'],
  ['c', 'No tool is known as "c".', 'env openai'],
  ['constructor', 'No tool is known as "constructor".', 'env openai'],
])('%s is refused with words', (name, message, fix) => {
  expect(() => findGatewayTool(name)).toThrow(
    expect.objectContaining({
      class: 'bad_request',
      field: 'tool',
      message: expect.stringContaining(message) as string,
      fix: expect.stringContaining(fix) as string,
    }) as Error,
  );
});

test.each(GATEWAY_TOOLS)('$name says truly whether its set-up names the model', (tool) => {
  const setup = tool.setUp({ ...GATEWAY, model: 'a-model-of-its-own' });
  const isThere = JSON.stringify(setup).includes('a-model-of-its-own');
  expect([tool.model, tool.takes]).toEqual([
    isThere ? 'set' : 'asked_for',
    setup.is === 'file' ? 'file' : 'variables',
  ]);
});
