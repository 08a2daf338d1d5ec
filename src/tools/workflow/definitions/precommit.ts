import * as z from 'zod';
import type { WorkflowDefinition } from '../definition.ts';
import { reportFrom, saying } from './brief-words.ts';
import { severityFilterField, textField } from './fields.ts';
import { PRECOMMIT_PROMPT } from './precommit.prompt.ts';
import { readChanges } from './read-changes.ts';
import { END, stageOf, type Stages } from './stage.ts';

const FIELDS = {
  path: textField.optional().describe('A folder of the repository.'),
  compare_to: textField.optional().describe('Branch or commit; else what is uncommitted.'),
  include_staged: z.boolean().default(true),
  include_unstaged: z.boolean().default(true),
  focus_on: textField.optional(),
  severity_filter: severityFilterField,
  precommit_type: z
    .enum(['external', 'internal'])
    .default('external')
    .describe('internal: without an expert.'),
};

const ACTIONS: Stages = {
  first: [
    'Read the whole diff of every changed file that the answer names, and put into one sentence what the change is for.',
    'Hold it against what was asked: note what is missing, and what came along by accident.',
    'Look for secrets, debugging aids, commented-out code, machine paths and conflict marks in the added lines.',
    'Name in relevant_files the changed files and those that they can break.',
  ],
  middle: [
    'Search for everything that uses a changed or deleted name: callers, tests, settings, documents, other languages.',
    'Walk through each changed condition with nothing, one, many and wrong input, and through its path for errors.',
    'Check what stored data, wire formats and older clients make of the change.',
    'Run the tests and checks of the project, and report what they said.',
    'Give each problem its severity, file, line and fix in issues_found.',
  ],
  last: [
    'Check each entry of issues_found against the diff once more, and drop what the change does not touch.',
    'Make sure that nothing was changed since you looked, and that no file is missing from the commit.',
    'Say which findings stand in the way of the commit, and which can wait.',
    END,
  ],
};

export const precommit: WorkflowDefinition<typeof FIELDS> = {
  name: 'precommit',
  title: 'Precommit',
  description:
    'Check uncommitted changes, or those since a branch or commit, in steps of your own, then have an expert model judge them. Reads git by itself.',
  profile: 'standard',
  category: 'extended_reasoning',
  stem: 'validation',
  fields: FIELDS,
  subject: { folder: 'path', others: ['compare_to'] },
  skipped: 'skipped_due_to_certain_confidence',
  ready: 'validation_complete_ready_for_commit',
  expert: 'asked',
  prompt: PRECOMMIT_PROMPT,
  actions: (view) => ACTIONS[stageOf(view)],
  brief: (args) => [
    ...saying('Look above all at', args.focus_on),
    ...reportFrom(args.severity_filter),
  ],
  gather: (args, workspace, by) =>
    readChanges(
      {
        path: args.path,
        compareTo: args.compare_to,
        staged: args.include_staged ? 'yes' : 'no',
        unstaged: args.include_unstaged ? 'yes' : 'no',
      },
      workspace,
      by,
    ),
  skips: ({ precommit_type: type }) =>
    type === 'internal' ? 'skipped_due_to_internal_analysis_type' : undefined,
};
