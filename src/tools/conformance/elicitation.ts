import * as z from 'zod';
import type { JsonObject } from '#core/json.ts';
import type { Answers, Asking } from '#core/question.ts';
import type { Tool, ToolAnswer } from '#core/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import { answerTo, sample, sampledText } from './hearing.ts';

const CONTACT: JsonObject = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

const DEFAULTS: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: {
      type: 'string',
      description: 'User status',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  },
  required: [],
};

const OPTIONS = ['option1', 'option2', 'option3'];

/** Every way of offering a choice that there is, the one of older clients included. */
const CHOICES: JsonObject = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', description: 'One of three', enum: OPTIONS },
    titledSingle: {
      type: 'string',
      description: 'One of three, with titles',
      oneOf: titled('First Option', 'Second Option', 'Third Option'),
    },
    legacyEnum: {
      type: 'string',
      description: 'One of three, with titles as they used to be',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      description: 'Some of three',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string', enum: OPTIONS },
    },
    titledMulti: {
      type: 'array',
      description: 'Some of three, with titles',
      minItems: 1,
      maxItems: 3,
      items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
    },
  },
  required: [],
};

function titled(...titles: readonly string[]) {
  return titles.map((title, index) => ({ const: `value${index + 1}`, title }));
}

/** Asks once; whatever comes back is told, be it a refusal. */
function elicit(
  answers: Answers,
  message: string,
  schema: JsonObject,
  opening: 'User response' | 'Elicitation completed',
): ToolAnswer | Asking {
  const answer = answerTo(answers, 'form');
  if (!answer) return { asks: { form: { is: 'form', message, schema } } };
  const { action, content = {} } = answer;
  const did = typeof action === 'string' ? action : 'unknown';
  return { text: `${opening}: action=${did}, content=${JSON.stringify(content)}` };
}

/** What a tool can ask of whoever called it. */
export const elicitationTools: readonly Tool[] = [
  fixture({
    name: 'test_elicitation',
    description: 'Asks the user for a name and an address.',
    input: z.strictObject({ message: z.string().describe('What to say to the user.') }),
    run: async ({ message }, { answers }) => elicit(answers, message, CONTACT, 'User response'),
  }),
  fixture({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks the user with a form whose fields are filled in.',
    input: NO_INPUT,
    run: async (_args, { answers }) =>
      elicit(answers, 'Please check these fields', DEFAULTS, 'Elicitation completed'),
  }),
  fixture({
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks the user with every kind of choice.',
    input: NO_INPUT,
    run: async (_args, { answers }) =>
      elicit(answers, 'Please choose', CHOICES, 'Elicitation completed'),
  }),
  fixture({
    name: 'test_sampling',
    description: 'Asks the model of the client.',
    input: z.strictObject({ prompt: z.string().describe('What to say to the model.') }),
    async run({ prompt }, { answers }) {
      const answer = answerTo(answers, 'message');
      if (!answer) return { asks: { message: sample(prompt, 100) } };
      return { text: `LLM response: ${sampledText(answer) ?? 'nothing that can be read'}` };
    },
  }),
];
