import * as z from 'zod';
import type { JsonObject } from '#core/json/json.ts';
import type {
  InputRequest,
  InputRequests,
  InputRequired,
  InputResponses,
} from '#core/tools/input-request.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import {
  answerTo,
  formRequest,
  readAnswers,
  sampledText,
  samplingRequest,
} from './input-requests.ts';

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

/** Every way to offer a choice, including the one of older clients. */
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

/** Sends one form and reports the answer, even if it was declined. */
function elicit(
  answers: InputResponses,
  message: string,
  schema: JsonObject,
  opening: 'User response' | 'Elicitation completed',
): ToolResult | InputRequired {
  const answer = answerTo(answers, 'form');
  if (!answer) return { inputRequests: { form: { is: 'form', message, schema } } };
  const { action, content = {} } = answer;
  const did = typeof action === 'string' ? action : 'unknown';
  return { text: `${opening}: action=${did}, content=${JSON.stringify(content)}` };
}

/** Tools that send input requests: elicitation and sampling. */
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
      if (!answer) return { inputRequests: { message: samplingRequest(prompt, 100) } };
      return { text: `LLM response: ${sampledText(answer) ?? 'nothing that can be read'}` };
    },
  }),
];

interface Rounds {
  readonly name: string;
  readonly description: string;
  /** Sent one after the other; the requests of one round together. */
  readonly rounds: readonly InputRequests[];
  /** `what_can_be_asked`: only requests that the client supports are sent. */
  readonly asks?: 'what_can_be_asked';
  readonly say: (answered: Readonly<Record<string, string>>) => string;
}

const NAME = formRequest('What is your name?', 'name', 'string');
const CONFIRM = formRequest('Please confirm', 'ok', 'boolean');
const ROOTS: InputRequest = { is: 'roots' };
const EVERYTHING = {
  user_name: NAME,
  greeting: samplingRequest('Generate a greeting', 50),
  client_roots: ROOTS,
};

const ALL: readonly Rounds[] = [
  {
    name: 'test_input_required_result_elicitation',
    description: 'Asks for a name, and greets.',
    rounds: [{ user_name: NAME }],
    say: ({ user_name: name }) => `Hello, ${name}!`,
  },
  {
    name: 'test_input_required_result_sampling',
    description: 'Asks the model of the client for a capital.',
    rounds: [{ capital_question: samplingRequest('What is the capital of France?', 100) }],
    say: ({ capital_question: answer }) => `The model said: ${answer}`,
  },
  {
    name: 'test_input_required_result_list_roots',
    description: 'Asks for the folders of the client.',
    rounds: [{ client_roots: ROOTS }],
    say: ({ client_roots: uris }) => `The client works in: ${uris}`,
  },
  {
    name: 'test_input_required_result_request_state',
    description: 'Asks for a yes, and has the client keep its state meanwhile.',
    rounds: [{ confirm: CONFIRM }],
    // A forged state never gets here: its signature is checked before the call runs.
    say: ({ confirm }) => `state-ok, and the answer was ${confirm}`,
  },
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks for a name, a greeting and the folders of the client, all at once.',
    rounds: [EVERYTHING],
    say: (answered) =>
      `${answered['greeting']} ${answered['user_name']}, from ${answered['client_roots']}`,
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks for a name, and then for a colour.',
    rounds: [
      { step1: formRequest('Step 1: What is your name?', 'name', 'string') },
      { step2: formRequest('Step 2: What is your favorite color?', 'color', 'string') },
    ],
    say: ({ step1: name, step2: color }) => `${name} likes ${color}`,
  },
  {
    name: 'test_input_required_result_tampered_state',
    description: 'Asks for a yes; a state that was changed on its way is refused.',
    rounds: [{ confirm: CONFIRM }],
    say: ({ confirm }) => `The state came back unchanged, and the answer was ${confirm}`,
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks for whatever the client can be asked.',
    rounds: [EVERYTHING],
    asks: 'what_can_be_asked',
    say: (answered) =>
      `Answered: ${Object.keys(answered).join(', ') || 'nothing, as nothing was asked'}`,
  },
  {
    name: 'test_missing_capability',
    description: 'Needs the model of the client, and is refused to those who have none.',
    rounds: [{ llm_answer: samplingRequest('Reply with the single word: pong', 16) }],
    say: ({ llm_answer: answer }) => `The model said: ${answer}`,
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Requests approval without a separate request on the response stream.',
    rounds: [{ confirm: CONFIRM }],
    say: ({ confirm }) => `The answer was ${confirm}`,
  },
];

/** Tools that need input before they can answer. */
export const roundTools: readonly Tool[] = ALL.map(({ name, description, rounds, asks, say }) =>
  fixture({
    name,
    description,
    input: NO_INPUT,
    async run(_args, { answers, clientCapabilities }) {
      const all: Record<string, string> = {};
      for (const questions of rounds) {
        const wanted = Object.entries(questions).filter(
          ([, { is }]) => asks === undefined || clientCapabilities.includes(is),
        );
        const { answered, open, declined } = readAnswers(Object.fromEntries(wanted), answers);
        if (declined !== undefined) return { text: `The user did not answer "${declined}".` };
        if (Object.keys(open).length > 0) return { inputRequests: open };
        Object.assign(all, answered);
      }
      return { text: say(all) };
    },
  }),
);
