import * as z from 'zod';
import type { WorkflowDefinition } from '../definition.ts';
import { reportFrom, quoteSentence } from './brief.ts';
import { CODEREVIEW_PROMPT } from './codereview.prompt.ts';
import { severityFilterField, textField } from './fields.ts';
import { END, stageOf, type Stages } from './stage.ts';

const TYPES = ['full', 'security', 'performance', 'quick'] as const;

const FIELDS = {
  review_type: z.enum(TYPES).default('full'),
  focus_on: textField.optional(),
  standards: textField.optional(),
  severity_filter: severityFilterField,
  review_validation_type: z
    .enum(['external', 'internal'])
    .default('external')
    .describe('internal: without an expert.'),
};

const LOOK: Readonly<Record<(typeof TYPES)[number], string>> = {
  full: 'Read every file under review from top to bottom once, before you judge any part of it.',
  security:
    'Find each place where input from outside enters, and follow it to every query, path, command and page it reaches.',
  performance:
    'Find what runs per request or per record, and note queries, copies, locks and allocations inside of it.',
  quick: 'Read the changed or most critical functions only, and look for what is plainly wrong.',
};

const BRIEF: Readonly<Record<(typeof TYPES)[number], readonly string[]>> = {
  full: [],
  security: ['This is about security: report other matters only if they are critical.'],
  performance: ['This is about performance: report other matters only if they are critical.'],
  quick: ['This is a quick look: at most five findings, the worst first, each in two sentences.'],
};

const ACTIONS: Stages = {
  first: [
    'Find out what the code is for and what its callers rely on: its tests, its types, the places that call it.',
    'Note for each function what it does with nothing, one, many, wrong and hostile input.',
    'Give each problem its severity, file, line and the input that triggers it in issues_found.',
    'List the files that need a closer look in relevant_files.',
  ],
  middle: [
    'Go to the call sites, and check whether the problems found can really be reached from there.',
    'Look at error paths, cleanup, timeouts and what happens when two callers come at once.',
    'Compare with how the rest of the project does the same thing, and note only differences that do harm.',
    'Look which of the problems an existing test would catch, and which none would.',
    'Correct or withdraw earlier entries of issues_found that did not hold.',
  ],
  last: [
    'Check file and line of every entry in issues_found against the code as it is now.',
    'Write for each of them the smallest fix, and make sure that it breaks no caller.',
    'Join entries with one cause, and drop matters of taste.',
    END,
  ],
};

export const codereview: WorkflowDefinition<typeof FIELDS> = {
  name: 'codereview',
  title: 'Code review',
  description:
    'Review code step by step, then have an expert model check the findings and add what you missed. For existing code or a change before merging.',
  profile: 'lean',
  category: 'extended_reasoning',
  stem: 'code_review',
  fields: FIELDS,
  skipped: 'skipped_due_to_certain_confidence',
  ready: 'code_review_complete_ready_for_implementation',
  expert: 'asked',
  prompt: CODEREVIEW_PROMPT,
  actions(view) {
    const stage = stageOf(view);
    return stage === 'first' ? [LOOK[view.args.review_type], ...ACTIONS.first] : ACTIONS[stage];
  },
  brief: (args) => [
    ...BRIEF[args.review_type],
    ...quoteSentence('Look above all at', args.focus_on),
    ...quoteSentence('The code has to keep these rules', args.standards),
    ...reportFrom(args.severity_filter),
  ],
  skips: ({ review_validation_type: type }) =>
    type === 'internal' ? 'skipped_due_to_internal_analysis_type' : undefined,
};
