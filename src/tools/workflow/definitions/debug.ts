import type { WorkflowDefinition } from '../definition.ts';
import { DEBUG_PROMPT } from './debug.prompt.ts';
import { END, stageOf, type Stages } from './stage.ts';

const ACTIONS: Stages = {
  first: [
    'Write down the symptom exactly: the message, the input, since when, how often; keep apart what was seen and what is guessed.',
    'Reproduce it, or find the log, the test or the data that shows it.',
    'Read the code from where the symptom shows back to where its values come from, and note file and line.',
    'Look what changed last in that code, its settings and its dependencies.',
    'State a first hypothesis, and what would refute it.',
  ],
  middle: [
    'Test the hypothesis where it is weakest: look for the value, the log line or the order of events that it forbids.',
    'Trace one failing and one working case side by side, and find the first point where they part.',
    'Look for other causes that fit all the evidence: concurrency, stale state, limits, clocks, encodings, settings.',
    'Drop what was refuted, and say so in findings; go back with backtrack_from_step if a step led astray.',
    'Keep in relevant_files only the code that the failure passes through.',
  ],
  last: [
    'Explain every symptom by the cause, also why it does not happen always; what stays unexplained means another cause.',
    'Point at the line of the cause, and say what it must do instead.',
    'Check who else relies on that line, and search for the same mistake elsewhere.',
    'Name the test that would have caught it.',
    END,
  ],
};

export const debug: WorkflowDefinition<Record<never, never>> = {
  name: 'debug',
  title: 'Debug',
  description:
    'Find the root cause of a bug step by step, then have an expert model verify it against the code. For failures without an obvious cause.',
  profile: 'lean',
  category: 'extended_reasoning',
  stem: 'investigation',
  fields: {},
  skipped: 'skipped_due_to_certain_confidence',
  ready: 'investigation_complete_ready_for_implementation',
  expert: 'asked',
  prompt: DEBUG_PROMPT,
  actions: (view) => ACTIONS[stageOf(view)],
};
