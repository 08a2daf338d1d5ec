import * as z from 'zod';
import type { WorkflowDefinition } from '../definition.ts';
import { quoteListSentence } from './brief.ts';
import { listField } from './fields.ts';
import { REFACTOR_PROMPT } from './refactor.prompt.ts';
import { END, stageOf, type Stages } from './stage.ts';

const CONFIDENCES = ['exploring', 'incomplete', 'partial', 'complete'] as const;
const NEARLY_COMPLETE = ['partial', 'complete'];
const TYPES = ['codesmells', 'decompose', 'modernize', 'organization'] as const;

const FIELDS = {
  refactor_type: z.enum(TYPES).default('codesmells'),
  focus_areas: listField.optional(),
  style_guide_examples: listField.optional().describe('Paths: files with the style to keep.'),
};

const LOOK: Readonly<Record<(typeof TYPES)[number], string>> = {
  codesmells:
    'Look for functions that do several things, rules written in several places, long parameter lists and conditions that repeat.',
  decompose:
    'Measure the largest files, classes and functions in scope, and mark the seams where each falls into parts that change for different reasons.',
  modernize:
    'Find out which version of the language and platform the project targets, then look for constructs which that version replaces.',
  organization: 'List what each folder and file is for, and note code in unexpected places.',
};

const BRIEF: Readonly<Record<(typeof TYPES)[number], readonly string[]>> = {
  codesmells: [],
  decompose: ['This is about cutting what is too large: name every seam and what moves across it.'],
  modernize: [
    'This is about constructs that the language or platform has replaced: name the version that did.',
  ],
  organization: [
    'This is about order: files, layers and names, with the code in them left as it is.',
  ],
};

const ACTIONS: Stages = {
  first: [
    'Read the code in scope and its callers, and note which public names and behaviour must stay as they are.',
    'Look which tests cover it, and run them once so that you know the state you start from.',
    'Give each place its file, line, cost and a first idea of the cure in issues_found.',
  ],
  middle: [
    'Check for each place who else relies on it: callers, subclasses, reflection, serialised names, settings.',
    'Look in the history or the open work for what is really about to change, and put that first.',
    'Write the target shape of the worst place in a few lines, and see whether it really gets shorter or clearer.',
    'Withdraw what would be different but not better.',
  ],
  last: [
    'Bring the changes into an order in which every step compiles and passes the tests.',
    'Name the tests that have to exist before the first step.',
    'Check file and line of every entry in issues_found once more.',
    'Set confidence to complete only if no file in scope is unread.',
    END,
  ],
};

export const refactor: WorkflowDefinition<typeof FIELDS> = {
  name: 'refactor',
  title: 'Refactor',
  description:
    'Find what to restructure step by step, then have an expert model check and order the changes. For code that is hard to change; behaviour stays the same.',
  profile: 'standard',
  category: 'extended_reasoning',
  stem: 'refactoring_analysis',
  fields: FIELDS,
  confidences: CONFIDENCES,
  skipped: 'skipped_due_to_complete_refactoring_confidence',
  ready: 'refactoring_analysis_complete_ready_for_implementation',
  expert: 'asked',
  prompt: REFACTOR_PROMPT,
  actions(view) {
    const stage = stageOf(view, NEARLY_COMPLETE);
    return stage === 'first' ? [LOOK[view.args.refactor_type], ...ACTIONS.first] : ACTIONS[stage];
  },
  brief: (args) => [
    ...BRIEF[args.refactor_type],
    ...quoteListSentence('Look above all at', args.focus_areas),
    ...quoteListSentence(
      'These files show the style to keep, and are not to be changed',
      args.style_guide_examples,
    ),
  ],
  async gather({ style_guide_examples: paths = [] }, workspace, by) {
    if (paths.length === 0) return { texts: [], facts: {}, notices: [] };
    return { ...(await workspace.read(paths, 'style_guide_examples', by)), facts: {} };
  },
};
