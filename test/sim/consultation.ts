import type { AskRequest, AskText } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { fileText, questionText } from './answer-text.ts';
import { createRandom, type SeededRandom } from './random.ts';
import { documentOf } from './sim-documents.ts';

/** What a tool of the simulation asks models for one call. */
export interface Consultation {
  readonly asks: readonly {
    readonly request: AskRequest;
    /** Whether it wants the text as it comes. */
    readonly hears: 'text' | 'nothing';
  }[];
  readonly order: 'one_by_one' | 'at_once';
}

const NAMES = [
  'kimi-k3',
  'glm-5.3',
  'kimi-k2.6',
  'glm-4.7-flash',
  // Switched off: another answers in its place.
  'kimi-k2.5',
  'moonshotai/kimi-k3',
  'z-ai/glm-5.3',
  'custom/own-model',
  'local',
  'gpt-of-nobody',
];

/** The same wish asks the same; only the name of the call is another. */
export function consultationOf(wish: number, reqId: string): Consultation {
  const random = createRandom(wish).fork('wish');
  const count = random.chance(0.15) ? 2 : 1;
  return {
    asks: Array.from({ length: count }, (_, at) => ({
      request: requestOf(random, `${reqId}#${at + 1}`),
      hears: random.chance(0.65) ? 'text' : 'nothing',
    })),
    order: random.chance(0.5) ? 'one_by_one' : 'at_once',
  };
}

function requestOf(random: SeededRandom, ask: string): AskRequest {
  const some = (probability: number, part: () => Partial<AskRequest>) =>
    random.chance(probability) ? part() : {};
  if (random.chance(0.02)) return { messages: [{ role: 'user', content: ' ' }] };
  return {
    messages: [...historyOf(random), { role: 'user', content: questionOf(random, ask) }],
    ...some(0.3, () => ({ model: random.pick(NAMES) })),
    ...some(0.3, () => ({ system: 'Answer in numbered words.' })),
    ...some(0.25, () => ({ delivery: 'whole' })),
    ...some(0.25, () => ({ maxOutputTokens: random.pick([1, 4, 12, 60]) })),
    ...some(0.25, () => ({ files: filesOf(random, ask) })),
    ...some(0.2, () => ({ search: random.pick(['on', 'off', 'auto']) })),
    ...some(0.15, () => ({ prefer: random.pick(['speed', 'cost']) })),
    ...some(0.12, () => ({ fallback: 'none' })),
    ...some(0.3, () => ({ lastResort: 'none' })),
    ...some(0.1, () => ({ thinking: random.pick(['minimal', 'medium', 'max']) })),
    ...some(0.06, () => ({ responseFormat: { type: 'json' } })),
    ...some(0.06, () => ({ tools: [TOOL] })),
    ...some(0.05, () => ({ maxCostMicroUsd: random.pick([0, 40, 100_000]) })),
    // More than its window holds: much has to be summarised.
    ...some(0.1, () => ({ model: 'custom/own-model', files: bulkOf(ask) })),
  };
}

const TOOL = {
  name: 'measure',
  description: 'Measures it.',
  parameters: { type: 'object', properties: {} },
};

function questionOf(random: SeededRandom, ask: string): string {
  const about = random.pick([
    'What is it?',
    'What is it today?',
    '这是什么？',
    'Sort `let a = 1`.',
  ]);
  const more = random.chance(0.1) ? ' and more of it'.repeat(random.between(1, 200)) : '';
  return questionText(ask, `${about}${more}`);
}

function historyOf(random: SeededRandom): ChatMessage[] {
  return Array.from({ length: random.chance(0.2) ? random.between(1, 3) : 0 }, () => [
    { role: 'user' as const, content: 'What was it before? '.repeat(random.between(1, 40)) },
    { role: 'assistant' as const, content: 'It was another. '.repeat(random.between(1, 40)) },
  ]).flat();
}

function filesOf(random: SeededRandom, ask: string): readonly AskText[] {
  const documents = random.fork('documents');
  const wanted = documents.chance(0.6) ? documents.between(1, 2) : 0;
  const texts = textsOf(random, ask);
  return [...texts, ...Array.from({ length: wanted }, () => documentOf(documents))];
}

function textsOf(random: SeededRandom, ask: string) {
  return Array.from({ length: random.between(1, 2) }, (_, at) => ({
    name: `${random.pick(['notes', 'report'])}${at}.txt`,
    text: `${fileText(ask, 'It is said that much is said.')}\n`.repeat(random.pick([1, 6, 30])),
  }));
}

function bulkOf(ask: string) {
  const text = `${fileText(ask, 'It is said that much is said.')}\n`.repeat(90);
  return ['one.txt', 'two.txt', 'three.txt'].map((name) => ({ name, text: `${name}: ${text}` }));
}
