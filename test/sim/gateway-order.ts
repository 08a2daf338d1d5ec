import type { Shape } from '../cases/gateway-readers.ts';
import { questionText } from './answer-text.ts';
import { createRandom, type SeededRandom } from './random.ts';

/** What a client asks for at `/v1`, and what it may expect. */
export interface GatewayOrder {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delivery: 'stream' | 'whole';
  /** How the answer is written, whatever model gives it. */
  readonly format: 'text' | 'json';
  readonly choices: number;
  /** Tokens that each answer may have. */
  readonly limit: number | undefined;
  readonly usage: 'told' | 'untold';
  /** `bad`: it must be refused, and nobody asked. */
  readonly is: 'good' | 'bad';
}

const MODELS = [
  'kimi-k3',
  'glm-5.3',
  'kimi-k2.6',
  'glm-4.7-flash',
  'moonshotai/kimi-k3',
  'custom/own-model',
  // Nobody knows them; the second means that we choose.
  'gpt-of-nobody',
  'claude-of-tomorrow',
];

const SCHEMA = { type: 'object', properties: { by: { type: 'string' } } };
const ABOUT = { name: 'measure', description: 'Measures it.' };

/** The same wish asks for the same; only the name of the question is another. */
export function orderOf(shape: Shape, wish: number, ask: string): GatewayOrder {
  const random = createRandom(wish).fork('order');
  const path = shape === 'openai' ? '/v1/chat/completions' : '/v1/messages';
  const headers = headersOf(random);
  const delivery = random.chance(0.8) ? 'stream' : 'whole';
  const common = {
    model: random.chance(0.6) ? 'auto' : random.pick(MODELS),
    messages: messagesOf(shape, random, ask),
    ...(delivery === 'stream' && { stream: true }),
  };
  const more = shape === 'openai' ? openAiOf(random) : anthropicOf(random);
  const good = { ...common, ...more };
  const isBad = random.chance(0.05);
  const format = 'response_format' in good ? 'json' : 'text';
  return {
    path,
    headers,
    body: isBad ? badBody(random, good) : JSON.stringify(good),
    delivery,
    format,
    choices: 'n' in good ? good.n : 1,
    limit: limitOf(good),
    usage: shape === 'anthropic' || 'stream_options' in good ? 'told' : 'untold',
    is: isBad ? 'bad' : 'good',
  };
}

function limitOf(body: Readonly<Record<string, unknown>>): number | undefined {
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  return typeof limit === 'number' ? limit : undefined;
}

function headersOf(random: SeededRandom): Record<string, string> {
  return {
    ...(random.chance(0.35) && { 'x-exai-continue': random.pick(['false', 'false', 'true']) }),
    ...(random.chance(0.1) && { 'x-exai-fallback': 'none' }),
    ...(random.chance(0.1) && { 'x-exai-prefer': random.pick(['speed', 'cost']) }),
    ...(random.chance(0.05) && { 'x-exai-max-cost-usd': random.pick(['0', '0.0001', '1']) }),
  };
}

function messagesOf(shape: Shape, random: SeededRandom, ask: string): object[] {
  const words = random.pick([
    'What is it?',
    'What is it today?',
    '这是什么？',
    'Sort `let a = 1`.',
  ]);
  const question = questionText(ask, words);
  const history = random.chance(0.2)
    ? [
        { role: 'user', content: 'What was it before?' },
        { role: 'assistant', content: 'It was another.' },
      ]
    : [];
  const system = shape === 'openai' && random.chance(0.3);
  return [
    ...(system ? [{ role: 'system', content: 'Answer in numbered words.' }] : []),
    ...history,
    {
      role: 'user',
      content: random.chance(0.3) ? [{ type: 'text', text: question }] : question,
    },
  ];
}

function openAiOf(random: SeededRandom) {
  const calls = random.chance(0.3);
  const json = !calls && random.chance(0.08);
  return {
    ...(random.chance(0.5) && { stream_options: { include_usage: true } }),
    ...(random.chance(0.15) && { n: random.between(2, 3) }),
    ...(random.chance(0.15) && { max_completion_tokens: random.pick([1, 4, 12, 4096]) }),
    ...(random.chance(0.05) && { web_search_options: {} }),
    ...(calls && {
      tools: [{ type: 'function', function: { ...ABOUT, parameters: SCHEMA } }],
      tool_choice: random.pick(['auto', 'auto', 'required', 'none']),
    }),
    ...(json && { response_format: { type: 'json_object' } }),
  };
}

function anthropicOf(random: SeededRandom) {
  const maxTokens = random.chance(0.15) ? random.pick([1, 4, 12]) : 8192;
  // A budget of thinking must leave tokens for the answer.
  const thinking =
    maxTokens > 1024 ? { type: 'enabled', budget_tokens: 1024 } : { type: 'adaptive' };
  return {
    max_tokens: maxTokens,
    ...(random.chance(0.3) && { system: 'Answer in numbered words.' }),
    ...(random.chance(0.4) && { thinking }),
    ...(random.chance(0.35) && {
      tools: [{ ...ABOUT, input_schema: SCHEMA }],
      tool_choice: { type: random.pick(['auto', 'auto', 'any', 'none']) },
    }),
  };
}

function badBody(random: SeededRandom, good: object): string {
  return random.pick([
    '',
    '{',
    '[]',
    'null',
    JSON.stringify({ ...good, messages: [] }),
    JSON.stringify({ ...good, messages: 'What is it?' }),
    JSON.stringify({ ...good, stream: 'yes' }),
    JSON.stringify({ ...good, tools: [{ type: 'function' }] }),
    JSON.stringify({ ...good, temperature: 'hot' }),
  ]);
}
