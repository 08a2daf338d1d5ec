import type { Question } from '../answer.ts';
import { isObject } from '../is-object.ts';
import type { Ask } from '../vendor.ts';
import { noPath } from './errors.ts';
import type { KimiState } from './state.ts';

interface Formula {
  readonly name: string;
  readonly description: string;
  readonly argument: string;
  /** Whether the output is for the model's eyes alone. */
  readonly output: 'open' | 'encrypted';
  readonly run: (argument: string, nowMs: number) => string;
}

const FORMULAS: Readonly<Record<string, Formula>> = {
  'moonshot/web-search:latest': {
    name: 'web_search',
    description: 'Search the web.',
    argument: 'query',
    output: 'encrypted',
    run: (query) => `1. About ${query} (https://example.com/about): pages that speak of ${query}.`,
  },
  'moonshot/fetch:latest': {
    name: 'fetch',
    description: 'Fetch a page as text.',
    argument: 'url',
    output: 'open',
    run: (url) => `The page at ${url} says that it is an example.`,
  },
  'moonshot/date:latest': {
    name: 'date',
    description: 'Tell the date.',
    argument: 'timezone',
    output: 'open',
    run: (_, nowMs) => new Date(nowMs).toISOString(),
  },
  'moonshot/base64:latest': {
    name: 'base64_encode',
    description: 'Encode a text in base64.',
    argument: 'data',
    output: 'open',
    run: (data) => Buffer.from(data).toString('base64'),
  },
};

const BEGIN = '----MOONSHOT ENCRYPTED BEGIN----';
const END = '----MOONSHOT ENCRYPTED END----';

/** `/formulas/{uri}/tools` and `/formulas/{uri}/fibers`; the uri itself contains a slash. */
export function serveFormulas(ask: Ask, state: KimiState): object {
  const match = /^\/formulas\/(.+)\/(tools|fibers)$/.exec(ask.path);
  const uri = match?.[1] === undefined ? '' : decode(match[1]);
  const formula = Object.hasOwn(FORMULAS, uri) ? FORMULAS[uri] : undefined;
  if (formula === undefined) throw noPath();
  const { name, description, argument } = formula;
  if (match?.[2] === 'tools' && ask.method === 'GET')
    return {
      object: 'list',
      tools: [
        {
          type: 'function',
          function: {
            name,
            description,
            parameters: {
              type: 'object',
              properties: { [argument]: { type: 'string', description: `The ${argument}.` } },
              required: [argument],
            },
          },
        },
      ],
    };
  if (match?.[2] !== 'fibers' || ask.method !== 'POST') throw noPath();
  return runFiber(formula, ask, `fiber-${state.nextId()}`);
}

function runFiber(formula: Formula, ask: Ask, id: string): object {
  const requested = isObject(ask.json) ? ask.json : {};
  const args =
    typeof requested['arguments'] === 'string' ? parse(requested['arguments']) : undefined;
  const argument = isObject(args) ? args[formula.argument] : undefined;
  if (requested['name'] !== formula.name || typeof argument !== 'string')
    return {
      id,
      status: 'failed',
      error: `${formula.name} needs {"${formula.argument}": "…"} as arguments`,
    };
  const output = formula.run(argument.slice(0, 10_000), ask.now());
  const context =
    formula.output === 'open'
      ? { output }
      : { encrypted_output: `${BEGIN}${Buffer.from(output).toString('base64')}${END}` };
  return { id, status: 'succeeded', context };
}

/** The model reads what was encrypted for it. */
export function openFormulaOutputs(question: Question): Question {
  if (!question.messages.some((message) => message.text.startsWith(BEGIN))) return question;
  return {
    ...question,
    messages: question.messages.map((message) =>
      message.text.startsWith(BEGIN)
        ? {
            ...message,
            text: Buffer.from(message.text.slice(BEGIN.length, -END.length), 'base64').toString(
              'utf8',
            ),
          }
        : message,
    ),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A path that cannot be decoded names no formula.
    return '';
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Arguments that are not JSON fail the fiber.
    return undefined;
  }
}
