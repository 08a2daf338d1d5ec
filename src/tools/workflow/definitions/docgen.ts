import * as z from 'zod';
import type { Hold, StepView, WorkflowDefinition } from '../definition.ts';

const MAX_FILES = 100_000;
const countField = z.int().min(0).max(MAX_FILES).default(0);

const FIELDS = {
  document_complexity: z.boolean().default(true).describe('Cost of algorithms.'),
  document_flow: z.boolean().default(true).describe('Who calls what.'),
  update_existing: z.boolean().default(true),
  comments_on_complex_logic: z.boolean().default(true),
  num_files_documented: countField,
  total_files_to_document: countField,
};
type DocgenArgs = z.output<z.ZodObject<typeof FIELDS>>;

const FIRST = [
  'Find every source file in scope that has something to document, and name each once in relevant_files.',
  'Count them, and give the number as total_files_to_document from the next step on: the end is measured by it.',
  'Look at the best documented files of the project, or at the conventions of its language, and keep to their form.',
  'Touch no file before this list is complete.',
  'Change comments alone: a bug that you notice goes into issues_found and stays in the code.',
];

const CHECK = [
  'Go through the list once more, and open each file at its end to see that its last function is documented, too.',
  'Look at the diff: it must show changed comments and no changed code.',
  'Run the build and the tool that reads the comments, if the project has one.',
  'End with next_step_required false when all of it is true.',
];

export const docgen: WorkflowDefinition<typeof FIELDS> = {
  name: 'docgen',
  title: 'Generate documentation',
  description:
    'Document code file by file; counters make sure that no file is left out. Makes no model call.',
  profile: 'full',
  category: 'extended_reasoning',
  stem: 'documentation_analysis',
  fields: FIELDS,
  skipped: 'skipped_by_tool_design',
  ready: 'documentation_analysis_complete',
  expert: 'none',
  prompt: '',
  actions({ args }) {
    if (args.step_number === 1 || args.total_files_to_document === 0) return FIRST;
    return missing(args) === 0 ? CHECK : nextFile(args);
  },
  hold,
  counts: (args) => `${documented(args)} documented`,
};

function nextFile(args: DocgenArgs): readonly string[] {
  return [
    'Take the next file of the list, and document every type, function and constant that others use: what it is for, then parameters, results, errors and effects.',
    ...(args.document_complexity
      ? ['State the time and memory cost of an algorithm where it may surprise a reader.']
      : []),
    ...(args.document_flow
      ? ['Say who calls it, and what it calls, where the code does not show it.']
      : []),
    args.update_existing
      ? 'Correct comments that say something else than the code does.'
      : 'Leave comments that are there as they are, and put wrong ones into issues_found.',
    ...(args.comments_on_complex_logic
      ? [
          'Write a comment inside a function only where a reader would have to stop, and say why, not what.',
        ]
      : []),
    `Read the file once more from top to bottom, then raise num_files_documented, which is ${args.num_files_documented} of ${args.total_files_to_document}.`,
  ];
}

/** Negative if more files are reported as finished than there are. */
function missing(args: DocgenArgs): number {
  return args.total_files_to_document - args.num_files_documented;
}

function documented({ num_files_documented: done, total_files_to_document: all }: DocgenArgs) {
  return `${done} of ${all} files`;
}

function hold({ args }: StepView<DocgenArgs>): Hold | undefined {
  const left = missing(args);
  if (args.next_step_required || left === 0) return undefined;
  const status = 'documentation_analysis_required';
  if (left > 0) {
    return {
      status,
      actions: nextFile(args),
      note: `It cannot end yet: ${documented(args)} are documented.`,
      arguments: {
        num_files_documented: args.num_files_documented + 1,
        next_step_required: left > 1,
      },
    };
  }
  return {
    status,
    actions: [
      'Count the files of the list again, each once.',
      'Give the right number as total_files_to_document, and those of them that are finished as num_files_documented.',
      'Then end with next_step_required false.',
    ],
    note: `It cannot end yet: ${documented(args)} are documented, and one of the numbers is wrong.`,
    arguments: {
      num_files_documented: '<files that are finished>',
      total_files_to_document: '<files in all>',
    },
  };
}
