import type { JsonObject } from '#core/json/json.ts';
import type { InputRequest as Asked, InputRequests } from '#core/tools/input-request.ts';
import { CONSENT } from './book.ts';
import type { MadeCall } from './shared-ids.ts';
import type { Can, Question } from './client-protocols.ts';

type Kind = 'form' | 'sample' | 'roots';

/** What the asking tools of the simulation want to know, round after round; by tool and key. */
const ROUNDS: Readonly<Record<string, readonly (readonly (readonly [string, Kind])[])[]>> = {
  'inquire a': [[['color', 'form']], [['hue', 'form']]],
  'inquire b': [
    [
      ['color', 'form'],
      ['folders', 'roots'],
    ],
    [['poem', 'sample']],
  ],
  'inquire ': [
    [['color', 'form']],
    [
      ['poem', 'sample'],
      ['folders', 'roots'],
    ],
  ],
  'deal a': [
    [
      ['color', 'form'],
      ['size', 'form'],
    ],
  ],
  'deal b': [],
  'deal ': [[['color', 'form']], [['hue', 'form']]],
  'barter a': [[['color', 'form']], [['hue', 'form']]],
  'barter ': [[['color', 'form']]],
  'wonder a': [[['taste', 'form']]],
  'wonder b': [[['verse', 'sample']], [['taste', 'form']]],
  'wonder ': [[['folders', 'roots']]],
};

export function roundsOf(
  tool: string,
  args: { readonly key?: string | undefined },
): InputRequests[] {
  const rounds = ROUNDS[`${tool} ${args.key ?? ''}`] ?? ROUNDS[`${tool} `] ?? [];
  return rounds.map((round) =>
    Object.fromEntries(round.map(([name, kind]) => [name, questionOf(kind, tool, name, args)])),
  );
}

function questionOf(kind: Kind, tool: string, name: string, args: object): Asked {
  const message = `${tool} wants ${name} for ${JSON.stringify(args)}`;
  if (kind === 'form') return { is: 'form', message, schema: { type: 'object', properties: {} } };
  if (kind === 'roots') return { is: 'roots' };
  const messages = [{ role: 'user', content: { type: 'text', text: message } }];
  return { is: 'sample', request: { messages, maxTokens: 10 } };
}

/** Whose question it is, as far as it says. */
export interface Subject {
  readonly name: string;
  readonly tool?: string;
  /** Without spaces, which are there for people. */
  readonly words: string;
}

interface Spoken {
  readonly message?: string;
  readonly messages?: readonly { readonly content: { readonly text: string } }[];
}

export function subjectOf({ method, params }: Question): Subject {
  if (method === 'roots/list') return { name: 'folders', words: '' };
  const { message, messages = [] } = (params ?? {}) as Spoken;
  const spoken = message ?? messages[0]?.content.text ?? '';
  const words = spoken.replaceAll(' ', '');
  const wanted = /^(\w+) wants (\w+) for /.exec(spoken);
  if (wanted) return { tool: wanted[1] ?? '', name: wanted[2] ?? '', words };
  return { name: CONSENT, tool: /\((\w+)\)/.exec(spoken)?.[1] ?? '', words };
}

/** Whether a question may be about a call. */
export function isAbout({ tool, words }: Subject, call: MadeCall): boolean {
  if (tool === undefined) return true;
  return call.tool.startsWith(tool) && words.includes(JSON.stringify(call.args).slice(1, -1));
}

/** Whether a client that can do so much may be asked this. */
export function mayBeAsked({ method }: Question, can: Can): boolean {
  if (can === 'nothing') return false;
  return can === 'all' || method === 'elicitation/create';
}

/** What a client says to a question; `word` is in no other answer. */
export function answerTo({ method }: Question, word: string, will: 'yes' | 'no'): JsonObject {
  if (method === 'roots/list') return { roots: [{ uri: `file:///${word}` }] };
  if (method === 'sampling/createMessage')
    return { role: 'assistant', model: 'sim', content: { type: 'text', text: word } };
  return will === 'yes'
    ? { action: 'accept', content: { word } }
    : { action: 'decline', content: { word } };
}
