import type { WorkflowDefinition } from '../definition.ts';
import { END, stageOf, type Stages } from './stage.ts';
import { TESTGEN_PROMPT } from './testgen.prompt.ts';

const ACTIONS: Stages = {
  first: [
    'Find the existing tests of this code: framework, folder, names, fixtures, and how time and network are faked.',
    'Put one typical test file into relevant_files beside the code under test, so that new tests can look alike.',
    'Write down what the code promises to its callers: results, errors, effects, what stays untouched.',
    'List every branch and every input that decides which branch is taken, with file and line.',
  ],
  middle: [
    'Go through the promises one by one, and note which existing test would fail if it broke; the rest is what is missing.',
    'Look for the edges: nothing, one, many, largest, malformed, duplicate, in the wrong order, two at once.',
    'Find what makes the code hard to test: hidden clock, randomness, network, global state; note how the project gets round it.',
    'Put each behaviour that nothing holds into issues_found, with the harm its loss would do as severity.',
  ],
  last: [
    'Order the missing tests by the harm that they prevent, and drop those that only repeat the code.',
    'Give each an exact input and the exact result or error expected, worked out from the promise and not from the code.',
    'Run the existing tests once, and note those that fail or depend on each other.',
    END,
  ],
};

export const testgen: WorkflowDefinition<Record<never, never>> = {
  name: 'testgen',
  title: 'Generate tests',
  description:
    'Find untested behaviour step by step, then have an expert model write the missing tests. Name in step the functions or files to cover.',
  profile: 'standard',
  category: 'extended_reasoning',
  stem: 'test_generation',
  fields: {},
  skipped: 'skipped_due_to_certain_test_confidence',
  ready: 'test_generation_complete_ready_for_implementation',
  expert: 'asked',
  prompt: TESTGEN_PROMPT,
  actions: (view) => ACTIONS[stageOf(view)],
};
