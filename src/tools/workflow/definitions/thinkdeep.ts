import type { WorkflowDefinition } from '../definition.ts';
import { quoteListSentence, quoteSentence } from './brief.ts';
import { listField, textField } from './fields.ts';
import { END, stageOf, type Stages } from './stage.ts';
import { THINKDEEP_PROMPT } from './thinkdeep.prompt.ts';

const FIELDS = {
  problem_context: textField.optional(),
  focus_areas: listField.optional(),
};

const ACTIONS: Stages = {
  first: [
    'Put the problem into one sentence, and write down what an answer must satisfy: constraints, scale, what may not break.',
    'Read the code, settings and documents that the problem rests on, and note file and line of each fact you use.',
    'List what you have assumed so far, and mark what is not yet checked.',
    'Sketch at least two ways that differ in kind, and say what would decide between them.',
  ],
  middle: [
    'Check the weakest assumption so far against the code, a measurement or a source.',
    'Argue against the way you favour: where does it fail at its edges, under ten times the load, in the hands of others?',
    'Compare the alternatives by the same few criteria, with what each costs.',
    'Drop what the evidence refuted, and say so in findings.',
  ],
  last: [
    'Look for the one fact that would overturn your conclusion, and report whether you found it.',
    'Write the conclusion with its reasons, its risks, and the conditions under which it no longer holds.',
    'Keep in relevant_files only what the conclusion rests on.',
    END,
  ],
};

export const thinkdeep: WorkflowDefinition<typeof FIELDS> = {
  name: 'thinkdeep',
  title: 'Think deeply',
  description:
    'Think through a hard problem step by step, then have an expert model challenge the conclusion. For design decisions and trade-offs without an obvious answer.',
  profile: 'lean',
  category: 'extended_reasoning',
  stem: 'thinking',
  fields: FIELDS,
  skipped: 'skipped_due_to_certain_confidence',
  ready: 'thinking_complete_ready_for_implementation',
  expert: 'asked',
  prompt: THINKDEEP_PROMPT,
  actions: (view) => ACTIONS[stageOf(view)],
  brief: ({ problem_context: context, focus_areas: areas }) => [
    ...quoteSentence('The background, as the caller tells it', context),
    ...quoteListSentence('Look above all at', areas),
  ],
};
