import type { Question, Questions } from '#core/question.ts';
import type { Tool } from '#core/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import { form, hear, sample } from './hearing.ts';

interface Rounds {
  readonly name: string;
  readonly description: string;
  /** Asked one after the other; those of one round together. */
  readonly rounds: readonly Questions[];
  /** Whether only what the client can be asked is asked. */
  readonly asks?: 'what_can_be_asked';
  readonly say: (heard: Readonly<Record<string, string>>) => string;
}

const NAME = form('What is your name?', 'name', 'string');
const CONFIRM = form('Please confirm', 'ok', 'boolean');
const ROOTS: Question = { is: 'roots' };
const EVERYTHING = {
  user_name: NAME,
  greeting: sample('Generate a greeting', 50),
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
    rounds: [{ capital_question: sample('What is the capital of France?', 100) }],
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
    // A state that is not ours never gets this far: the life of the call has looked at its seal.
    say: ({ confirm }) => `state-ok, and the answer was ${confirm}`,
  },
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks for a name, a greeting and the folders of the client, all at once.',
    rounds: [EVERYTHING],
    say: (heard) => `${heard['greeting']} ${heard['user_name']}, from ${heard['client_roots']}`,
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks for a name, and then for a colour.',
    rounds: [
      { step1: form('Step 1: What is your name?', 'name', 'string') },
      { step2: form('Step 2: What is your favorite color?', 'color', 'string') },
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
    say: (heard) => `Answered: ${Object.keys(heard).join(', ') || 'nothing, as nothing was asked'}`,
  },
  {
    name: 'test_missing_capability',
    description: 'Needs the model of the client, and is refused to those who have none.',
    rounds: [{ llm_answer: sample('Reply with the single word: pong', 16) }],
    say: ({ llm_answer: answer }) => `The model said: ${answer}`,
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Asks for a yes without a request of its own on the stream of the answer.',
    rounds: [{ confirm: CONFIRM }],
    say: ({ confirm }) => `The answer was ${confirm}`,
  },
];

/** Tools that need to know something before they go on. */
export const roundTools: readonly Tool[] = ALL.map(({ name, description, rounds, asks, say }) =>
  fixture({
    name,
    description,
    input: NO_INPUT,
    async run(_args, { answers, askable }) {
      const all: Record<string, string> = {};
      for (const questions of rounds) {
        const wanted = Object.entries(questions).filter(
          ([, { is }]) => asks === undefined || askable.includes(is),
        );
        const { heard, open, declined } = hear(Object.fromEntries(wanted), answers);
        if (declined !== undefined) return { text: `The user did not answer "${declined}".` };
        if (Object.keys(open).length > 0) return { asks: open };
        Object.assign(all, heard);
      }
      return { text: say(all) };
    },
  }),
);
