import * as z from 'zod';
import { notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import type { ChangedFile, ChangesOptions, WorkspaceReader, Workspace } from '#core/workspace.ts';
import type { Gathered, WorkflowDefinition } from '../definition.ts';
import { withTitle } from '../format.ts';
import { quoteSentence, reportFrom } from './brief.ts';
import { severityFilterField, textField } from './fields.ts';
import { PRECOMMIT_PROMPT } from './precommit.prompt.ts';
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
    'Check uncommitted changes, or those since a branch or commit, step by step, then have an expert model review them. Reads git itself.',
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
    ...quoteSentence('Look above all at', args.focus_on),
    ...reportFrom(args.severity_filter),
  ],
  gather: (args, workspace, by) =>
    gatherChanges(
      {
        path: args.path,
        compareTo: args.compare_to,
        staged: args.include_staged,
        unstaged: args.include_unstaged,
      },
      workspace,
      by,
    ),
  skips: ({ precommit_type: type }) =>
    type === 'internal' ? 'skipped_due_to_internal_analysis_type' : undefined,
};

/** Limit of the listed files; the diffs cover all. */
const MAX_LISTED = 200;

/** Reads the changes from git: diffs for the expert, and the list of files for the caller. */
async function gatherChanges(
  options: ChangesOptions,
  workspace: Pick<Workspace, 'changes'>,
  by: WorkspaceReader,
): Promise<Gathered> {
  const { compareTo, staged, unstaged } = options;
  if (compareTo === undefined && !staged && !unstaged) {
    return { texts: [], facts: {}, notices: [notice('no_changes_requested', {})] };
  }
  const { root, branch, files, diffs, notices } = await workspace.changes(options, by);
  return {
    source: root,
    texts: diffs,
    facts: {
      changes: {
        repository: root,
        ...(branch !== undefined && { branch }),
        ...(compareTo !== undefined && { compared_to: compareTo }),
        files: files.slice(0, MAX_LISTED),
        count: files.length,
      },
    },
    text: withTitle(`Changed files (${files.length})`, fileLines(files)),
    notices: [...notices, ...(files.length === 0 ? [notice('no_changes', {})] : [])],
    ...(files.length === 0 && { nothingBecause: nothingSince(compareTo) }),
  };
}

const MAX_SHOWN = 20;
const MAX_PATH_CHARS = 200;

function fileLines(files: readonly ChangedFile[]): string {
  const lines = files
    .slice(0, MAX_SHOWN)
    .map(({ path, change, where }) => `- ${oneLine(path, MAX_PATH_CHARS)} (${change}, ${where})`);
  const left = files.length - MAX_SHOWN;
  return [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

function nothingSince(compareTo: string | undefined): string {
  return compareTo === undefined
    ? 'nothing is changed that is not committed (compare_to names a branch or commit to compare with)'
    : `nothing has changed since ${oneLine(compareTo, MAX_PATH_CHARS)}`;
}
